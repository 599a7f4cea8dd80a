// How actions stand in a list and in a file, and the orders the server gives them in.
import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Action } from '../generated/api.ts'
import type { CsvColumns } from '../ui/csv-button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { straight } from '../ui/sentence.ts'
import { StatusMark } from '../ui/status-mark.tsx'
import type { Names } from '../ui/use-names.ts'
import { AddressUnder, Who, WhoLink } from '../ui/who.tsx'
import { STATUSES, sayAction } from './action-words.ts'
import type { Policy } from './policy.ts'
import '../ui/layout.css'

export const ACTION_SORTS = ['created_at', 'type', 'status', 'email'] as const

export const ACTION_CSV: CsvColumns<Action> = {
  id: action => action.id,
  created_at: action => action.created_at,
  type: action => action.type,
  status: action => action.status,
  employee_id: action => action.employee_id,
  employee_email: action => action.employee_email,
  policy_id: action => action.policy_id,
  trigger_event: action => action.trigger_event,
  previous_score: action => action.previous_score,
  new_score: action => action.new_score,
  requested_by: action => action.requested_by,
  decided_by: action => action.decided_by,
  triggered_at: action => action.triggered_at,
  finished_at: action => action.finished_at,
  note: action => action.note,
  outcome: action => action.outcome,
  outcome_note: action => action.outcome_note,
}

/** Only those who know the policies can tell that one is gone. */
export function sayWhy(action: Action, policies: readonly Policy[] | undefined): string {
  if (action.policy_id === null) return 'Asked for by hand'
  if (policies === undefined) return 'Set off by a policy'
  return policies.find(one => one.id === action.policy_id)?.name ?? 'A policy since removed'
}

const STATUS: Column<Action> = {
  key: 'status',
  title: 'Status',
  sort: 'status',
  render: ({ status }) => (
    <StatusMark tone={STATUSES[status].tone}>{STATUSES[status].words}</StatusMark>
  ),
}

export function listColumns(
  policies: readonly Policy[] | undefined,
  names: Names,
  open: (action: Action) => void,
): Column<Action>[] {
  return [
    {
      key: 'what',
      title: 'What',
      lines: 2,
      sort: 'type',
      render: action => (
        <>
          <button type="button" className="link-button strong" onClick={() => open(action)}>
            {sayAction(action)}
          </button>
          <Text size="xs" hiddenFrom="sm" className="break-anywhere">
            <Who of={action} names={names} />
          </Text>
          <Text size="xs" c="dimmed">
            {sayWhy(action, policies)}
          </Text>
        </>
      ),
    },
    {
      key: 'who',
      title: 'For',
      sort: 'email',
      wide: true,
      render: action => (
        <>
          <WhoLink of={action} names={names} />
          <AddressUnder of={action} names={names} />
        </>
      ),
    },
    STATUS,
    {
      key: 'when',
      title: 'When',
      sort: 'created_at',
      align: 'right',
      wide: true,
      render: ({ created_at }) => <RelativeTime at={created_at} />,
    },
  ]
}

/** Whom they are about is said above the list. */
export const OWN_ACTION_COLUMNS: readonly Column<Action>[] = [
  {
    key: 'what',
    title: 'What',
    lines: 2,
    sort: 'type',
    render: action => (
      <>
        <Link to="/actions" search={{ open: action.id }} className="plain-link strong">
          {sayAction(action)}
        </Link>
        <div className="under">{straight(action.note) || action.trigger_event}</div>
      </>
    ),
  },
  STATUS,
  {
    key: 'when',
    title: 'When',
    sort: 'created_at',
    align: 'right',
    render: action => <RelativeTime at={action.created_at} />,
  },
]
