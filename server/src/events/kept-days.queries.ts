// SQL of keeping whole days: the counts of events without departments and slots, for the totals of lists.
import type { Tx } from '../platform/database.ts'

/** The first day that has counts. */
export async function findFirstDay(tx: Tx, tenant_id: string): Promise<string | null> {
  const [row] = await tx<{ day: string | null }[]>`
    SELECT least((SELECT c.day FROM event_counts c WHERE c.tenant_id = ${tenant_id} ORDER BY c.day LIMIT 1),
      (SELECT min(d.day) FROM event_count_entries e CROSS JOIN unnest(e.days) AS d(day)
        WHERE e.tenant_id = ${tenant_id})) AS day`
  return row!.day
}

/** Invariant: the caller holds the closing, and has read the marks that it will remove. */
export async function replaceDays(tx: Tx, tenant_id: string, days: readonly string[]) {
  if (days.length === 0) return
  await tx`DELETE FROM event_days WHERE tenant_id = ${tenant_id} AND day = ANY(${days}::date[])`
  await tx`INSERT INTO event_days AS x (tenant_id, day, type, source, sign, events)
    SELECT c.tenant_id, c.day, c.type, c.source, c.sign, sum(c.events) FROM all_event_counts c
    WHERE c.tenant_id = ${tenant_id} AND c.day = ANY(${days}::date[])
    GROUP BY c.tenant_id, c.day, c.type, c.source, c.sign HAVING sum(c.events) <> 0`
}

/** Invariant: the caller holds the closing, and every day before is closed and kept. */
export async function moveDaysTo(tx: Tx, tenant_id: string, day: string): Promise<void> {
  await tx`UPDATE event_closings SET days_to = ${day} WHERE tenant_id = ${tenant_id}`
}
