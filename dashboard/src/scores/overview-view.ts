// What the overview says in figures, of everyone or of one department. Pure.
import type { DepartmentScores, ScoreSummary, ScoreTrends } from '../generated/api.ts'
import { BANDS } from '../ui/bands.ts'
import { beginOf, sayShortDay } from '../ui/dates.ts'
import type { Range } from '../ui/range.ts'

export type View = {
  average: number
  /** Null where it is not known. */
  median: number | null
  people: number
  bands: ScoreSummary['band_distribution']
  at_risk: number
  /** Of the average, and over which time; null where nothing is known to compare with. */
  change: { value: number; words: string } | null
}

type Read = {
  summary: ScoreSummary | undefined
  departments: DepartmentScores['data'] | undefined
  /** Of the chosen span. */
  points: ScoreTrends['data'] | undefined
  /** Of today: the span may lie in the past. */
  today: ScoreTrends['data'] | undefined
}

/** The whole organization, or the one department chosen. */
export function readView(
  read: Read,
  department: string | undefined,
  range: Pick<Range, 'name' | 'words'>,
): View | undefined {
  const { summary, departments, points, today } = read
  const own = departments?.find(one => one.department === department)
  const whole = department === undefined ? summary : own
  const median = department === undefined ? summary?.median_score : today?.at(-1)?.median_score
  if (!whole || !points) return undefined
  const bands = whole.band_distribution
  return {
    average: whole.average_score,
    median: median ?? null,
    people: BANDS.reduce((sum, band) => sum + bands[band].count, 0),
    bands,
    at_risk: bands.red.count + bands.critical.count,
    change: changeOf(points, range, department === undefined ? summary : undefined),
  }
}

/**
 * From the first point of the span to its last. Points are measured at the end of their days, so that is less than the
 * span by up to a day, and is told by the day. The summary knows the whole organization 30 days ago to the millisecond.
 */
function changeOf(
  points: ScoreTrends['data'],
  { name, words }: Pick<Range, 'name' | 'words'>,
  summary: ScoreSummary | undefined,
): View['change'] {
  const known = points.filter(point => point.employee_count > 0)
  const [then, end] = [known[0], known.at(-1)]
  if (!then || !end || then === end) return null
  if (summary && name === '30d' && then === points[0]) return { value: summary.trend.change, words }
  const value = end.average_score - then.average_score
  return { value, words: name === 'own' ? words : `since ${sayShortDay(beginOf(then.date))}` }
}
