// SQL of verification of the past: kept days and past scores beside the history. Reads only.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { BASE_DAY } from '../scores/base-day.ts'
import type { Miscount } from './verify.queries.ts'

/** From the first to the last day with a row of history, a kept day or an open one; null where there is nothing. */
export async function findDays(tx: Tx, tenant_id: string) {
  const [row] = await tx<{ first: Date | null; last: Date | null }[]>`
    SELECT min(d.first) AS first, max(d.last) AS last FROM (
      SELECT min(h.at) AS first, max(h.at) AS last FROM score_history h WHERE h.tenant_id = ${tenant_id}
      UNION ALL
      SELECT min(k.day) AT TIME ZONE 'UTC', max(k.day) AT TIME ZONE 'UTC' FROM score_days k
      WHERE k.tenant_id = ${tenant_id}
      UNION ALL
      SELECT min(c.day) AT TIME ZONE 'UTC', max(c.day) AT TIME ZONE 'UTC' FROM all_score_counts c
      WHERE c.tenant_id = ${tenant_id} AND c.day > ${BASE_DAY}) d`
  if (!row?.first || !row.last) return null
  return { first: row.first.getTime(), last: row.last.getTime() }
}

/**
 * Where what a day is kept to have moved differs from its history: what its histogram adds to the one before, and
 * what still stands in the counts. Of each department and, as 'everyone', of all together.
 */
export async function findMisplacedPeople(tx: Tx, tenant_id: string, from: Date, to: Date) {
  return tx<Miscount[]>`
    WITH moves AS (
      SELECT c.day, c.department, c.score, c.people AS kept, 0 AS counted FROM all_score_counts c
      WHERE c.tenant_id = ${tenant_id} AND c.status = 'active' AND c.day > ${BASE_DAY}
        AND c.day >= (${from}::timestamptz AT TIME ZONE 'UTC')::date
        AND c.day < (${to}::timestamptz AT TIME ZONE 'UTC')::date
      UNION ALL
      SELECT (h.at AT TIME ZONE 'UTC')::date, x.department, x.score, 0, x.people
      FROM score_history h LEFT JOIN LATERAL (SELECT p.status, p.department, p.score FROM score_history p
        WHERE p.tenant_id = ${tenant_id} AND p.employee_id = h.employee_id AND p.version = h.version - 1
        OFFSET 0) b ON true
      CROSS JOIN LATERAL (VALUES (h.status, h.department, h.score, 1), (b.status, b.department, b.score, -1))
        AS x(status, department, score, people)
      WHERE h.tenant_id = ${tenant_id} AND h.at >= ${from} AND h.at < ${to} AND x.status = 'active'),
    days AS (
      SELECT 'of ' || d.department AS whose, d.day, d.counts, (SELECT p.counts FROM department_days p
        WHERE p.tenant_id = ${tenant_id} AND p.department = d.department AND p.day < d.day
        ORDER BY p.day DESC LIMIT 1) AS before
      FROM department_days d WHERE d.tenant_id = ${tenant_id}
      UNION ALL
      SELECT 'everyone', d.day, d.counts, (SELECT p.counts FROM score_days p
        WHERE p.tenant_id = ${tenant_id} AND p.day < d.day ORDER BY p.day DESC LIMIT 1)
      FROM score_days d WHERE d.tenant_id = ${tenant_id})
    SELECT concat_ws(' ', k.day, k.whose, k.score) AS cell, sum(k.kept)::bigint AS kept,
      sum(k.counted)::bigint AS counted
    FROM (
      SELECT 'of ' || m.department AS whose, m.day, m.score, m.kept, m.counted FROM moves m
      UNION ALL
      SELECT 'everyone', m.day, m.score, m.kept, m.counted FROM moves m
      UNION ALL
      SELECT d.whose, d.day, g.n - 1, d.counts[g.n] - coalesce(d.before[g.n], 0), 0
      FROM days d CROSS JOIN generate_series(1, 101) AS g(n)
      WHERE d.day >= (${from}::timestamptz AT TIME ZONE 'UTC')::date
        AND d.day < (${to}::timestamptz AT TIME ZONE 'UTC')::date) k
    GROUP BY k.day, k.whose, k.score HAVING sum(k.kept) <> sum(k.counted) ORDER BY 1 LIMIT 20`
}

/** Rows of history whose score is not that of their sums; the last decimals are those of the exact score. */
export async function findWrongRows(tx: Tx, tenant_id: string, from: Date, to: Date) {
  return tx<{ employee_id: string; version: number }[]>`
    SELECT h.employee_id, h.version FROM score_history h
    JOIN scoring_settings s ON s.tenant_id = h.tenant_id AND s.settings_version = h.settings_version
    WHERE h.tenant_id = ${tenant_id} AND s.tenant_id = ${tenant_id} AND h.at >= ${from} AND h.at < ${to}
      AND h.status = 'active' AND abs(h.score - least(100, greatest(0,
        s.starting_score + least(s.recovery_cap, h.recovery) + h.risk))) > 0.5 + 1e-6
    ORDER BY h.employee_id, h.version LIMIT 20`
}

/**
 * Whose past score is not that of the history. It holds for the mark and is read at another instant: whoever has a row
 * between the two is left out, as readers leave them out.
 */
export async function findWrongPasts(
  tx: Tx,
  tenant_id: string,
  employee_ids: string[],
  [earlier, later]: readonly [Instant, Instant],
) {
  return tx<{ employee_id: string; past_score: number; score: number }[]>`
    SELECT s.employee_id, s.past_score, r.score FROM employee_states s
    CROSS JOIN LATERAL (
      SELECT h.at, h.score FROM score_history h
      WHERE h.tenant_id = ${tenant_id} AND h.employee_id = s.employee_id
        AND (h.at <= ${new Date(later)} OR h.version = 1)
      ORDER BY h.version DESC LIMIT 1) r
    WHERE s.tenant_id = ${tenant_id} AND s.employee_id = ANY(${employee_ids}::text[])
      AND (r.at <= ${new Date(earlier)} OR r.at > ${new Date(later)}) AND s.past_score <> r.score`
}
