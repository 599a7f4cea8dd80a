// SQL of the marks that a change of past events leaves on their blocks of time, in its own transaction.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import type { Write } from '../platform/write-together.ts'
import { blockAt, HOUR_LEVEL } from './time-blocks.ts'

/** people: who was affected; sums: counts and impacts. */
export type MarkKind = 'people' | 'sums'
const MARK_LEVEL = { people: 0, sums: HOUR_LEVEL } as const satisfies Record<MarkKind, number>

const BOTH: readonly MarkKind[] = ['people', 'sums']

/** Of this process: two processes seldom wait for each other. */
const SLOT = Math.floor(Math.random() * 16)

/**
 * Events dated since `closing_to` are in no block yet and need no mark; so ordinary events pay nothing.
 * Invariant: `closing_to` was read in this transaction. What relies on it waits until every transaction that may
 * have read an earlier one is over.
 */
export function markChanged(
  tx: Tx,
  tenant_id: string,
  closing_to: Instant | null,
  changed: readonly { timestamp: Instant }[],
  kinds: readonly MarkKind[] = BOTH,
): Write | null {
  const past = changed.filter(one => closing_to !== null && one.timestamp < closing_to)
  if (past.length === 0) return null
  // Sorted, so that two writers of one slot take their rows in the same order.
  const marks = kinds.flatMap(kind => {
    const level = MARK_LEVEL[kind]
    const blocks = new Set(past.map(one => blockAt(one.timestamp, level)))
    return [...blocks].sort((a, b) => a - b).map(block => ({ kind, level, block }))
  })
  return tx`INSERT INTO event_marks AS x (tenant_id, kind, level, block, slot, version)
    SELECT tn.tenant_id, u.kind, u.level, u.block, ${SLOT}::smallint, 1
    FROM tenants tn, (SELECT unnest(${marks.map(m => m.kind)}::text[]) AS kind,
      unnest(${marks.map(m => m.level)}::smallint[]) AS level,
      unnest(${marks.map(m => m.block)}::int[]) AS block) AS u
    WHERE tn.tenant_id = ${tenant_id}
    ON CONFLICT (tenant_id, kind, level, block, slot) DO UPDATE SET version = x.version + 1`
}
