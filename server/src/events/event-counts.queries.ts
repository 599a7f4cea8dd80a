// SQL of the counts of events: each change of them is an entry of its own, and many entries are added up at once.
import { dayOf, type Instant } from '../platform/clock.ts'
import { ADDED_UP } from '../platform/count-slot.ts'
import type { Tx } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import type { Write } from '../platform/write-together.ts'

/** A change of the kept counts: new, retracted or re-scored events. */
export type EventCount = {
  timestamp: number
  type: string
  source: string
  department: string
  impact: number
  events: number
  counted: number
}

export function countEvents(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  counts: readonly EventCount[],
): Write | null {
  const cells = sumCounts(counts)
  if (cells.length === 0) return null
  const column = <T>(read: (cell: CountCell) => T): T[] => cells.map(read)
  return tx`INSERT INTO event_count_entries AS x (tenant_id, entry_id, days, types, sources, departments, signs,
      events, counted, impacts)
    SELECT tn.tenant_id, ${newId('cnt', now)}, ${column(c => c.day)}::date[], ${column(c => c.type)}::text[],
      ${column(c => c.source)}::text[], ${column(c => c.department)}::text[], ${column(c => c.sign)}::smallint[],
      ${column(c => c.events)}::bigint[], ${column(c => c.counted)}::bigint[], ${column(c => c.impact)}::bigint[]
    FROM tenants tn WHERE tn.tenant_id = ${tenant_id}`
}

/**
 * Adds the oldest entries to the counts; returns how many. Those that somebody else adds up are left to them, or waited
 * for. Invariant: the cells are taken in the order of their key, so that two that add up at once seldom wait in a circle.
 */
export async function addUpEvents(
  tx: Tx,
  tenant_id: string,
  most: number,
  others: 'left' | 'waited for' = 'left',
): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    WITH taken AS (DELETE FROM event_count_entries WHERE tenant_id = ${tenant_id} AND entry_id = ANY(ARRAY(
        SELECT e.entry_id FROM event_count_entries e WHERE e.tenant_id = ${tenant_id}
        ORDER BY e.entry_id LIMIT ${most} FOR UPDATE ${others === 'left' ? tx`SKIP LOCKED` : tx``}))
      RETURNING days, types, sources, departments, signs, events, counted, impacts),
    added AS (INSERT INTO event_counts AS x (tenant_id, day, type, source, department, sign, slot, events, counted,
        impact)
      SELECT tn.tenant_id, u.day, u.type, u.source, u.department, u.sign, ${ADDED_UP}::smallint, sum(u.events),
        sum(u.counted), sum(u.impact)
      FROM tenants tn, taken t
      CROSS JOIN unnest(t.days, t.types, t.sources, t.departments, t.signs, t.events, t.counted, t.impacts)
        AS u(day, type, source, department, sign, events, counted, impact)
      WHERE tn.tenant_id = ${tenant_id}
      GROUP BY tn.tenant_id, u.day, u.type, u.source, u.department, u.sign
      ORDER BY u.day, u.type, u.source, u.department, u.sign
      ON CONFLICT (tenant_id, day, type, source, department, sign, slot) DO UPDATE SET
        events = x.events + EXCLUDED.events, counted = x.counted + EXCLUDED.counted,
        impact = x.impact + EXCLUDED.impact)
    SELECT count(*) AS n FROM taken`
  return row!.n
}

type CountCell = Omit<EventCount, 'timestamp'> & { day: string; sign: number }

function sumCounts(counts: readonly EventCount[]): CountCell[] {
  const cells = new Map<string, CountCell>()
  for (const { timestamp, type, source, department, impact, events, counted } of counts) {
    const [day, sign] = [dayOf(timestamp), Math.sign(impact)]
    const key = JSON.stringify([day, type, source, department, sign])
    const cell = cells.get(key) ?? {
      day,
      type,
      source,
      department,
      sign,
      impact: 0,
      events: 0,
      counted: 0,
    }
    cell.events += events
    cell.counted += counted
    cell.impact += impact * counted
    cells.set(key, cell)
  }
  return [...cells.values()]
}
