// SQL of what each rule has done lately.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'

export type RuleActivity = { rule_id: string; fired: number; people: number; effect: number }

/** Only what still counts: a retracted event's firing does not. */
export async function listRuleActivity(
  tx: Tx,
  tenant_id: string,
  from: Instant,
): Promise<RuleActivity[]> {
  return tx<RuleActivity[]>`
    SELECT s.rule_id, count(*)::bigint AS fired, count(DISTINCT s.employee_id)::bigint AS people,
      sum(s.impact)::bigint AS effect
    FROM events e
    JOIN shares s ON s.tenant_id = e.tenant_id AND s.tenant_id = ${tenant_id} AND s.employee_id = e.employee_id
      AND s.rule_id = ANY(e.rules_matched) AND s.timestamp = e.timestamp AND s.event_id = e.event_id
    WHERE e.tenant_id = ${tenant_id} AND e.timestamp >= ${new Date(from)} AND s.to_version IS NULL
    GROUP BY s.rule_id ORDER BY s.rule_id`
}
