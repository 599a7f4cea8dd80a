// What can be done with a subscription: try it, pause it, adopt it, change it, recover what it missed, delete it.
import { Button, Menu, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useLeadOn } from '../app/address.ts'
import { call, callAdmin } from '../app/call-api.ts'
import { leaveDeleted, refresh } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import type { Webhook } from '../generated/api.ts'
import { changedFields } from '../ui/changed-fields.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody } from '../ui/form-body.tsx'
import { MoreItem, MoreMenu } from '../ui/more-menu.tsx'
import { showToast } from '../ui/toasts.ts'
import { useWork } from '../ui/use-work.ts'
import { RecoverDialog } from './recover-dialog.tsx'
import { RotateDialog } from './rotate-dialog.tsx'
import { WEBHOOK_LABELS, WebhookFields, type WebhookInput } from './webhook-fields.tsx'
import { isOfApp, nameOf } from './webhook-words.ts'

type Choice = 'adopt' | 'change' | 'rotate' | 'recover' | 'delete' | null

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const mayWrite = useMay('webhooks:write')
  const mayAdopt = useMay('webhooks:adopt')
  const [dialog, setDialog] = useState<Choice>(null)
  if (!mayWrite) return null
  const close = () => setDialog(null)
  const ended = webhook.disabled_reason === 'grant_ended'
  return (
    <>
      {webhook.status === 'enabled' && <TestButton webhook={webhook} />}
      {isOfApp(webhook) && mayAdopt && (
        <Button variant={ended ? 'filled' : 'default'} onClick={() => setDialog('adopt')}>
          Adopt
        </Button>
      )}
      {!ended && <SwitchButton webhook={webhook} />}
      <WebhookMenu onChoose={setDialog} />
      <Dialog opened={dialog === 'change'} onClose={close} title="Change the webhook" size="lg">
        <ChangeForm webhook={webhook} onClose={close} />
      </Dialog>
      <AdoptDialog webhook={webhook} opened={dialog === 'adopt'} onClose={close} />
      <RotateDialog webhook={webhook} opened={dialog === 'rotate'} onClose={close} />
      <RecoverDialog webhook={webhook} opened={dialog === 'recover'} onClose={close} />
      <DeleteDialog webhook={webhook} opened={dialog === 'delete'} onClose={close} />
    </>
  )
}

function WebhookMenu({ onChoose }: { onChoose: (dialog: Choice) => void }) {
  return (
    <MoreMenu label="More" width={240} boxed>
      <MoreItem icon="edit" onClick={() => onChoose('change')}>
        Change it
      </MoreItem>
      <MoreItem icon="keys" onClick={() => onChoose('rotate')}>
        Rotate the secret
      </MoreItem>
      <MoreItem icon="again" onClick={() => onChoose('recover')}>
        Recover what was missed
      </MoreItem>
      <Menu.Divider />
      <MoreItem icon="trash" red onClick={() => onChoose('delete')}>
        Delete it
      </MoreItem>
    </MoreMenu>
  )
}

function TestButton({ webhook: { id } }: { webhook: Webhook }) {
  const [busy, run] = useWork()
  const navigate = useNavigate()
  const test = async () => {
    const delivery = await call('POST /v1/webhooks/{id}/test', { params: { id } })
    refresh('/v1/webhooks')
    const open = () => navigate({ to: '/webhooks/deliveries/$id', params: { id: delivery.id } })
    showToast('A test message is on its way', { action: { label: 'Show', run: open } })
  }
  return (
    <Button variant="default" loading={busy} onClick={() => run(test)}>
      Send a test
    </Button>
  )
}

function SwitchButton({ webhook }: { webhook: Webhook }) {
  const [busy, run] = useWork()
  const enabled = webhook.status === 'enabled'
  const change = async () => {
    const status = enabled ? 'disabled' : 'enabled'
    const { id } = webhook
    await call('PATCH /v1/webhooks/{id}', { params: { id }, body: { status } })
    refresh('/v1/webhooks')
  }
  const done = enabled
    ? `${nameOf(webhook)} is disabled; messages are kept as skipped`
    : `${nameOf(webhook)} is enabled; what it missed can be recovered`
  return (
    <Button
      variant={enabled ? 'default' : 'filled'}
      loading={busy}
      onClick={() => run(change, done)}
    >
      {enabled ? 'Disable' : 'Enable'}
    </Button>
  )
}

type FormProps = { webhook: Webhook; onClose: () => void }

/** Lives as long as the dialog is open: it saves what was changed since. */
function ChangeForm({ webhook, onClose }: FormProps) {
  const { id, url, description, events } = webhook
  const [begun] = useState<WebhookInput>({ url, description, events: [...events] })
  const [input, setInput] = useState(begun)
  const changes = changedFields(begun, input)
  const save = async () => {
    await call('PATCH /v1/webhooks/{id}', { params: { id }, body: changes })
    refresh('/v1/webhooks')
    showToast('The webhook is changed')
    onClose()
  }
  const whole = input.url !== '' && input.events.length > 0
  const ready = whole && Object.keys(changes).length > 0
  return (
    <FormBody
      action="Save"
      labels={WEBHOOK_LABELS}
      disabled={!ready}
      onCancel={onClose}
      onSubmit={save}
    >
      {fault => <WebhookFields input={input} fault={fault} onChange={setInput} />}
    </FormBody>
  )
}

function AdoptDialog({ webhook, opened, onClose }: FormProps & { opened: boolean }) {
  const { id, url } = webhook
  const name = nameOf(webhook)
  const adopt = async () => {
    await callAdmin('POST', `/admin/webhooks/${id}/adopt`)
    refresh('/v1/webhooks')
    showToast(`${name} is yours and enabled; what it missed can be recovered`)
  }
  return (
    <ConfirmByName
      opened={opened}
      title={`Adopt ${name}?`}
      name={null}
      action="Adopt the webhook"
      onClose={onClose}
      onConfirm={adopt}
    >
      It goes on in your name, whatever becomes of the app that made it. The app chose where it
      leads and knows its secret, so make sure that the address is one of yours.
      <Text size="xs" c="dimmed" mt="xs" className="break-anywhere three-lines" title={url}>
        {url}
      </Text>
    </ConfirmByName>
  )
}

function DeleteDialog({ webhook, opened, onClose }: FormProps & { opened: boolean }) {
  const leadOn = useLeadOn()
  const name = nameOf(webhook)
  const remove = async () => {
    await call('DELETE /v1/webhooks/{id}', { params: { id: webhook.id } })
    await leaveDeleted(() => leadOn({ to: '/webhooks' }), 'GET /v1/webhooks')
    showToast(`The webhook ${name} is deleted`)
  }
  return (
    <ConfirmByName
      opened={opened}
      title={`Delete ${name}?`}
      name={name}
      action="Delete the webhook"
      onClose={onClose}
      onConfirm={remove}
    >
      Within a second nothing more is sent, not even what is due already. Its secret and its
      delivery log are gone with it.
      <Text size="xs" c="dimmed" mt="xs" className="break-anywhere three-lines" title={webhook.url}>
        {webhook.url}
      </Text>
    </ConfirmByName>
  )
}
