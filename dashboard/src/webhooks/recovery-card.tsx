// How far a recovery has come; its id stands in the address, so that one may leave and come back.
import { CloseButton, Group, Paper, Progress, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useAddress } from '../app/address.ts'
import { refresh, useRead } from '../app/query-client.ts'
import type { Webhook, WebhookRecovery } from '../generated/api.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { isOpen, whileOpen } from '../ui/job-progress.tsx'
import { count, plural } from '../ui/numbers.ts'
import { RelativeTime } from '../ui/relative-time.tsx'

export function RecoveryCard({ webhook: { id } }: { webhook: Webhook }) {
  const [address, change] = useAddress()
  const recovery_id = address.recovery
  const recovery = useRead(
    'GET /v1/webhooks/{id}/recover/{recovery_id}',
    { params: { id, recovery_id: recovery_id ?? '' } },
    {
      enabled: recovery_id !== undefined,
      refetchInterval: ({ state }) => whileOpen(state.data?.status),
    },
  )
  const { data, error } = recovery
  const ended = data !== undefined && !isOpen(data.status)
  useEffect(() => {
    if (ended) refresh('/deliveries')
  }, [ended])
  if (recovery_id === undefined) return null
  const dismiss = () => change({ recovery: undefined }, true)
  if (error) return <ErrorNote error={error} retry={() => recovery.refetch()} />
  const share = data && data.total > 0 ? (data.processed / data.total) * 100 : ended ? 100 : 0
  return (
    <Paper aria-live="polite">
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Text fw={550}>{data ? sayRecovery(data) : 'Recovery'}</Text>
        {ended && <CloseButton aria-label="Dismiss" onClick={dismiss} />}
      </Group>
      <Progress
        value={share}
        animated={!ended}
        color={data?.status === 'failed' ? 'red' : 'indigo'}
        aria-label="Recovery"
      />
      <Text size="sm" c="dimmed" mt="xs" className="number">
        {data && `${count(data.processed)} of ${plural(data.total, 'message')}`} since{' '}
        <RelativeTime at={data?.since ?? null} never="…" />
      </Text>
    </Paper>
  )
}

function sayRecovery({ status, total, error }: WebhookRecovery): string {
  if (status === 'failed') return `The recovery failed: ${error}`
  if (status !== 'completed') return 'Sending again what was missed'
  return total === 0 ? 'Nothing was missed since then' : 'Everything missed is queued again'
}
