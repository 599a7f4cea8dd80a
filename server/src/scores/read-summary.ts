// The organization in one look: where it stands, and whether that is better than 30 days ago.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { countScores } from './counts.queries.ts'
import { averageOf, changeOfAverage, distributeBands, medianOf, tallyOf } from './histogram.ts'
import { PAST_MS, readPastTally } from './read-past.ts'
import { addCells } from './read-present.ts'

export async function readSummary(tx: Tx, tenant_id: string, now: Instant) {
  const [cells, past] = await Promise.all([
    countScores(tx, tenant_id, null),
    readPastTally(tx, tenant_id, now - PAST_MS),
  ])
  const { counts, bands } = addCells(cells)
  const tally = tallyOf(counts)
  return {
    average_score: averageOf(tally),
    median_score: medianOf(counts),
    total_employees: tally.people,
    band_distribution: distributeBands(bands),
    trend: describeTrend(changeOfAverage(tally, past)),
  }
}

/** The word follows the number shown, so the two cannot disagree. */
function describeTrend(change: number) {
  const direction = change > 0 ? 'improving' : change < 0 ? 'declining' : 'stable'
  return { direction, change, period: '30d' } as const
}
