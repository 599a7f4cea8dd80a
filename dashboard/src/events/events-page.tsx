// The explorer of events: what came in, narrowed down by the filters in the address, current as it comes in.
import { Button, Menu, Paper } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { type Address, oneOf, pageOf, useAddress } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { useRead } from '../app/query-client.ts'
import { serviceNow } from '../app/service-clock.ts'
import { useMay } from '../app/session.ts'
import type { Operations, Event as ScoredEvent } from '../generated/api.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icons.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { useOrder } from '../ui/list-order.ts'
import { NothingFits } from '../ui/nothing-fits.tsx'
import { plural } from '../ui/numbers.ts'
import { Page, tellState } from '../ui/page.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import { type Range, readRange } from '../ui/range.ts'
import { RangePicker } from '../ui/range-picker.tsx'
import { useNow } from '../ui/relative-time.tsx'
import { useNames } from '../ui/use-names.ts'
import { EVENT_CSV, EVENT_SORTS, eventColumns } from './event-columns.tsx'
import { EventFilters } from './event-filters.tsx'
import { StatisticsCard } from './statistics-card.tsx'
import { useSomeEvents } from './use-some-events.ts'

type Query = Operations['GET /v1/events']['query']

function readQuery(address: Address, { from, to }: Range): Query {
  return {
    from,
    to,
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
  const order = useOrder(EVENT_SORTS, 'timestamp')
  const query = { ...readQuery(address, range), ...order.query }
  const navigate = useNavigate()
  const events = useRead(
    'GET /v1/events',
    { query },
    { span: range.span, placeholderData: before => before },
  )
  const total = events.data?.pagination.total
  const columns = eventColumns(useNames((events.data?.data ?? []).map(one => one.employee_id)))
  return (
    <Page
      live
      title="Events"
      state={tellState(
        events,
        ({ pagination }) => `${plural(pagination.total, 'event')} ${range.words}`,
      )}
      actions={
        <>
          <RangePicker range={range} />
          <SaveEvents query={query} total={total} />
          <Actions />
        </>
      }
    >
      <StatisticsCard range={range} />
      <EventFilters range={range} />
      <KeptList read={events}>
        <Paper p={0}>
          <PagedTable
            label="Events"
            columns={
              total === undefined || total <= MOST_BY_IMPACT ? columns : columns.map(unlessByImpact)
            }
            list={events.data}
            rowKey={event => event.id}
            onOpen={event => navigate({ to: '/events/$id', params: { id: event.id } })}
            {...order.table}
            loadingRows={10}
            empty={<NoEvents address={address} />}
            onPage={page => change({ page })}
            what={['event', 'events']}
          />
        </Paper>
      </KeptList>
    </Page>
  )
}

/** Beyond it the server sorts by what it has an index for only. */
const MOST_BY_IMPACT = 100_000
const unlessByImpact = ({ sort, ...column }: Column<ScoredEvent>): Column<ScoredEvent> =>
  sort === undefined || sort === 'impact' ? column : { ...column, sort }

/** What comes in after the press is left out, so that the pages do not shift under the export. */
function SaveEvents({ query, total }: { query: Query; total: number | undefined }) {
  const to = useRef<string>(undefined)
  return (
    <CsvButton
      name="events"
      columns={EVENT_CSV}
      total={total}
      keyOf={event => event.id}
      read={at => {
        if (at.page === 1) to.current = query.to ?? new Date(serviceNow()).toISOString()
        return call('GET /v1/events', { query: { ...query, ...at, to: to.current } })
      }}
    />
  )
}

function Actions() {
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
      </Menu.Dropdown>
    </Menu>
  )
}

function NoEvents({ address }: { address: Address }) {
  const some = useSomeEvents()
  const filtered = ['type', 'source', 'employee_id', 'impact'].some(name => address[name])
  if (filtered) {
    return (
      <NothingFits title="No event fits" all={{ to: '/events', label: 'Show all events' }}>
        Try fewer filters or a longer span.
      </NothingFits>
    )
  }
  return (
    <EmptyState
      bare
      icon="events"
      title={some === false ? 'No events yet' : 'No events in this time'}
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
