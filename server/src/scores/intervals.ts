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

/** How many intervals begin from one start to another. */
function countStarts(first: Instant, last: Instant, interval: TrendInterval): number {
  if (interval !== 'monthly') {
    return Math.round((last - first) / (interval === 'daily' ? DAY : 7 * DAY)) + 1
  }
  const [a, b] = [new Date(first), new Date(last)]
  const years = b.getUTCFullYear() - a.getUTCFullYear()
  return 12 * years + b.getUTCMonth() - a.getUTCMonth() + 1
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
  const first = startOf(from, interval)
  const count = countStarts(first, startOf(end, interval), interval)
  if (count > MOST_POINTS) throw tooManyPoints(count, interval, TREND_INTERVALS)
  for (let start = first; start <= end; ) {
    const next = nextStart(start, interval)
    const running = next > now
    points.push({ date: dayOf(start), at: running ? now : next - 1, running })
    start = next
  }
  return points
}
