// The score over time: which instants are measured, and what the recorded rows say of each. Pure.
import type { Band } from '../../../scoring/settings.ts'
import { bandOf, scoreAt } from '../../../scoring/state.ts'
import { DAY, HOUR, type Instant } from '../platform/clock.ts'
import { type ApiError, invalid } from '../platform/errors.ts'
import type { ScoringBasis } from '../tenants/scoring-basis.ts'
import type { Status } from './standing.ts'

// The epoch was a Thursday; ISO weeks begin on Monday.
const FIRST_MONDAY = 4 * DAY

const LENGTHS = {
  hourly: { length: HOUR, offset: 0 },
  daily: { length: DAY, offset: 0 },
  weekly: { length: 7 * DAY, offset: FIRST_MONDAY },
} as const

export type Interval = keyof typeof LENGTHS
export const INTERVALS = Object.keys(LENGTHS) as Interval[]

const DEFAULT_DAYS = 30
export const MOST_POINTS = 1000

export type Span = { from: Instant; to: Instant }

export function intervalStart(at: Instant, interval: Interval): Instant {
  const { length, offset } = LENGTHS[interval]
  return Math.floor((at - offset) / length) * length + offset
}

/** The default window: the day of its end and the 29 days before it. */
export function defaultFrom(to: Instant): Instant {
  return intervalStart(to, 'daily') - (DEFAULT_DAYS - 1) * DAY
}

/** One instant for each interval the span touches: the interval's last, or now for the running one. */
export function listInstants({ from, to }: Span, interval: Interval, now: Instant): Instant[] {
  if (from > to) return []
  const { length } = LENGTHS[interval]
  const first = intervalStart(from, interval)
  const count = Math.floor((to - first) / length) + 1
  if (count > MOST_POINTS) throw tooManyPoints(count, interval, INTERVALS)
  return Array.from({ length: count }, (_, i) => Math.min(first + (i + 1) * length - 1, now))
}

/** `among` are the intervals that could be asked for, the shortest first. */
export function tooManyPoints(count: number, interval: string, among: readonly string[]): ApiError {
  const wider = among[among.indexOf(interval) + 1]
  const remedy = `move from and to closer together${wider ? ` or ask for interval=${wider}` : ''}`
  const message = `would give ${count} points, at most ${MOST_POINTS}; ${remedy}`
  return invalid([{ path: 'from', message }])
}

/** A row of history: where the employee stood from `at` on. */
export type HistoryRow = {
  at: Date
  score: number
  band: Band
  risk: number
  recovery: number
  status: Status
  settings_version: number
  edges_version: number
}

export type ScorePoint = { timestamp: Date; score: number; band: Band }

/** Invariant: both lists ascend, and `rows` holds the last row at or before each instant. */
export function measure(
  rows: readonly HistoryRow[],
  instants: readonly Instant[],
  basis: Pick<ScoringBasis, 'settingsOf' | 'edgesOf'>,
): ScorePoint[] {
  const points: ScorePoint[] = []
  let next = 0
  for (const at of instants) {
    while (next < rows.length && rows[next]!.at.getTime() <= at) next++
    const row = rows[next - 1]
    if (row) points.push(measureRow(row, at, basis))
  }
  return points
}

/** What a row says of a later instant: decayed by its own settings, or frozen while inactive. */
function measureRow(
  row: HistoryRow,
  at: Instant,
  basis: Pick<ScoringBasis, 'settingsOf' | 'edgesOf'>,
): ScorePoint {
  const timestamp = new Date(at)
  if (row.status === 'inactive') return { timestamp, score: row.score, band: row.band }
  const state = { risk: row.risk, recovery: row.recovery, as_of: row.at.getTime() }
  const score = scoreAt(state, basis.settingsOf(row.settings_version), at)
  return { timestamp, score, band: bandOf(score, basis.edgesOf(row.edges_version)) }
}
