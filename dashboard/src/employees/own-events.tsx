// The events of one person, newest first.
import { useNavigate } from '@tanstack/react-router'
import { pageOf, useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import { OWN_EVENT_COLUMNS } from '../events/event-columns.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Pager } from '../ui/pager.tsx'

export function OwnEvents({ id }: { id: string }) {
  const [address, change] = useAddress()
  const navigate = useNavigate()
  const events = useRead(
    'GET /v1/employees/{id}/events',
    { params: { id }, query: { page: pageOf(address), per_page: 10 } },
    { placeholderData: before => before },
  )
  if (events.error) return <ErrorNote error={events.error} retry={() => events.refetch()} />
  return (
    <>
      <DataTable
        label="Events of this person"
        columns={OWN_EVENT_COLUMNS}
        rows={events.data?.data}
        rowKey={event => event.id}
        onOpen={event => navigate({ to: '/events/$id', params: { id: event.id } })}
        loadingRows={5}
        empty={
          <EmptyState bare icon="events" title="No events yet">
            Nothing has moved this score so far.
          </EmptyState>
        }
      />
      <Pager pagination={events.data?.pagination} onPage={page => change({ page })} what="events" />
    </>
  )
}
