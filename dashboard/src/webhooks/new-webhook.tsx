// A new subscription, and its signing secret, shown this once.
import { Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import type { WebhookWithSecret } from '../generated/api.ts'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody } from '../ui/form-body.tsx'
import { SecretOnce } from '../ui/secret-once.tsx'
import { showToast } from '../ui/toasts.ts'
import { useStay } from '../ui/use-stay.ts'
import { WEBHOOK_LABELS, WebhookFields, type WebhookInput } from './webhook-fields.tsx'
import { nameOf } from './webhook-words.ts'

type Props = { opened: boolean; onClose: () => void }

export function NewWebhook({ opened, onClose }: Props) {
  const [made, setMade] = useState<WebhookWithSecret | null>(null)
  const navigate = useNavigate()
  const finish = () => {
    if (!made) return
    showToast(`${nameOf(made)} is told from now on`)
    setMade(null)
    navigate({ to: '/webhooks/$id', params: { id: made.id } })
  }
  return (
    <>
      <Dialog opened={opened} onClose={onClose} title="New webhook" size="lg">
        <NewWebhookForm
          onCancel={onClose}
          onMade={webhook => {
            onClose()
            setMade(webhook)
          }}
        />
      </Dialog>
      <SecretOnce
        opened={made !== null}
        title="The signing secret"
        secret={made?.secret ?? ''}
        what="secret"
        onClose={finish}
      >
        <SignatureHelp />
      </SecretOnce>
    </>
  )
}

type FormProps = { onCancel: () => void; onMade: (webhook: WebhookWithSecret) => void }

function NewWebhookForm({ onCancel, onMade }: FormProps) {
  const [input, setInput] = useState<WebhookInput>({
    url: '',
    description: '',
    events: ['score.band_changed'],
  })
  const stayFor = useStay()
  const create = async () => {
    const made = await stayFor(call('POST /v1/webhooks', { body: input }))
    refresh('/v1/webhooks')
    onMade(made)
  }
  const ready = input.url !== '' && input.events.length > 0
  return (
    <FormBody
      action="Create the webhook"
      labels={WEBHOOK_LABELS}
      disabled={!ready}
      onCancel={onCancel}
      onSubmit={create}
    >
      {fault => <WebhookFields input={input} fault={fault} onChange={setInput} />}
    </FormBody>
  )
}

function SignatureHelp() {
  return (
    <Text size="sm" c="dimmed">
      Every message carries <code>X-Service-Signature: sha256=…</code>, the HMAC-SHA256 of its body
      with this secret. Compare it in constant time and refuse what does not match.
    </Text>
  )
}
