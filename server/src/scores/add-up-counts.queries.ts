// SQL of adding up the counts: who has entries that are many, or old.

import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { idFloor } from '../platform/ids.ts'

export type EntriesQuestion = {
  /** So many of a kind are worth adding up, however new they are. */
  many: number
  /** Those written before are added up, however few they are. */
  old: Instant
  after: string
  tenants: number
}

/** Reads across tenants: ids only. */
export async function tenantsWithEntries(tx: Tx, asked: EntriesQuestion) {
  const { many, old, after, tenants } = asked
  const floor = idFloor('cnt', old)
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t
    WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND (
      EXISTS (SELECT 1 FROM score_count_entries s WHERE s.tenant_id = t.tenant_id AND s.entry_id < ${floor})
      OR EXISTS (SELECT 1 FROM event_count_entries e WHERE e.tenant_id = t.tenant_id AND e.entry_id < ${floor})
      OR EXISTS (SELECT 1 FROM score_count_entries s WHERE s.tenant_id = t.tenant_id OFFSET ${many - 1})
      OR EXISTS (SELECT 1 FROM event_count_entries e WHERE e.tenant_id = t.tenant_id OFFSET ${many - 1}))
    ORDER BY t.tenant_id LIMIT ${tenants}`
}
