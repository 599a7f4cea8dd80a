// A new signing secret: what happens to the old one is said before, the new one is shown once.
import { List, Text } from '@mantine/core'
import { useState } from 'react'
import { call } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import type { Webhook } from '../generated/api.ts'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody } from '../ui/form-body.tsx'
import { SecretOnce } from '../ui/secret-once.tsx'
import { useStay } from '../ui/use-stay.ts'

type Props = { webhook: Webhook; opened: boolean; onClose: () => void }

export function RotateDialog({ webhook, opened, onClose }: Props) {
  const { id, rotation_ends_at, new_secret_activated } = webhook
  const [secret, setSecret] = useState<string | null>(null)
  const stayFor = useStay()
  const rotate = async () => {
    const made = await stayFor(call('POST /v1/webhooks/{id}/rotate-secret', { params: { id } }))
    onClose()
    setSecret(made.secret)
    refresh('/v1/webhooks')
  }
  return (
    <>
      <Dialog opened={opened} onClose={onClose} title="Rotate the signing secret">
        <FormBody action="Make a new secret" onCancel={onClose} onSubmit={rotate}>
          <Text size="sm">The receiver never misses a message meanwhile:</Text>
          <List size="sm" type="ordered" spacing={6}>
            <List.Item>A new secret is shown once. Both are valid for 24 hours.</List.Item>
            <List.Item>
              <code>webhook-signature</code> carries both signatures;{' '}
              <code className="nowrap">X-Service-Signature</code> stays with the old secret.
            </List.Item>
            <List.Item>
              When the receiver knows the new one, activate it here. After 24 hours that happens by
              itself.
            </List.Item>
          </List>
          {rotation_ends_at !== null && (
            <Text size="sm" fw={550}>
              A rotation is under way.{' '}
              {new_secret_activated
                ? 'A new one ends the oldest secret at once.'
                : 'The secret made last, not activated yet, is replaced by the new one.'}
            </Text>
          )}
        </FormBody>
      </Dialog>
      <SecretOnce
        opened={secret !== null}
        title="The new signing secret"
        secret={secret ?? ''}
        what="secret"
        onClose={() => setSecret(null)}
      >
        <Text size="sm" c="dimmed">
          Give it to the receiver now, then activate it on this page.
        </Text>
      </SecretOnce>
    </>
  )
}
