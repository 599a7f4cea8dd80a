// How often one is told by mail what happened.
import { SegmentedControl, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { type CallError, callAdmin } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Card } from '../ui/page.tsx'
import { useWork } from '../ui/use-work.ts'

export type Digest = { frequency: 'off' | 'daily' | 'weekly'; can_mail: boolean }

const DONE = {
  off: 'No more digests by mail',
  daily: 'A digest comes every day',
  weekly: 'A digest comes every week',
}

export function DigestCard({ digest }: { digest: UseQueryResult<Digest, CallError> }) {
  return (
    <Card title="Digest by mail" about="What you have not read in the bell">
      {digest.error && <ErrorNote error={digest.error} retry={() => digest.refetch()} />}
      {digest.data && <DigestChoice digest={digest.data} />}
    </Card>
  )
}

function DigestChoice({ digest: { frequency, can_mail } }: { digest: Digest }) {
  const [busy, run] = useWork()
  const choose = (next: Digest['frequency']) =>
    run(async () => {
      await callAdmin('PUT', '/admin/notifications/digest', { frequency: next })
      await refresh('/admin/notifications/digest')
    }, DONE[next])
  return (
    <>
      <div>
        <SegmentedControl
          aria-label="Digest by mail"
          disabled={busy}
          value={frequency}
          onChange={value => choose(value as Digest['frequency'])}
          data={[
            { value: 'off', label: 'Off' },
            { value: 'daily', label: 'Daily' },
            { value: 'weekly', label: 'Weekly' },
          ]}
          transitionDuration={100}
        />
      </div>
      {!can_mail && (
        <Text size="sm" c="dimmed" mt="xs">
          Mail is not set up on this installation; the choice holds once it is.
        </Text>
      )}
    </>
  )
}
