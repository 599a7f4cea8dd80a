// What the overview says in figures, of everyone or of one department. Pure.
import type { DepartmentScores, ScoreSummary, ScoreTrends } from '../generated/api.ts'
import { BANDS } from '../ui/bands.ts'

export type View = {
  average: number
  median: number
  people: number
  bands: ScoreSummary['band_distribution']
  at_risk: number
  /** Of the average from the first to the last point of the chosen span; null without two. */
  change: number | null
}

/** The whole organization, or the one department chosen. */
export function readView(
  summary: ScoreSummary | undefined,
  departments: DepartmentScores['data'] | undefined,
  points: ScoreTrends['data'] | undefined,
  department: string | undefined,
): View | undefined {
  const own = departments?.find(one => one.department === department)
  const whole = department === undefined ? summary : own
  if (!whole || !points || !summary) return undefined
  const known = points.filter(point => point.employee_count > 0)
  const [then, end] = [known[0], known.at(-1)]
  const bands = whole.band_distribution
  return {
    average: whole.average_score,
    median: department === undefined ? summary.median_score : (points.at(-1)?.median_score ?? 0),
    people: BANDS.reduce((sum, band) => sum + bands[band].count, 0),
    bands,
    at_risk: bands.red.count + bands.critical.count,
    change: then && end && then !== end ? end.average_score - then.average_score : null,
  }
}
