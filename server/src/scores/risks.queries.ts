// SQL of top risks: who leads each list, where they stood, and what weighs on them.
import type { Band } from '../../../scoring/settings.ts'
import type { HistoryRow } from '../employees/score-history.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { worthAt } from './explanation.queries.ts'

function inDepartment(tx: Tx, department: string | null) {
  return department === null ? tx`` : tx`AND s.department = ${department}`
}

export async function listLowest(
  tx: Tx,
  tenant_id: string,
  department: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await tx<{ employee_id: string }[]>`
    SELECT s.employee_id FROM employee_states s
    WHERE s.tenant_id = ${tenant_id} AND s.status = 'active' ${inDepartment(tx, department)}
    ORDER BY s.score, s.employee_id LIMIT ${limit}`
  return rows.map(row => row.employee_id)
}

/** By the kept past scores, without those for whom they may not hold. */
export async function listDrops(
  tx: Tx,
  tenant_id: string,
  department: string | null,
  without: readonly string[],
  limit: number,
): Promise<{ employee_id: string; change: number }[]> {
  return tx<{ employee_id: string; change: number }[]>`
    SELECT s.employee_id, s.score - s.past_score AS change FROM employee_states s
    WHERE s.tenant_id = ${tenant_id} AND s.status = 'active' ${inDepartment(tx, department)}
      AND s.employee_id <> ALL(${without as string[]}::text[])
    ORDER BY s.score - s.past_score, s.employee_id LIMIT ${limit}`
}

export type RiskRow = { employee_id: string; email: string; score: number; band: Band }

/** Active ones only, of the department if one is asked for, in no order. */
export async function readRiskRows(
  tx: Tx,
  tenant_id: string,
  department: string | null,
  employee_ids: readonly string[],
): Promise<RiskRow[]> {
  return tx<RiskRow[]>`
    SELECT s.employee_id, e.email, s.score, s.band
    FROM employee_states s JOIN employees e ON e.tenant_id = s.tenant_id AND e.employee_id = s.employee_id
    WHERE s.tenant_id = ${tenant_id} AND e.tenant_id = ${tenant_id} AND s.status = 'active'
      ${inDepartment(tx, department)} AND s.employee_id = ANY(${employee_ids as string[]}::text[])`
}

/** The last row of each at or before the instant, or the first one where that is later. */
export async function readRowsAt(
  tx: Tx,
  tenant_id: string,
  employee_ids: readonly string[],
  at: Instant,
) {
  return tx<(HistoryRow & { employee_id: string })[]>`
    SELECT u.employee_id, h.at, h.score, h.band, h.risk, h.recovery, h.status, h.settings_version, h.edges_version
    FROM unnest(${employee_ids as string[]}::text[]) AS u(employee_id)
    CROSS JOIN LATERAL (
      SELECT x.at, x.score, x.band, x.risk, x.recovery, x.status, x.settings_version, x.edges_version
      FROM score_history x
      WHERE x.tenant_id = ${tenant_id} AND x.employee_id = u.employee_id
        AND (x.at <= ${new Date(at)} OR x.version = 1)
      ORDER BY x.version DESC LIMIT 1) h`
}

export type Weight = { employee_id: string; type: string; worth: number }

/**
 * What the shares in force are worth at an instant, by event type, to 4 decimals as events show it. The event itself tells
 * it: its shares add up to its impact, and have one date.
 */
export async function weighTypes(
  tx: Tx,
  tenant_id: string,
  employee_ids: readonly string[],
  at: Instant,
): Promise<Weight[]> {
  // The steps are kept apart: of a tenant it has no statistics of, the planner expects one row, and would go through all
  // its events for each person.
  return tx<Weight[]>`
    WITH paces AS MATERIALIZED (
      SELECT p.employee_id, g.half_life_days * 86400 AS half_life FROM employee_states p
      JOIN scoring_settings g ON g.tenant_id = ${tenant_id} AND g.settings_version = p.settings_version
      WHERE p.tenant_id = ${tenant_id} AND p.employee_id = ANY(${employee_ids as string[]}::text[]))
    SELECT p.employee_id, v.type,
      round(sum(${worthAt(tx, tx`v.impact`, tx`v.dated_at`, tx`p.half_life`, at)})::numeric, 4)::float8 AS worth
    FROM paces p
    CROSS JOIN LATERAL (SELECT e.type, e.impact, least(e.timestamp, e.received_at) AS dated_at FROM events e
      WHERE e.tenant_id = ${tenant_id} AND e.employee_id = p.employee_id AND e.retracted_at IS NULL
        AND e.impact <> 0 OFFSET 0) v
    GROUP BY p.employee_id, v.type`
}
