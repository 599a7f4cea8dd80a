// Everything policies set off and people asked for, newest first.
import { Button, Paper } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type Address, oneOf, pageOf, useAddress } from '../app/address.ts'
import { call } from '../app/call-api.ts'
import { useRead } from '../app/query-client.ts'
import { useMay } from '../app/session.ts'
import type { Action } from '../generated/api.ts'
import { ChoiceFilter } from '../ui/choice-filter.tsx'
import { DateFilters } from '../ui/date-field.tsx'
import { isDate } from '../ui/dates.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { KeptList } from '../ui/kept-list.tsx'
import { useOrder } from '../ui/list-order.ts'
import { NothingFits } from '../ui/nothing-fits.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import { useNames } from '../ui/use-names.ts'
import { ACTION_CSV, ACTION_SORTS, listColumns } from './action-columns.tsx'
import { STATUS_NAMES, STATUSES, TYPE_NAMES, TYPES } from './action-words.ts'
import type { Policy } from './policy.ts'
import '../ui/layout.css'

type Props = { policies: readonly Policy[] | undefined }

export function HistoryTab({ policies }: Props) {
  const [address, change] = useAddress()
  const order = useOrder(ACTION_SORTS, 'created_at')
  const query = {
    ...order.query,
    status: oneOf(address.status, STATUS_NAMES),
    type: oneOf(address.type, TYPE_NAMES),
    employee_id: address.employee_id,
    from: isDate(address.from) ? address.from : undefined,
    to: isDate(address.to) ? address.to : undefined,
  }
  const actions = useRead(
    'GET /v1/actions',
    { query: { ...query, page: pageOf(address) } },
    { placeholderData: before => before, refetchInterval: 15_000 },
  )
  const names = useNames((actions.data?.data ?? []).map(one => one.employee_id))
  const open = (action: Action) => change({ open: action.id, page: address.page })
  return (
    <>
      <HistoryFilters />
      <KeptList read={actions}>
        <Paper p={0} mt="md">
          <PagedTable
            label="Actions"
            columns={listColumns(policies, names, open)}
            list={actions.data}
            rowKey={action => action.id}
            onOpen={open}
            {...order.table}
            empty={<NoActions address={address} />}
            onPage={page => change({ page })}
            what={['action', 'actions']}
            csv={{
              name: 'actions',
              columns: ACTION_CSV,
              read: at => call('GET /v1/actions', { query: { ...query, ...at } }),
            }}
          />
        </Paper>
      </KeptList>
    </>
  )
}

function NoActions({ address }: { address: Address }) {
  const mayManage = useMay('actions:manage')
  const filtered = ['status', 'type', 'employee_id', 'from', 'to'].some(name => address[name])
  if (filtered) {
    return (
      <NothingFits title="No action fits" all={{ to: '/actions', label: 'Show all actions' }}>
        Try fewer filters or a longer time.
      </NothingFits>
    )
  }
  return (
    <EmptyState
      bare
      icon="actions"
      title="Nothing was set off"
      action={
        mayManage && (
          <Button
            variant="default"
            renderRoot={props => <Link {...props} to="/actions" search={{ tab: 'policies' }} />}
          >
            To the policies
          </Button>
        )
      }
    >
      {mayManage
        ? 'Switch a policy on, and what it does about people at risk appears here.'
        : 'What policies do about people at risk appears here, once an owner or admin switches one on.'}
    </EmptyState>
  )
}

function HistoryFilters() {
  return (
    <div className="filters">
      <ChoiceFilter
        name="status"
        label="Status"
        placeholder="Any status"
        data={STATUS_NAMES.map(value => ({ value, label: STATUSES[value].words }))}
      />
      <ChoiceFilter
        name="type"
        label="Type"
        placeholder="Any type"
        data={TYPE_NAMES.map(value => ({ value, label: TYPES[value].label }))}
      />
      <DateFilters />
    </div>
  )
}
