// While a secret is being rotated: which one signs what until when, and the step to the new one.
import { Alert, Button, Group, Text } from '@mantine/core'
import { call } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import type { Webhook } from '../generated/api.ts'
import { Icon } from '../ui/icons.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { useWork } from '../ui/use-work.ts'

export function RotationNote({ webhook }: { webhook: Webhook }) {
  const { id, rotation_ends_at, new_secret_activated } = webhook
  const mayWrite = useMay('webhooks:write')
  const [busy, run] = useWork()
  if (rotation_ends_at === null) return null
  const activate = async () => {
    await call('POST /v1/webhooks/{id}/activate-secret', { params: { id } })
    refresh('/v1/webhooks')
  }
  const title = new_secret_activated ? 'The new secret is active' : 'Two secrets are valid'
  return (
    <Alert variant="light" color="indigo" radius="lg" icon={<Icon name="keys" />} title={title}>
      <Text size="sm">
        <code>X-Service-Signature</code> is made with the {new_secret_activated ? 'new' : 'old'}{' '}
        secret, <code>webhook-signature</code> carries both. The old one ends{' '}
        <RelativeTime at={rotation_ends_at} />.
      </Text>
      {!new_secret_activated && mayWrite && (
        <Group gap="sm" mt="xs">
          <Button
            size="compact-sm"
            loading={busy}
            onClick={() => run(activate, 'X-Service-Signature is made with the new secret now')}
          >
            Activate the new secret
          </Button>
          <Text size="xs" c="dimmed">
            Once the receiver knows it
          </Text>
        </Group>
      )}
    </Alert>
  )
}
