// Asks from when on skipped and failed messages are to be sent again.
import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAddress } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { serviceNow } from '../app/service-clock.ts'
import type { Webhook } from '../generated/api.ts'
import { printLocal } from '../ui/dates.ts'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody } from '../ui/form-body.tsx'
import { showToast } from '../ui/toasts.ts'
import { nameOf } from './webhook-words.ts'

type Props = { webhook: Webhook; opened: boolean; onClose: () => void }

export function RecoverDialog({ webhook, opened, onClose }: Props) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Recover what was missed">
      <RecoverForm webhook={webhook} onClose={onClose} />
    </Dialog>
  )
}

const DAY = 86_400_000

function RecoverForm({ webhook, onClose }: Omit<Props, 'opened'>) {
  const [, change] = useAddress()
  const [since, setSince] = useState(() =>
    printLocal(webhook.disabled_at ? Date.parse(webhook.disabled_at) : serviceNow() - 7 * DAY),
  )
  const disabled = webhook.status === 'disabled'
  const recover = async () => {
    const { id } = webhook
    const body = { since: new Date(since).toISOString() }
    const started = await call('POST /v1/webhooks/{id}/recover', { params: { id }, body })
    onClose()
    if (!change({ recovery: started.id }))
      showToast(`What ${nameOf(webhook)} missed is being sent again`)
  }
  return (
    <FormBody
      action="Send again"
      disabled={disabled || since === ''}
      onCancel={onClose}
      onSubmit={recover}
    >
      <Text size="sm">
        Every skipped and failed message since then is sent again, oldest first, with its own id and
        unchanged. Receivers that keep ids take none twice.
      </Text>
      <TextInput
        type="datetime-local"
        label="Since"
        value={since}
        max={printLocal(serviceNow())}
        onChange={event => setSince(event.currentTarget.value)}
        required
        data-autofocus
      />
      {disabled && (
        <Text size="sm" fw={550}>
          The webhook is disabled: enable it first, then recover what it missed.
        </Text>
      )}
    </FormBody>
  )
}
