// Who needs attention: the lowest scores or the biggest drops, and what weighs most on each.
import { scoreAt } from '../../../scoring/state.ts'
import type { HistoryRow } from '../employees/score-history.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { readScoringBasis, type ScoringBasis } from '../tenants/scoring-basis.ts'
import { PAST_MS, readPast } from './read-past.ts'
import type { RiskSort } from './risk-sorts.ts'
import {
  listDrops,
  listLowest,
  type RiskRow,
  readRiskRows,
  readRowsAt,
  type Weight,
  weighTypes,
} from './risks.queries.ts'

const NO_FACTOR = 'none'

type RiskQuestion = { sort: RiskSort; limit: number; department?: string | undefined }

export async function readTopRisks(
  tx: Tx,
  tenant_id: string,
  { sort, limit, ...asked }: RiskQuestion,
  now: Instant,
) {
  const department = asked.department ?? null
  const then = now - PAST_MS
  const basis = await readScoringBasis(tx, tenant_id)
  const ids =
    sort === 'lowest_score'
      ? await listLowest(tx, tenant_id, department, limit)
      : await listBiggestDrops(tx, tenant_id, basis, department, limit, then)
  const [rows, changes, weights] = await Promise.all([
    readRiskRows(tx, tenant_id, department, ids),
    readChanges(tx, tenant_id, basis, department, ids, then),
    weighTypes(tx, tenant_id, ids, now),
  ])
  const found = new Map(rows.map(row => [row.employee_id, row]))
  const factors = Map.groupBy(weights, weight => weight.employee_id)
  return ids.map(id => ({
    ...found.get(id)!,
    score_change_30d: changes.get(id)!,
    top_risk_factor: chooseFactor(factors.get(id) ?? []),
  }))
}

/**
 * The kept past scores give the order; only those with rows between the mark and the instant are looked at
 * one by one. Invariant: both parts together hold the first `limit` of all.
 */
async function listBiggestDrops(
  tx: Tx,
  tenant_id: string,
  basis: ScoringBasis,
  department: string | null,
  limit: number,
  then: Instant,
): Promise<string[]> {
  const { astray } = await readPast(tx, tenant_id, then)
  const [kept, changes] = await Promise.all([
    listDrops(tx, tenant_id, department, astray, limit),
    readChanges(tx, tenant_id, basis, department, astray, then),
  ])
  const looked = [...changes].map(([employee_id, change]) => ({ employee_id, change }))
  return [...kept, ...looked]
    .sort((a, b) => a.change - b.change || (a.employee_id < b.employee_id ? -1 : 1))
    .slice(0, limit)
    .map(one => one.employee_id)
}

/** The score now less the score then, or at creation where that is later; of active employees. */
async function readChanges(
  tx: Tx,
  tenant_id: string,
  basis: ScoringBasis,
  department: string | null,
  ids: readonly string[],
  then: Instant,
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const [present, past] = await Promise.all([
    readRiskRows(tx, tenant_id, department, ids),
    readRowsAt(tx, tenant_id, ids, then),
  ])
  const before = new Map(past.map(row => [row.employee_id, measure(row, basis, then)]))
  return new Map(
    present.map(({ employee_id, score }: RiskRow) => [
      employee_id,
      score - before.get(employee_id)!,
    ]),
  )
}

function measure(row: HistoryRow, basis: ScoringBasis, at: Instant): number {
  if (row.status === 'inactive') return row.score
  const state = { risk: row.risk, recovery: row.recovery, as_of: row.at.getTime() }
  return scoreAt(state, basis.settingsOf(row.settings_version), at)
}

function chooseFactor(weights: readonly Weight[]): string {
  let worst: Weight | null = null
  for (const weight of weights) {
    if (weight.worth >= 0) continue
    const tie = weight.worth === worst?.worth && weight.type < worst.type
    if (worst === null || weight.worth < worst.worth || tie) worst = weight
  }
  return worst?.type ?? NO_FACTOR
}
