// Gathers the counts of days that are still open: what writers have spread over their slots becomes one row a cell.
import type { Tx } from '../platform/database.ts'
import { countOpenRows, gatherRows } from './gather-counts.queries.ts'
import { lockMark } from './past.queries.ts'

/** Fewer rows are added up soon enough. */
export const LEAST_ROWS = 1000
/** A writer of one of these rows waits until they are gathered. */
const MOST_ROWS = 20_000

/** Days and sums stay as they are, so no reader sees a difference. True when there may be more to gather. */
export async function gatherCounts(tx: Tx, tenant_id: string): Promise<boolean> {
  if (!(await lockMark(tx, tenant_id))) return false
  const { rows, cells } = await countOpenRows(tx, tenant_id)
  if (rows < LEAST_ROWS || rows < 2 * cells) return false
  return (await gatherRows(tx, tenant_id, MOST_ROWS)) === MOST_ROWS
}
