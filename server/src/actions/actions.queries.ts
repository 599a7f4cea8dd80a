// SQL of actions: what a change writes, and the row that every later step holds.
import type { Band } from '../../../scoring/settings.ts'
import type { Tx } from '../platform/database.ts'
import type { Write } from '../platform/write-together.ts'
import type { ActionStatus, ActionType } from './action-types.ts'

export type ActionRow = {
  id: string
  /** '' for one that somebody asked for. */
  policy_id: string
  employee_id: string
  employee_email: string
  type: ActionType
  status: ActionStatus
  parameters: Record<string, unknown>
  transition: string
  reason: string
  trigger_event: string
  event_id: string | null
  previous_score: number | null
  new_score: number | null
  previous_band: Band | null
  new_band: Band | null
  note: string
  outcome: string
  outcome_note: string
  requested_by: string
  decided_by: string | null
  finished_by: string | null
  occurred_at: Date
  created_at: Date
  triggered_at: Date | null
  finished_at: Date | null
  expires_at: Date | null
  attempts: number
  next_attempt_at: Date | null
}

export function insertActions(tx: Tx, tenant_id: string, rows: readonly ActionRow[]): Write | null {
  if (rows.length === 0) return null
  const column = <T>(read: (row: ActionRow) => T): T[] => rows.map(read)
  return tx`INSERT INTO actions AS x (tenant_id, action_id, policy_id, employee_id, type, status, parameters,
      transition, reason, trigger_event, event_id, previous_score, new_score, previous_band, new_band, note,
      outcome, outcome_note, requested_by, occurred_at, created_at, triggered_at, expires_at, attempts,
      next_attempt_at)
    SELECT tn.tenant_id, u.action_id, u.policy_id, u.employee_id, u.type, u.status, u.parameters::jsonb,
      u.transition, u.reason, u.trigger_event, u.event_id, u.previous_score, u.new_score, u.previous_band,
      u.new_band, u.note, '', '', u.requested_by, u.occurred_at, u.created_at, u.triggered_at, u.expires_at, 0,
      u.next_attempt_at
    FROM tenants tn, (SELECT unnest(${column(r => r.id)}::text[]) AS action_id,
      unnest(${column(r => r.policy_id)}::text[]) AS policy_id,
      unnest(${column(r => r.employee_id)}::text[]) AS employee_id,
      unnest(${column(r => r.type)}::text[]) AS type, unnest(${column(r => r.status)}::text[]) AS status,
      unnest(${column(r => JSON.stringify(r.parameters))}::text[]) AS parameters,
      unnest(${column(r => r.transition)}::text[]) AS transition,
      unnest(${column(r => r.reason)}::text[]) AS reason,
      unnest(${column(r => r.trigger_event)}::text[]) AS trigger_event,
      unnest(${column(r => r.event_id)}::text[]) AS event_id,
      unnest(${column(r => r.previous_score)}::smallint[]) AS previous_score,
      unnest(${column(r => r.new_score)}::smallint[]) AS new_score,
      unnest(${column(r => r.previous_band)}::text[]) AS previous_band,
      unnest(${column(r => r.new_band)}::text[]) AS new_band, unnest(${column(r => r.note)}::text[]) AS note,
      unnest(${column(r => r.requested_by)}::text[]) AS requested_by,
      unnest(${column(r => r.occurred_at)}::timestamptz[]) AS occurred_at,
      unnest(${column(r => r.created_at)}::timestamptz[]) AS created_at,
      unnest(${column(r => r.triggered_at)}::timestamptz[]) AS triggered_at,
      unnest(${column(r => r.expires_at)}::timestamptz[]) AS expires_at,
      unnest(${column(r => r.next_attempt_at)}::timestamptz[]) AS next_attempt_at) AS u
    WHERE tn.tenant_id = ${tenant_id}`
}

export type Transition = { policy_id: string; employee_id: string; transition: string }

/** When each was last acted on; absent where never. Invariant: the caller holds the employees' locks. */
export async function lastActed(tx: Tx, tenant_id: string, asked: readonly Transition[]) {
  if (asked.length === 0) return []
  return tx<(Transition & { occurred_at: Date })[]>`
    SELECT u.policy_id, u.employee_id, u.transition, l.occurred_at
    FROM (SELECT unnest(${asked.map(a => a.policy_id)}::text[]) AS policy_id,
      unnest(${asked.map(a => a.employee_id)}::text[]) AS employee_id,
      unnest(${asked.map(a => a.transition)}::text[]) AS transition) AS u
    CROSS JOIN LATERAL (SELECT a.occurred_at FROM actions a
      WHERE a.tenant_id = ${tenant_id} AND a.policy_id = u.policy_id AND a.employee_id = u.employee_id
        AND a.transition = u.transition ORDER BY a.occurred_at DESC LIMIT 1) l`
}

export function columns(tx: Tx) {
  return tx`a.action_id AS id, a.policy_id, a.employee_id, e.email AS employee_email, a.type, a.status,
    a.parameters, a.transition, a.reason, a.trigger_event, a.event_id, a.previous_score, a.new_score,
    a.previous_band, a.new_band, a.note, a.outcome, a.outcome_note, a.requested_by, a.decided_by, a.finished_by,
    a.occurred_at, a.created_at, a.triggered_at, a.finished_at, a.expires_at, a.attempts, a.next_attempt_at`
}

export async function findAction(tx: Tx, tenant_id: string, action_id: string) {
  const [row] = await tx<ActionRow[]>`
    SELECT ${columns(tx)}
    FROM actions a JOIN employees e ON e.tenant_id = a.tenant_id AND e.employee_id = a.employee_id
    WHERE a.tenant_id = ${tenant_id} AND e.tenant_id = ${tenant_id} AND a.action_id = ${action_id}`
  return row
}

/** Invariant: the lock of the employee is taken before that of the action. */
export async function lockAction(tx: Tx, tenant_id: string, action_id: string) {
  const [row] = await tx<ActionRow[]>`
    SELECT ${columns(tx)}
    FROM actions a JOIN employees e ON e.tenant_id = a.tenant_id AND e.employee_id = a.employee_id
    WHERE a.tenant_id = ${tenant_id} AND e.tenant_id = ${tenant_id} AND a.action_id = ${action_id}
    FOR UPDATE OF a`
  return row
}

/** Invariant: the caller holds the row. A claim on its mail ends with any change. */
export async function updateAction(tx: Tx, tenant_id: string, row: ActionRow): Promise<void> {
  await tx`UPDATE actions SET status = ${row.status}, outcome = ${row.outcome},
      outcome_note = ${row.outcome_note}, decided_by = ${row.decided_by}, finished_by = ${row.finished_by},
      triggered_at = ${row.triggered_at}, finished_at = ${row.finished_at}, expires_at = ${row.expires_at},
      attempts = ${row.attempts}, next_attempt_at = ${row.next_attempt_at}, lease_until = NULL, fence = NULL
    WHERE tenant_id = ${tenant_id} AND action_id = ${row.id}`
}
