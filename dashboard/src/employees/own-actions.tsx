// What was done about one person.
import { Link, useNavigate } from '@tanstack/react-router'
import { ACTION_CSV, ACTION_SORTS } from '../actions/action-csv.ts'
import { STATUSES, sayAction } from '../actions/action-words.ts'
import { pageOf, useAddress } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { useRead } from '../app/query-client.ts'
import type { Action } from '../generated/api.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useOrder } from '../ui/list-order.ts'
import { PagedTable } from '../ui/paged-table.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { StatusMark } from '../ui/status-mark.tsx'

const COLUMNS: readonly Column<Action>[] = [
  {
    key: 'what',
    title: 'What',
    sort: 'type',
    render: action => (
      <>
        <Link to="/actions" search={{ open: action.id }} className="plain-link strong">
          {sayAction(action)}
        </Link>
        <div className="under">{action.note || action.trigger_event}</div>
      </>
    ),
  },
  {
    key: 'status',
    title: 'Status',
    sort: 'status',
    render: ({ status }) => (
      <StatusMark tone={STATUSES[status].tone}>{STATUSES[status].words}</StatusMark>
    ),
  },
  {
    key: 'when',
    title: 'When',
    sort: 'created_at',
    align: 'right',
    render: action => <RelativeTime at={action.created_at} />,
  },
]

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
  if (actions.error) return <ErrorNote error={actions.error} retry={() => actions.refetch()} />
  return (
    <PagedTable
      label="Actions about this person"
      columns={COLUMNS}
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
    >
      <CsvButton
        size="xs"
        name="actions-of-person"
        columns={ACTION_CSV}
        total={actions.data?.pagination.total}
        keyOf={action => action.id}
        read={at => call('GET /v1/actions', { query: { ...query, ...at } })}
      />
    </PagedTable>
  )
}
