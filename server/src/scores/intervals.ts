// Which points a trend has: one for every interval its window touches. Pure.
import { intervalStart, MOST_POINTS, tooManyPoints } from '../employees/score-history.ts'
import { DAY, dayOf, type Instant } from '../platform/clock.ts'

export const TREND_INTERVALS = ['daily', 'weekly', 'monthly'] as const
export type TrendInterval = (typeof TREND_INTERVALS)[number]

/** Dated by the first day of its interval, measured at its last instant; the running one at now. */
export type TrendPoint = { date: string; at: Instant; running: boolean }

function startOf(at: Instant, interval: TrendInterval): Instant {
  if (interval !== 'monthly') return intervalStart(at, interval)
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

function nextStart(start: Instant, interval: TrendInterval): Instant {
  if (interval === 'daily') return start + DAY
  if (interval === 'weekly') return start + 7 * DAY
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
  if (points.length > MOST_POINTS) throw tooManyPoints(points.length, interval, TREND_INTERVALS)
  return points
}
