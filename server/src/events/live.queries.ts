// SQL of live updates: whether anything has come in.
import type { Tx } from '../platform/database.ts'

export type Arrivals = { latest: string | null; known: number; recent: number }

/** Where more come in than this in a minute, the next one tells of those before it soon enough. */
const MOST_COUNTED = 10_000

/**
 * The latest event, by its id, and how many there are from either id on. Ids are given before the commit, so one may
 * appear below the latest: then there are more from `known_from` on than there were before.
 */
export async function countArrivals(
  tx: Tx,
  tenant_id: string,
  known_from: string,
  recent_from: string,
): Promise<Arrivals> {
  const [row] = await tx<[Arrivals]>`
    SELECT max(l.event_id) AS latest, count(*) AS known,
      count(*) FILTER (WHERE l.event_id >= ${recent_from}) AS recent
    FROM (SELECT e.event_id FROM events e WHERE e.tenant_id = ${tenant_id} AND e.event_id >= ${known_from}
      ORDER BY e.event_id DESC LIMIT ${MOST_COUNTED}) l`
  return row
}
