// SQL of what each rule has done lately.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'

export type RuleActivity = { rule_id: string; fired: number; people: number; effect: number }

/**
 * Only what still counts: a retracted event's firing does not. Rule by rule, along the index of firings: together they
 * would be looked for among all that the tenant ever had. Of each only the latest `most`: a busy rule has millions.
 */
export async function listRuleActivity(
  tx: Tx,
  tenant_id: string,
  from: Instant,
  most: number,
): Promise<RuleActivity[]> {
  return tx<RuleActivity[]>`
    SELECT r.rule_id, f.fired, f.people, f.effect FROM rules r
    CROSS JOIN LATERAL (SELECT count(*) AS fired, count(DISTINCT l.employee_id) AS people,
      sum(l.impact)::bigint AS effect
      FROM (SELECT s.employee_id, s.impact FROM shares s
        WHERE s.tenant_id = ${tenant_id} AND s.rule_id = r.rule_id AND s.timestamp >= ${new Date(from)}
          AND s.to_version IS NULL AND NOT s.folded
        ORDER BY s.timestamp DESC LIMIT ${most}) l) f
    WHERE r.tenant_id = ${tenant_id} AND f.fired > 0 ORDER BY r.rule_id`
}
