// Trends: the end of every past interval from kept days and the moves since, the running one as it stands.
import { scoreAt } from '../../../scoring/state.ts'
import { defaultFrom } from '../employees/score-history.ts'
import { dayOf, type Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { readWindowWithDefaults } from '../platform/dates.ts'
import { notFound } from '../platform/errors.ts'
import { readScoringBasis, type ScoringBasis } from '../tenants/scoring-basis.ts'
import {
  countScores,
  knowsDepartment,
  listOverdue,
  type OverdueRow,
  readKeptDays,
  readOpenMoves,
} from './counts.queries.ts'
import { averageOf, emptyHistogram, type Histogram, medianOf, tallyOf } from './histogram.ts'
import { listPoints, type TrendInterval, type TrendPoint } from './intervals.ts'
import { addCells } from './read-present.ts'

export type TrendsQuery = {
  from?: string
  to?: string
  interval?: TrendInterval
  department?: string
}

export async function readTrends(tx: Tx, tenant_id: string, query: TrendsQuery, now: Instant) {
  const department = query.department ?? null
  const window = readWindowWithDefaults(query, now, defaultFrom)
  const points = listPoints(window, query.interval ?? 'daily', now)
  if (department !== null && !(await knowsDepartment(tx, tenant_id, department))) {
    throw notFound('department')
  }
  const past = points.filter(point => !point.running)
  const [histograms, present] = await Promise.all([
    readDayEnds(tx, tenant_id, department, past),
    past.length === points.length ? null : countScores(tx, tenant_id, department),
  ])
  if (present) histograms.push(addCells(present).counts)
  return points.map(({ date }, i) => describePoint(date, histograms[i]!))
}

function describePoint(date: string, counts: Histogram) {
  const tally = tallyOf(counts)
  return {
    date,
    average_score: averageOf(tally),
    median_score: medianOf(counts),
    employee_count: tally.people,
  }
}

/** Active people by score at the end of days; the points ascend. */
async function readDayEnds(
  tx: Tx,
  tenant_id: string,
  department: string | null,
  points: readonly Pick<TrendPoint, 'at'>[],
): Promise<Histogram[]> {
  const last = points.at(-1)
  if (!last) return []
  const days = points.map(({ at }) => dayOf(at))
  const [basis, kept, moves, overdue] = await Promise.all([
    readScoringBasis(tx, tenant_id),
    readKeptDays(tx, tenant_id, department, days),
    readOpenMoves(tx, tenant_id, department, days.at(-1)!),
    listOverdue(tx, tenant_id, department, last.at),
  ])
  const keptByDay = new Map(kept.map(({ day, counts }) => [day, counts]))
  const open = emptyHistogram()
  let next = 0
  return points.map(({ at }, i) => {
    for (; next < moves.length && moves[next]!.day <= days[i]!; next++) {
      open[moves[next]!.score]! += moves[next]!.people
    }
    const counts = keptByDay.get(days[i]!)
    const sum = counts ? open.map((n, score) => n + counts[score]!) : [...open]
    moveOverdue(sum, overdue, basis, at)
    return sum
  })
}

/** The score of a past instant is that of the last row decayed to it, also where a worker is behind. */
function moveOverdue(
  counts: Histogram,
  overdue: readonly OverdueRow[],
  basis: ScoringBasis,
  at: Instant,
): void {
  for (const row of overdue) {
    if (row.next_change_at.getTime() > at) continue
    counts[row.score]! -= 1
    counts[overdueScore(row, basis, at)]! += 1
  }
}

export function overdueScore(row: OverdueRow, basis: ScoringBasis, at: Instant): number {
  const state = { risk: row.risk, recovery: row.recovery, as_of: row.as_of.getTime() }
  return scoreAt(state, basis.settingsOf(row.settings_version), at)
}
