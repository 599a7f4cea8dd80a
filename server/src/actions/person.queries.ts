// SQL of a person's rights in this slice: what was done about somebody, and taking the words off it.
import type { Tx } from '../platform/database.ts'

export async function exportActions(tx: Tx, tenant_id: string, action_ids: string[]) {
  return tx`
    SELECT action_id AS id, policy_id, type, status, parameters, reason, trigger_event, event_id, previous_score,
      new_score, previous_band, new_band, note, outcome, outcome_note, requested_by, decided_by, finished_by,
      created_at, triggered_at, finished_at, expires_at
    FROM actions WHERE tenant_id = ${tenant_id} AND action_id = ANY(${action_ids}::text[]) ORDER BY action_id`
}

export async function listActionIds(tx: Tx, tenant_id: string, employee_id: string) {
  const rows = await tx<{ action_id: string }[]>`
    SELECT action_id FROM actions WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}
    ORDER BY action_id`
  return rows.map(row => row.action_id)
}

/** Invariant: the caller holds the employee's lock. What is still open cannot be carried out any more. */
export async function eraseActions(tx: Tx, tenant_id: string, employee_id: string, now: Date) {
  await tx`UPDATE actions SET parameters = '{}'::jsonb, note = '', outcome = '', outcome_note = ''
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}`
  await tx`UPDATE actions SET outcome = 'the person was erased', finished_at = ${now}, expires_at = NULL,
      status = CASE WHEN status = 'triggered' THEN 'failed' ELSE 'rejected' END,
      next_attempt_at = NULL, lease_until = NULL, fence = NULL
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id} AND expires_at IS NOT NULL`
}
