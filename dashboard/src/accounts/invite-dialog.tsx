// Invites a person; the link goes by mail, or is shown once, to be passed on.
import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody } from '../ui/form-body.tsx'
import { SecretOnce } from '../ui/secret-once.tsx'
import { showToast } from '../ui/toasts.ts'
import { useStay } from '../ui/use-stay.ts'
import type { Role } from './member.ts'
import { type Invitation, invite } from './member-tasks.ts'
import { RoleChoice } from './role-choice.tsx'

type Props = { opened: boolean; onClose: () => void }

export function InviteDialog({ opened, onClose }: Props) {
  const [made, setMade] = useState<Invitation | null>(null)
  return (
    <>
      <Dialog opened={opened} onClose={onClose} title="Invite a person">
        <InviteForm
          onCancel={onClose}
          onMade={invitation => {
            onClose()
            if (invitation.setup_url !== null) setMade(invitation)
            else showToast(`The invitation is on its way to ${invitation.email}`)
          }}
        />
      </Dialog>
      <LinkOnce
        title={`The invitation of ${made?.email ?? ''}`}
        url={made?.setup_url ?? null}
        onClose={() => setMade(null)}
      />
    </>
  )
}

type LinkProps = { title: string; url: string | null; onClose: () => void }

export function LinkOnce({ title, url, onClose }: LinkProps) {
  return (
    <SecretOnce
      opened={url !== null}
      title={title}
      secret={url ?? ''}
      what="link"
      onClose={onClose}
    >
      <Text size="sm" c="dimmed">
        It works once, within 24 hours. No mail is set up, so pass it on by a way you trust.
      </Text>
    </SecretOnce>
  )
}

type FormProps = { onCancel: () => void; onMade: (invitation: Invitation) => void }

function InviteForm({ onCancel, onMade }: FormProps) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('analyst')
  const stayFor = useStay()
  const submit = async () => onMade(await stayFor(invite(email, role)))
  return (
    <FormBody action="Invite" disabled={email === ''} onCancel={onCancel} onSubmit={submit}>
      <TextInput
        label="Email"
        type="email"
        value={email}
        onChange={event => setEmail(event.currentTarget.value)}
        autoComplete="off"
        required
        data-autofocus
      />
      <RoleChoice value={role} onChange={setRole} />
    </FormBody>
  )
}
