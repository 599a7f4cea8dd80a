// Which points a trend has: one for every interval its window touches. Pure.
import { MOST_POINTS } from '../employees/score-history.ts'
import { DAY, dayOf, type Instant } from '../platform/clock.ts'
import { invalid } from '../platform/errors.ts'

export const TREND_INTERVALS = ['daily', 'weekly', 'monthly'] as const
export type TrendInterval = (typeof TREND_INTERVALS)[number]

/** Dated by the first day of its interval, measured at its last instant; the running one at now. */
export type TrendPoint = { date: string; at: Instant; running: boolean }

// The epoch was a Thursday; ISO weeks begin on Monday.
const FIRST_MONDAY = 4 * DAY
const WEEK = 7 * DAY

function startOf(at: Instant, interval: TrendInterval): Instant {
  if (interval === 'daily') return Math.floor(at / DAY) * DAY
  if (interval === 'weekly') return Math.floor((at - FIRST_MONDAY) / WEEK) * WEEK + FIRST_MONDAY
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

function nextStart(start: Instant, interval: TrendInterval): Instant {
  if (interval === 'daily') return start + DAY
  if (interval === 'weekly') return start + WEEK
  const date = new Date(start)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

/** The future has no points; a window that lies in it altogether has none at all. */
export function listPoints(
  { from, to }: { from: Instant; to: Instant },
  interval: TrendInterval,
  now: Instant,
): TrendPoint[] {
  const points: TrendPoint[] = []
  const end = Math.min(to, now)
  if (from > end) return points
  for (let start = startOf(from, interval); start <= end; ) {
    const next = nextStart(start, interval)
    const running = next > now
    points.push({ date: dayOf(start), at: running ? now : next - 1, running })
    start = next
  }
  if (points.length > MOST_POINTS) throw tooMany(points.length, interval)
  return points
}

function tooMany(count: number, interval: TrendInterval) {
  const wider = TREND_INTERVALS[TREND_INTERVALS.indexOf(interval) + 1]
  const remedy = `move from and to closer together${wider ? ` or ask for interval=${wider}` : ''}`
  const message = `would give ${count} points, at most ${MOST_POINTS}; ${remedy}`
  return invalid([{ path: 'from', message }])
}
