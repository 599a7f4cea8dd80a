// The dialogs in which an owner confirms what is to be done with a person.
import { Text } from '@mantine/core'
import { useState } from 'react'
import { useLeadOn } from '../app/address.ts'
import { callAdmin } from '../app/call-api.ts'
import { leaveBy } from '../app/leaving.ts'
import { queryClient, refresh } from '../app/query-client.ts'
import { SESSION_KEY, useSession } from '../app/session.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody } from '../ui/form-body.tsx'
import { showToast } from '../ui/toasts.ts'
import { useStay } from '../ui/use-stay.ts'
import { LinkOnce } from './invite-dialog.tsx'
import { type Member, ROLES } from './member.ts'
import { type MemberTask, QUESTIONS, type Question } from './member-tasks.ts'
import { RoleChoice } from './role-choice.tsx'

type Props = { task: MemberTask | null; member: Member | null; onClose: () => void }

export function MemberDialogs({ task, member, onClose }: Props) {
  const [link, setLink] = useState<{ title: string; url: string } | null>(null)
  const stayFor = useStay()
  const asked = task && task !== 'role' && member ? QUESTIONS[task](member) : null
  const confirm = async () => {
    if (!asked || !member) return
    // Everything on the page belongs to the organization that was left, so the page begins anew.
    if (task === 'leave') return leaveBy(asked.run, '/')
    const url = await stayFor(asked.run())
    refresh('/admin/users')
    if (url === null) showToast(asked.done)
    else setLink({ title: `A link for ${member.email}`, url })
    onClose()
  }
  return (
    <>
      <MemberQuestion asked={asked} member={member} onClose={onClose} onConfirm={confirm} />
      <Dialog
        opened={task === 'role'}
        onClose={onClose}
        title={`The role of ${member?.email ?? ''}`}
      >
        {member && <RoleForm member={member} onClose={onClose} />}
      </Dialog>
      <LinkOnce title={link?.title ?? ''} url={link?.url ?? null} onClose={() => setLink(null)} />
    </>
  )
}

type QuestionProps = {
  asked: Question | null
  member: Member | null
  onClose: () => void
  onConfirm: () => Promise<void>
}

function MemberQuestion({ asked, member, onClose, onConfirm }: QuestionProps) {
  const harmless = asked?.danger === 'none'
  return (
    <>
      <ConfirmByName
        opened={asked !== null && !harmless}
        title={asked?.title ?? ''}
        name={asked?.danger === 'named' ? (member?.email ?? '') : null}
        action={asked?.action ?? ''}
        onClose={onClose}
        onConfirm={onConfirm}
      >
        {asked?.about}
      </ConfirmByName>
      <Dialog opened={harmless} onClose={onClose} title={asked?.title}>
        <FormBody action={asked?.action ?? ''} onCancel={onClose} onSubmit={onConfirm}>
          <Text size="sm">{asked?.about}</Text>
        </FormBody>
      </Dialog>
    </>
  )
}

function RoleForm({ member, onClose }: { member: Member; onClose: () => void }) {
  const [role, setRole] = useState(member.role)
  const leadOn = useLeadOn()
  const self = useSession().data?.user.id === member.id
  const save = async () => {
    await callAdmin('PATCH', `/admin/users/${member.id}`, { role })
    // With another role of one's own this page is closed: the overview is open to every role.
    if (self) {
      await leadOn({ to: '/' })
      await queryClient.invalidateQueries({ queryKey: SESSION_KEY })
    }
    refresh('/admin/users')
    const who = self ? 'You are' : `${member.email} is`
    showToast(`${who} ${ROLES[role].label.toLowerCase()} now`)
    onClose()
  }
  return (
    <FormBody action="Save" disabled={role === member.role} onCancel={onClose} onSubmit={save}>
      <RoleChoice value={role} onChange={setRole} />
    </FormBody>
  )
}
