// The latest events as they come in: what, about whom, to what effect, and how long ago.
import { Group, Skeleton, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useRead } from '../app/query-client.ts'
import { sayAddress } from '../employees/names.ts'
import { Change } from '../ui/change.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Card } from '../ui/page.tsx'
import type { Range } from '../ui/range.ts'
import { RelativeTime } from '../ui/relative-time.tsx'
import { useNames } from '../ui/use-names.ts'
import { Who } from '../ui/who.tsx'
import './scores.css'

const SHOWN = 9

/** The API has no filter by department, so it says where it shows more than the rest of the page. */
export function LiveFeed({ department, range }: { department: string | undefined; range: Range }) {
  const { name, from, to } = range
  const events = useRead('GET /v1/events', { query: { per_page: SHOWN } })
  const names = useNames((events.data?.data ?? []).map(event => event.employee_id))
  return (
    <Card
      title="Recent events"
      about={department === undefined ? 'As they come in' : 'As they come in, of all departments'}
      action={
        <Group gap="md">
          <Link
            to="/events"
            search={{
              range: name,
              from: to && from,
              to,
              impact: 'negative',
              sort: 'impact',
              order: 'asc',
            }}
            className="small-link"
          >
            Lowered {name === 'own' ? 'in this time' : range.words}
          </Link>
          <Link to="/events" className="small-link">
            All events
          </Link>
        </Group>
      }
    >
      {events.error && <ErrorNote error={events.error} retry={() => events.refetch()} />}
      {events.isPending && <WaitingRows />}
      {events.data?.data.length === 0 && (
        <EmptyState bare icon="events" title="No events yet">
          The first one shows up here within seconds.
        </EmptyState>
      )}
      <Stack gap={0} component="ul" className="plain-list">
        {events.data?.data.map(event => (
          <li key={event.id} className="feed-row">
            <Link to="/events/$id" params={{ id: event.id }} className="plain-link feed-what">
              <code className="event-type" title={event.type}>
                {event.type}
              </code>
              <Text
                size="sm"
                c="dimmed"
                ta="left"
                truncate
                dir="auto"
                title={sayAddress(event.employee_email)}
              >
                <Who of={event} names={names} />
              </Text>
            </Link>
            <span className="feed-effect">
              <Change value={event.impact} />
            </span>
            <Text size="sm" c="dimmed" component="span" className="feed-when">
              <RelativeTime at={event.timestamp} />
            </Text>
          </li>
        ))}
      </Stack>
    </Card>
  )
}

/** As tall as what comes, so that nothing below moves. */
function WaitingRows() {
  return (
    <div aria-hidden="true">
      {Array.from({ length: SHOWN }, (_, i) => (
        <div key={i} className="feed-row feed-waiting">
          <Skeleton h={28} />
        </div>
      ))}
    </div>
  )
}
