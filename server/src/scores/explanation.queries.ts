// SQL of explanations: the row in force at an instant and the shares that counted in it.
import type { HistoryRow } from '../employees/score-history.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import type { Write } from '../platform/write-together.ts'

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

type Whole = { whole_count: number; whole_worth: number }

/** What a share is worth at an instant. Bounded below, because PostgreSQL refuses a power that underflows. */
export function worthAt(tx: Tx, impact: Write, dated_at: Write, half_life: Write, at: Instant) {
  return tx`${impact} * power(2::float8, greatest(-1000, least(0,
    extract(epoch FROM ${dated_at} - ${new Date(at)}::timestamptz)::float8 / ${half_life})))`
}

/**
 * Of the shares that counted in a version and whose events are still kept the largest at an instant; each row also tells
 * how many there are in all, and what they are worth together. Only of a share that has ended may the event be gone.
 */
export async function listLargestShares(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  version: number,
  { at, half_life_days }: { at: Instant; half_life_days: number },
  limit: number,
): Promise<(ShareRow & Whole)[]> {
  const half_life = tx`${half_life_days * 86_400}::float8`
  return tx<(ShareRow & Whole)[]>`
    WITH counted AS MATERIALIZED (
      SELECT s.event_id, s.timestamp, s.rule_id, s.impact, s.dated_at,
        ${worthAt(tx, tx`s.impact`, tx`s.dated_at`, half_life, at)} AS worth
      FROM shares s
      WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ${employee_id} AND NOT s.folded
        AND s.from_version <= ${version} AND (s.to_version IS NULL OR (s.to_version > ${version}
          AND EXISTS (SELECT 1 FROM events x WHERE x.tenant_id = ${tenant_id} AND x.employee_id = s.employee_id
            AND x.timestamp = s.timestamp AND x.event_id = s.event_id)))),
    whole AS MATERIALIZED (SELECT count(*) AS whole_count, sum(c.worth) AS whole_worth FROM counted c)
    SELECT l.event_id, v.type AS event_type, v.source, l.timestamp, l.rule_id, r.name AS rule_name, l.impact,
      l.dated_at, w.whole_count, w.whole_worth
    FROM (SELECT c.* FROM counted c
      ORDER BY abs(c.worth) DESC, c.timestamp DESC, c.event_id, c.rule_id LIMIT ${limit}) l
    CROSS JOIN whole w
    CROSS JOIN LATERAL (SELECT e.type, e.source FROM events e WHERE e.tenant_id = ${tenant_id}
      AND e.employee_id = ${employee_id} AND e.timestamp = l.timestamp AND e.event_id = l.event_id OFFSET 0) v
    LEFT JOIN rules r ON r.tenant_id = ${tenant_id} AND r.rule_id = l.rule_id
    ORDER BY l.timestamp DESC, l.event_id, l.rule_id`
}
