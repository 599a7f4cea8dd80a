// What waits in the database, as metrics: asked when Prometheus asks, and at most every few seconds.
import { SECOND } from './platform/clock.ts'
import type { Context } from './platform/context.ts'
import { createGauge } from './platform/metrics.ts'
import {
  type Depth,
  readCountEntries,
  readDueActions,
  readDueChanges,
  readDueDeliveries,
  readOpenJobs,
} from './queue-depths.queries.ts'

const KEPT_MS = 5 * SECOND
/** Nothing tells since when. */
const UNDATED = ['jobs', 'counts']

export function watchQueues(context: Context): void {
  let kept: { at: number; depths: Promise<Depth[]> } | null = null
  const read = () => {
    const now = context.clock.now()
    if (kept === null || Math.abs(now - kept.at) >= KEPT_MS)
      kept = { at: now, depths: readDepths(context) }
    return kept.depths.catch(error => {
      kept = null
      throw error
    })
  }
  createGauge(
    'bellwether_queue_depth',
    'Work that is due and not done, at most 1000 of each tenant or subscription counted.',
    ['queue'],
    async () => (await read()).map(({ queue, depth }) => [[queue], depth]),
  )
  createGauge(
    'bellwether_queue_lag_seconds',
    'How long the oldest piece of work has been due.',
    ['queue'],
    async () => {
      const dated = (await read()).filter(({ queue }) => !UNDATED.includes(queue))
      return dated.map(({ queue, oldest }) => {
        const lag = oldest === null ? 0 : (context.clock.now() - oldest.getTime()) / SECOND
        return [[queue], Math.max(0, lag)]
      })
    },
  )
}

async function readDepths({ db, clock }: Context): Promise<Depth[]> {
  const now = new Date(clock.now())
  const depths = await db.acrossTenants(tx =>
    Promise.all([
      readDueDeliveries(tx, now),
      readDueChanges(tx, now),
      readDueActions(tx, now),
      readOpenJobs(tx),
      readCountEntries(tx),
    ]),
  )
  return depths.flat()
}
