// Where one is logged in, and ending what one does not know.
import { Button, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { type CallError, callAdmin } from '../app/call-api.ts'
import { refresh } from '../app/query-client.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Card } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { useWork } from '../ui/use-work.ts'
import { sayDevice } from './device.ts'
import './accounts.css'

export type OwnSession = {
  id: string
  current: boolean
  address: string
  device: string
  created_at: string
  last_seen_at: string
}

type Props = { sessions: UseQueryResult<{ data: OwnSession[] }, CallError> }

export function SessionsCard({ sessions }: Props) {
  const [busy, run] = useWork()
  const all = sessions.data?.data
  const others = all?.filter(one => !one.current).length ?? 0
  const endOthers = async () => {
    await callAdmin('DELETE', '/session/sessions')
    await refresh('/session/sessions')
  }
  return (
    <Card
      title="Sessions"
      about="Where you are logged in"
      action={
        others > 0 && (
          <Button
            size="compact-sm"
            variant="default"
            loading={busy}
            onClick={() => run(endOthers, 'All other sessions have ended')}
          >
            End all others
          </Button>
        )
      }
    >
      {sessions.error && <ErrorNote error={sessions.error} retry={() => sessions.refetch()} />}
      <ul className="line-list">
        {all?.map(one => (
          <SessionLine key={one.id} session={one} />
        ))}
      </ul>
    </Card>
  )
}

function SessionLine({ session }: { session: OwnSession }) {
  const [busy, run] = useWork()
  const end = async () => {
    await callAdmin('DELETE', `/session/sessions/${session.id}`)
    await refresh('/session/sessions')
  }
  const device = sayDevice(session.device)
  return (
    <li>
      <div>
        <Text size="sm" fw={550} title={session.device}>
          {device} {session.current && <span className="tag">this one</span>}
        </Text>
        <Text size="sm" c="dimmed">
          {session.address} · seen <RelativeTime at={session.last_seen_at} />
        </Text>
      </div>
      {!session.current && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          loading={busy}
          aria-label={`End the session in ${device}`}
          onClick={() => run(end, `The session in ${device} has ended`)}
        >
          End
        </Button>
      )}
    </li>
  )
}
