// Creating, changing and deleting an OAuth app, and its secret, shown once.
import { Text } from '@mantine/core'
import { useState } from 'react'
import { callAdmin } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { CopyValue } from '../ui/copy-value.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { SecretOnce } from '../ui/secret-once.tsx'
import { showToast } from '../ui/toasts.ts'
import { useStay } from '../ui/use-stay.ts'
import type { AppInput, MadeSecret, OAuthApp } from './app.ts'
import { AppForm } from './app-form.tsx'

export type AppDialog = { task: 'create' } | { task: 'change' | 'rotate' | 'delete'; app: OAuthApp }

type Props = { dialog: AppDialog | null; onClose: () => void }

export function AppDialogs({ dialog, onClose }: Props) {
  const [made, setMade] = useState<MadeSecret | null>(null)
  const stayFor = useStay()
  const app = dialog && dialog.task !== 'create' ? dialog.app : null
  const create = async (input: AppInput) => {
    const secret = await stayFor(callAdmin<MadeSecret>('POST', '/admin/apps', input))
    refresh('/admin/apps')
    onClose()
    setMade(secret)
  }
  const change = async (input: AppInput, changes: Partial<AppInput>) => {
    await callAdmin('PATCH', `/admin/apps/${app?.client_id}`, changes)
    refresh('/admin/apps')
    showToast(`${input.name} is changed`)
    onClose()
  }
  const rotate = async () => {
    const path = `/admin/apps/${app?.client_id}/secret`
    setMade(await stayFor(callAdmin<MadeSecret>('POST', path)))
    refresh('/admin/apps')
  }
  return (
    <>
      <Dialog opened={dialog?.task === 'create'} onClose={onClose} title="New OAuth app" size="lg">
        <AppForm action="Create the app" onCancel={onClose} onSubmit={create} />
      </Dialog>
      <Dialog
        opened={dialog?.task === 'change'}
        onClose={onClose}
        title={`Change ${app?.name ?? ''}`}
        size="lg"
      >
        {app && <AppForm app={app} action="Save" onCancel={onClose} onSubmit={change} />}
      </Dialog>
      <ConfirmByName
        opened={dialog?.task === 'rotate'}
        title={`A new secret for ${app?.name ?? ''}?`}
        name={app?.name ?? ''}
        action="Make a new secret"
        onClose={onClose}
        onConfirm={rotate}
      >
        The old secret stops working at once: the app cannot get or renew tokens until it knows the
        new one. Tokens already given stay.
      </ConfirmByName>
      <DeleteApp app={dialog?.task === 'delete' ? app : null} onClose={onClose} />
      <ClientSecret made={made} onClose={() => setMade(null)} />
    </>
  )
}

function DeleteApp({ app, onClose }: { app: OAuthApp | null; onClose: () => void }) {
  const remove = async () => {
    await callAdmin('DELETE', `/admin/apps/${app?.client_id}`)
    refresh('/admin/apps', '/admin/grants')
    showToast(`${app?.name} is deleted, and every token of it`)
  }
  return (
    <ConfirmByName
      opened={app !== null}
      title={`Delete ${app?.name ?? ''}?`}
      name={app?.name ?? ''}
      action="Delete the app"
      onClose={onClose}
      onConfirm={remove}
    >
      Every token of this app stops working at once, for everyone who allowed it.
    </ConfirmByName>
  )
}

function ClientSecret({ made, onClose }: { made: MadeSecret | null; onClose: () => void }) {
  return (
    <SecretOnce
      opened={made !== null}
      title="The client secret"
      secret={made?.client_secret ?? ''}
      what="secret"
      onClose={onClose}
    >
      <Text size="sm" component="div">
        Client id: <CopyValue value={made?.client_id ?? ''} what="client id" />
      </Text>
      <Text size="sm" c="dimmed">
        The secret belongs on a server, never in a page or a phone.
      </Text>
    </SecretOnce>
  )
}
