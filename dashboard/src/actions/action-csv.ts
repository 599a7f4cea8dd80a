// Actions as lines of a file, and the orders the server gives them in.
import type { Action } from '../generated/api.ts'
import type { CsvColumns } from '../ui/csv-button.tsx'

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
