// SQL of adding up the counts: who has entries that are not added up yet.
import type { Tx } from '../platform/database.ts'

/** Reads across tenants: ids only. */
export async function tenantsWithEntries(tx: Tx, after: string, tenants: number) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t
    WHERE t.tenant_id > ${after} AND (
      EXISTS (SELECT 1 FROM score_count_entries s WHERE s.tenant_id = t.tenant_id)
      OR EXISTS (SELECT 1 FROM event_count_entries e WHERE e.tenant_id = t.tenant_id))
    ORDER BY t.tenant_id LIMIT ${tenants}`
}
