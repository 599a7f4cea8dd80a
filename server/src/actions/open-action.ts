// An action as it begins, and what is told of it. Pure but for its id.
import type { Instant } from '../platform/clock.ts'
import { newId } from '../platform/ids.ts'
import type { Message } from '../webhooks/announce.ts'
import { ACTION_TYPES, EXPIRY_MS } from './action-types.ts'
import type { ActionRow } from './actions.queries.ts'

type Beginning = Pick<
  ActionRow,
  | 'policy_id'
  | 'employee_id'
  | 'employee_email'
  | 'type'
  | 'parameters'
  | 'transition'
  | 'reason'
  | 'trigger_event'
  | 'event_id'
  | 'previous_score'
  | 'new_score'
  | 'previous_band'
  | 'new_band'
  | 'note'
  | 'requested_by'
  | 'occurred_at'
>

/** Invariant: the id is of the instant of creation, by which lists are sorted and cut. */
export function openAction(now: Instant, waits: boolean, beginning: Beginning): ActionRow {
  const status = waits ? 'awaiting_approval' : 'triggered'
  const action: ActionRow = {
    id: newId('act', now),
    ...beginning,
    status,
    outcome: '',
    outcome_note: '',
    decided_by: null,
    finished_by: null,
    finished_at: null,
    created_at: new Date(now),
    triggered_at: null,
    attempts: 0,
    next_attempt_at: null,
    expires_at: new Date(now + EXPIRY_MS[status]),
  }
  return waits ? action : triggerAction(action, now)
}

/** From here on it is to be carried out: by our own mail, or by whoever hears of it. */
export function triggerAction(action: ActionRow, now: Instant): ActionRow {
  const at = new Date(now)
  return {
    ...action,
    status: 'triggered',
    triggered_at: at,
    expires_at: new Date(now + EXPIRY_MS.triggered),
    next_attempt_at: ACTION_TYPES[action.type].mail ? at : null,
  }
}

/** The Action of the API. */
export function actionView(row: ActionRow) {
  const { id, type, status, employee_id, employee_email, policy_id, parameters, reason } = row
  const { trigger_event, event_id, previous_score, new_score, previous_band, new_band } = row
  const { note, outcome, outcome_note, requested_by, decided_by, finished_by, attempts } = row
  const { created_at, triggered_at, finished_at, expires_at } = row
  return {
    id,
    type,
    status,
    employee_id,
    employee_email,
    policy_id: policy_id === '' ? null : policy_id,
    parameters,
    reason,
    trigger_event,
    event_id,
    previous_score,
    new_score,
    previous_band,
    new_band,
    note,
    outcome,
    outcome_note,
    requested_by,
    decided_by,
    finished_by,
    attempts,
    created_at,
    triggered_at,
    finished_at,
    expires_at,
  }
}

/** Told when it is to be carried out and when it has been; what waits, fails or ends otherwise is not. */
export function describeAction(row: ActionRow, at: Instant): Message[] {
  const { employee_id } = row
  const data = () => actionView(row)
  if (row.status === 'triggered') return [{ kind: 'action.triggered', at, employee_id, data }]
  if (row.status === 'completed') return [{ kind: 'action.completed', at, employee_id, data }]
  return []
}
