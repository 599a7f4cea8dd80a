// SQL of live updates: whether anything has come in.
import type { Tx } from '../platform/database.ts'

/** Ids are ordered by time, so the greatest is the latest received. */
export async function findLatestEvent(tx: Tx, tenant_id: string): Promise<string | null> {
  const [row] = await tx<{ event_id: string }[]>`
    SELECT e.event_id FROM events e WHERE e.tenant_id = ${tenant_id} ORDER BY e.event_id DESC LIMIT 1`
  return row?.event_id ?? null
}
