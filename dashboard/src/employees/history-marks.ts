// What moved a score, as marks on its chart: events, and the retractions of some of them.
import type { Event as ScoredEvent, ScorePoint } from '../generated/api.ts'
import { sayShortDay } from '../ui/dates.ts'
import { signed } from '../ui/numbers.ts'
import type { TrendMark } from '../ui/striped-trend.tsx'

/** A mark stands at the score it led to: the next point measured. From left to right, as Tab goes. */
export function marksOf(
  points: readonly ScorePoint[],
  events: readonly ScoredEvent[],
): TrendMark[] {
  const first = points[0]?.timestamp
  const last = points.at(-1)?.timestamp
  if (first === undefined || last === undefined) return []
  const place = (at: string) => ({
    at: Math.max(Date.parse(first), Math.min(Date.parse(at), Date.parse(last))),
    score: (points.find(point => point.timestamp >= at) ?? points.at(-1)!).score,
  })
  return events
    .filter(event => event.impact !== 0)
    .flatMap(({ id, type, impact, timestamp, retracted_at }): TrendMark[] => {
      const what = `${type}, ${signed(impact)}`
      const [up, down] = ['good', 'bad'] as const
      const mark: TrendMark = {
        id,
        opens: id,
        ...place(timestamp),
        tone: impact < 0 ? down : up,
        label: `${what} on ${sayShortDay(timestamp)}`,
      }
      if (!retracted_at) return [mark]
      const taken: TrendMark = {
        id: `${id} retracted`,
        opens: id,
        ...place(retracted_at),
        tone: impact < 0 ? up : down,
        label: `${what} retracted on ${sayShortDay(retracted_at)}`,
      }
      return [mark, taken]
    })
    .sort((a, b) => a.at - b.at)
}
