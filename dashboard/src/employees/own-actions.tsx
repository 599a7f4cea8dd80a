// What was done about one person.
import { Link, useNavigate } from '@tanstack/react-router'
import { STATUSES, sayAction } from '../actions/action-words.ts'
import { pageOf, useAddress } from '../app/address.ts'
import { useRead } from '../app/query-client.ts'
import type { Action } from '../generated/api.ts'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Pager } from '../ui/pager.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { StatusMark } from '../ui/status-mark.tsx'

const COLUMNS: readonly Column<Action>[] = [
  {
    key: 'what',
    title: 'What',
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
    render: ({ status }) => (
      <StatusMark tone={STATUSES[status].tone}>{STATUSES[status].words}</StatusMark>
    ),
  },
  {
    key: 'when',
    title: 'When',
    align: 'right',
    render: action => <RelativeTime at={action.created_at} />,
  },
]

export function OwnActions({ id }: { id: string }) {
  const [address, change] = useAddress()
  const navigate = useNavigate()
  const actions = useRead('GET /v1/actions', {
    query: { employee_id: id, page: pageOf(address), per_page: 10 },
  })
  if (actions.error) return <ErrorNote error={actions.error} retry={() => actions.refetch()} />
  return (
    <>
      <DataTable
        label="Actions about this person"
        columns={COLUMNS}
        rows={actions.data?.data}
        rowKey={action => action.id}
        onOpen={action => navigate({ to: '/actions', search: { open: action.id } })}
        loadingRows={4}
        empty={
          <EmptyState bare icon="actions" title="No actions yet">
            What policies set off and people ask for about this person appears here.
          </EmptyState>
        }
      />
      <Pager
        pagination={actions.data?.pagination}
        onPage={page => change({ page })}
        what="actions"
      />
    </>
  )
}
