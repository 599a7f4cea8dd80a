// SQL of the demo: statistics for the planner, and the actions its story has set off.
import type { ActionType } from '../actions/action-types.ts'
import type { Tx } from '../platform/database.ts'

/** Otherwise everything is planned for the empty tables of the beginning. */
export async function refreshStatistics(tx: Tx): Promise<void> {
  await tx`ANALYZE employees, employee_states, rules, events, shares, score_history, score_counts, event_counts,
    score_count_entries, event_count_entries`
}

export type SetOff = { id: string; type: ActionType; occurred_at: Date }

/** The story is told, so these are few. */
export async function listSetOff(tx: Tx, tenant_id: string): Promise<SetOff[]> {
  return tx<SetOff[]>`SELECT action_id AS id, type, occurred_at FROM actions
    WHERE tenant_id = ${tenant_id} ORDER BY occurred_at, action_id LIMIT 1000`
}

/** Whoever has the lowest score. */
export async function findWeakest(tx: Tx, tenant_id: string): Promise<string> {
  const [row] = await tx<{ employee_id: string }[]>`SELECT employee_id FROM employee_states
    WHERE tenant_id = ${tenant_id} ORDER BY score, employee_id LIMIT 1`
  return row!.employee_id
}
