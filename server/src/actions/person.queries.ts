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

/** What an erased person's action says of its end, and all that is left of what was said of it. */
export const ERASED_OUTCOME = 'the person was erased'

/** Some of what is still open, which cannot be carried out any more; how many there were. */
export async function endOpenActions(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  now: Date,
  limit: number,
): Promise<number> {
  const open = await tx<{ action_id: string }[]>`
    SELECT action_id FROM actions
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id} AND expires_at IS NOT NULL
    ORDER BY action_id LIMIT ${limit} FOR UPDATE`
  await tx`UPDATE actions SET outcome = ${ERASED_OUTCOME}, finished_at = ${now}, expires_at = NULL,
      status = CASE WHEN status = 'triggered' THEN 'failed' ELSE 'rejected' END,
      next_attempt_at = NULL, lease_until = NULL, fence = NULL
    WHERE tenant_id = ${tenant_id} AND action_id = ANY(${open.map(row => row.action_id)}::text[])`
  return open.length
}
