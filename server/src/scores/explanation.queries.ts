// SQL of explanations: the row in force at an instant and the shares that counted in it.
import type { HistoryRow } from '../employees/score-history.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'

export type VersionRow = HistoryRow & { version: number }

/** The row in force at an instant: the last one at or before it. */
export async function findRowAt(tx: Tx, tenant_id: string, employee_id: string, at: Instant) {
  const [row] = await tx<VersionRow[]>`
    SELECT version, at, score, band, risk, recovery, status, settings_version, edges_version
    FROM score_history
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id} AND at <= ${new Date(at)}
    ORDER BY version DESC LIMIT 1`
  return row ?? null
}

/** The row that froze the score: the first inactive one after the last active one. */
export async function findFrozenRow(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  version: number,
): Promise<VersionRow> {
  const [row] = await tx<VersionRow[]>`
    SELECT version, at, score, band, risk, recovery, status, settings_version, edges_version
    FROM score_history
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id} AND version > (SELECT coalesce((
      SELECT x.version FROM score_history x
      WHERE x.tenant_id = ${tenant_id} AND x.employee_id = ${employee_id} AND x.version < ${version}
        AND x.status = 'active' ORDER BY x.version DESC LIMIT 1), 0))
    ORDER BY version LIMIT 1`
  return row!
}

export type ShareRow = {
  event_id: string
  event_type: string
  source: string
  timestamp: Date
  rule_id: string
  rule_name: string | null
  impact: number
  dated_at: Date
}

/** The shares that counted in a version and whose events are still kept. */
export async function listSharesOf(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  version: number,
): Promise<ShareRow[]> {
  return tx<ShareRow[]>`
    SELECT s.event_id, v.type AS event_type, v.source, s.timestamp, s.rule_id, r.name AS rule_name, s.impact,
      s.dated_at
    FROM shares s
    CROSS JOIN LATERAL (SELECT e.type, e.source FROM events e WHERE e.tenant_id = ${tenant_id}
      AND e.employee_id = s.employee_id AND e.timestamp = s.timestamp AND e.event_id = s.event_id OFFSET 0) v
    LEFT JOIN rules r ON r.tenant_id = ${tenant_id} AND r.rule_id = s.rule_id
    WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ${employee_id} AND NOT s.folded
      AND s.from_version <= ${version} AND (s.to_version IS NULL OR s.to_version > ${version})
    ORDER BY s.timestamp DESC, s.event_id, s.rule_id`
}
