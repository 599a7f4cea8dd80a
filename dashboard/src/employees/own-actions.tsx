// What was done about one person.
import { useNavigate } from '@tanstack/react-router'
import { ACTION_CSV, ACTION_SORTS, OWN_ACTION_COLUMNS } from '../actions/action-columns.tsx'
import { pageOf, useAddress } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { useRead } from '../app/query-client.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { useOrder } from '../ui/list-order.ts'
import { PagedTable } from '../ui/paged-table.tsx'

export function OwnActions({ id }: { id: string }) {
  const [address, change] = useAddress()
  const navigate = useNavigate()
  const order = useOrder(ACTION_SORTS, 'created_at')
  const query = { ...order.query, employee_id: id }
  const actions = useRead(
    'GET /v1/actions',
    { query: { ...query, page: pageOf(address), per_page: 10 } },
    { placeholderData: before => before },
  )
  return (
    <KeptList read={actions}>
      <PagedTable
        label="Actions about this person"
        columns={OWN_ACTION_COLUMNS}
        list={actions.data}
        rowKey={action => action.id}
        onOpen={action => navigate({ to: '/actions', search: { open: action.id } })}
        {...order.table}
        loadingRows={4}
        empty={
          <EmptyState bare icon="actions" title="No actions yet">
            What policies set off and people ask for about this person appears here.
          </EmptyState>
        }
        onPage={page => change({ page })}
        what={['action', 'actions']}
        csv={{
          name: 'actions-of-person',
          columns: ACTION_CSV,
          read: at => call('GET /v1/actions', { query: { ...query, ...at } }),
        }}
      />
    </KeptList>
  )
}
