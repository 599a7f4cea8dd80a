// Changes of the kept counts of very many events in few rows: those of one kind and block of time together. Pure.
import type { EventCount } from './event-counts.queries.ts'
import { blockAt } from './time-blocks.ts'

export type MergedCounts = Map<string, EventCount>

/** What is counted and what is marked stays the same: no block reaches into another day. */
export function mergeCounts(merged: MergedCounts, counts: readonly EventCount[]): void {
  for (const one of counts) {
    const { timestamp, type, source, department, impact } = one
    const key = JSON.stringify([blockAt(timestamp), type, source, department, impact])
    const known = merged.get(key)
    if (known === undefined) {
      merged.set(key, { ...one })
      continue
    }
    known.events += one.events
    known.counted += one.counted
  }
}
