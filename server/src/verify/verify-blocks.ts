// Proves the closed blocks of time: what they say of people and sums is what the events say.
import { addList, makeSet, unpackLists } from '../events/people-lists.ts'
import {
  countRows,
  type Grouping,
  readClosed,
  readDoubts,
  readLists,
} from '../events/statistics.queries.ts'
import { BASE_MS, blockAt, type Span, spanOf, TOP_LEVEL } from '../events/time-blocks.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { findFirstEvent, findMiscountedHours } from './verify.queries.ts'

const GROUPINGS: readonly Grouping[] = ['type', 'source', 'department']

/** One picture for each of the longest blocks, so that none is held for long. */
export async function verifyBlocks({ db }: Context, tenant_id: string): Promise<string[]> {
  const { closed, first } = await db.readTenant(tenant_id, async tx => ({
    closed: await readClosed(tx, tenant_id),
    first: await findFirstEvent(tx, tenant_id),
  }))
  if (first === null || closed === 0) return []
  const faults: string[] = []
  for (let top = blockAt(first, TOP_LEVEL); top <= blockAt(closed - 1, TOP_LEVEL); top++) {
    const span = spanOf({ level: TOP_LEVEL, block: top })
    const checked = { from: span.from, to: Math.min(span.to, closed) }
    // While a part of it is being closed or built, only the last level is certain to be there.
    const levels = checked.to === span.to ? TOP_LEVEL : 0
    faults.push(
      ...(await db.readTenant(tenant_id, tx => verifySpan(tx, tenant_id, checked, levels))),
    )
  }
  return faults
}

async function verifySpan(tx: Tx, tenant_id: string, span: Span, levels: number) {
  const faults: string[] = []
  const wrong = await findMiscountedHours(tx, tenant_id, new Date(span.from), new Date(span.to))
  for (const one of wrong) {
    faults.push(`events of hour "${one.cell}": kept ${one.kept}, there are ${one.counted}`)
  }
  const doubts = await readDoubts(tx, tenant_id, 'people', span)
  if (doubts.length > 0) return faults
  for (const by of GROUPINGS) {
    const rows = await countRows(tx, tenant_id, by, span)
    const there = new Map(rows.map(row => [row.value, row.people]))
    for (let level = 0; level <= levels; level++) {
      const kept = await countKept(tx, tenant_id, by, span, level)
      for (const value of new Set([...there.keys(), ...kept.keys()])) {
        const [k, n] = [kept.get(value) ?? 0, there.get(value) ?? 0]
        const place = `${by} "${value}" since ${new Date(span.from).toISOString()}, level ${level}`
        if (k !== n) faults.push(`people of ${place}: kept ${k}, there are ${n}`)
      }
    }
  }
  return faults
}

async function countKept(tx: Tx, tenant_id: string, by: Grouping, span: Span, level: number) {
  const length = BASE_MS * 8 ** level
  const [first, count] = [span.from / length, (span.to - span.from) / length]
  const blocks = Array.from({ length: count }, (_, i) => ({ level, block: first + i }))
  const parts = new Map<string, ReturnType<typeof makeSet>>()
  for (const lists of await readLists(tx, tenant_id, by, blocks)) {
    for (const [value, list] of unpackLists(lists)) {
      const set = parts.get(value) ?? makeSet(0)
      parts.set(value, set)
      addList(set, list)
    }
  }
  return new Map([...parts].map(([value, set]) => [value, set.size]))
}
