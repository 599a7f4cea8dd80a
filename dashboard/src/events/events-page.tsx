// The explorer of events: what came in, narrowed down by the filters in the address, current as it comes in.
import { Button, Menu, Paper } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type Address, oneOf, pageOf, useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import type { Event, Operations } from '../generated/api.ts'
import { type Range, readRange } from '../scores/range.ts'
import { printCsv, saveFile } from '../ui/csv.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icons.tsx'
import { plural } from '../ui/numbers.ts'
import { Page } from '../ui/page.tsx'
import { Pager } from '../ui/pager.tsx'
import { RangePicker } from '../ui/range-picker.tsx'
import { useNow } from '../ui/relative-time.tsx'
import { EventFilters } from './event-filters.tsx'
import { EventsTable } from './events-table.tsx'
import { StatisticsCard } from './statistics-card.tsx'

type Query = Operations['GET /v1/events']['query']

function readQuery(address: Address, { from, to }: Range): Query {
  return {
    ...{ from, to },
    type: address.type,
    source: address.source,
    employee_id: address.employee_id,
    impact: oneOf(address.impact, ['positive', 'negative']),
    page: pageOf(address),
  }
}

export function EventsPage() {
  const [address, change] = useAddress()
  const range = readRange(address, useNow())
  const { from, to } = range
  const query = readQuery(address, range)
  const events = useRead('GET /v1/events', { query }, { placeholderData: before => before })
  const total = events.data?.pagination.total
  return (
    <Page
      title="Events"
      state={total === undefined ? undefined : `${plural(total, 'event')} ${range.words}`}
      actions={
        <>
          <RangePicker range={range} />
          <Actions events={events.data?.data ?? []} />
        </>
      }
    >
      <StatisticsCard from={from} to={to} words={range.words} />
      <EventFilters from={from} to={to} />
      {events.error ? (
        <ErrorNote error={events.error} retry={() => events.refetch()} />
      ) : (
        <Paper p={0}>
          <EventsTable events={events.data?.data} empty={<NoEvents address={address} />} />
          <Pager
            pagination={events.data?.pagination}
            onPage={page => change({ page })}
            what="events"
          />
        </Paper>
      )}
    </Page>
  )
}

function Actions({ events }: { events: readonly Event[] }) {
  const [address] = useAddress()
  const mayWrite = useMay('events:write')
  const { type, source, employee_id } = address
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" rightSection={<Icon name="down" size={14} />}>
          More
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component={Link}
          to="/events/unmatched"
          leftSection={<Icon name="person" size={16} />}
        >
          Unmatched events
        </Menu.Item>
        {mayWrite && (
          <Menu.Item
            renderRoot={props => (
              <Link {...props} to="/events/retract" search={{ type, source, employee_id }} />
            )}
            leftSection={<Icon name="close" size={16} />}
          >
            Retract many
          </Menu.Item>
        )}
        <Menu.Item
          onClick={() => exportEvents(events)}
          leftSection={<Icon name="download" size={16} />}
        >
          These {events.length} as CSV
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function exportEvents(events: readonly Event[]): void {
  const head = ['id', 'timestamp', 'type', 'source', 'employee_email', 'impact', 'current_impact']
  const rows = events.map(event => [
    ...[event.id, event.timestamp, event.type, event.source, event.employee_email],
    ...[event.impact, event.current_impact, event.retracted_at, JSON.stringify(event.details)],
  ])
  saveFile('events.csv', printCsv([...head, 'retracted_at', 'details'], rows))
}

function NoEvents({ address }: { address: Address }) {
  const filtered = ['type', 'source', 'employee_id', 'impact'].some(name => address[name])
  if (filtered) {
    return (
      <EmptyState
        bare
        icon="search"
        title="No event fits"
        action={
          <Button component={Link} to="/events" variant="default">
            Show all events
          </Button>
        }
      >
        Try fewer filters or a longer span.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      bare
      icon="events"
      title="No events in this time"
      action={
        <Button component="a" href="/docs" variant="default">
          How to send events
        </Button>
      }
    >
      Integrations send them to the inbound webhook; they show up here within seconds.
    </EmptyState>
  )
}
