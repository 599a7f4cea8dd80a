// SQL of the demo: statistics for the planner, which otherwise plans for the empty tables it first saw.
import type { Tx } from '../platform/database.ts'

export async function refreshStatistics(tx: Tx): Promise<void> {
  await tx`ANALYZE employees, employee_states, rules, events, shares, score_history, score_counts, event_counts`
}
