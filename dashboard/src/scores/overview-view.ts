// What the overview says in figures, of everyone or of one department. Pure.
import type { DepartmentScores, ScoreSummary, ScoreTrends } from '../generated/api.ts'
import { BANDS } from '../ui/bands.ts'

export type View = {
  average: number
  /** Null where it is not known. */
  median: number | null
  people: number
  bands: ScoreSummary['band_distribution']
  at_risk: number
  /** Of the average from the first to the last point of the chosen span; null without two. */
  change: number | null
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
export function readView(read: Read, department: string | undefined): View | undefined {
  const { summary, departments, points, today } = read
  const own = departments?.find(one => one.department === department)
  const whole = department === undefined ? summary : own
  const median = department === undefined ? summary?.median_score : today?.at(-1)?.median_score
  if (!whole || !points) return undefined
  const known = points.filter(point => point.employee_count > 0)
  const [then, end] = [known[0], known.at(-1)]
  const bands = whole.band_distribution
  return {
    average: whole.average_score,
    median: median ?? null,
    people: BANDS.reduce((sum, band) => sum + bands[band].count, 0),
    bands,
    at_risk: bands.red.count + bands.critical.count,
    change: then && end && then !== end ? end.average_score - then.average_score : null,
  }
}
