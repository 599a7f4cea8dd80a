// The events of one person, newest first.
import { useNavigate } from '@tanstack/react-router'
import { pageOf, useAddress } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { useRead } from '../app/query-client.ts'
import { EVENT_CSV, EVENT_SORTS, OWN_EVENT_COLUMNS } from '../events/event-columns.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { useOrder } from '../ui/list-order.ts'
import { PagedTable } from '../ui/paged-table.tsx'

export function OwnEvents({ id }: { id: string }) {
  const [address, change] = useAddress()
  const navigate = useNavigate()
  const order = useOrder(EVENT_SORTS, 'timestamp')
  const events = useRead(
    'GET /v1/employees/{id}/events',
    { params: { id }, query: { ...order.query, page: pageOf(address), per_page: 10 } },
    { placeholderData: before => before },
  )
  return (
    <KeptList read={events}>
      <PagedTable
        label="Events of this person"
        columns={OWN_EVENT_COLUMNS}
        list={events.data}
        rowKey={event => event.id}
        onOpen={event => navigate({ to: '/events/$id', params: { id: event.id } })}
        {...order.table}
        loadingRows={5}
        empty={
          <EmptyState bare icon="events" title="No events yet">
            Nothing has moved this score so far.
          </EmptyState>
        }
        onPage={page => change({ page })}
        what={['event', 'events']}
        csv={{
          name: 'events-of-person',
          columns: EVENT_CSV,
          read: at =>
            call('GET /v1/employees/{id}/events', {
              params: { id },
              query: { ...order.query, ...at },
            }),
        }}
      />
    </KeptList>
  )
}
