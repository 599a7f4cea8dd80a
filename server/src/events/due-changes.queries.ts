// SQL of due changes: found by a small index, so that the cost follows what is due, not all employees.
import type { Tx } from '../platform/database.ts'

/** Reads across tenants: ids only, from the cursor on. */
export async function tenantsWithDue(tx: Tx, now: Date, after: string, limit: number) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t
    WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND EXISTS (
      SELECT 1 FROM employee_states s WHERE s.tenant_id = t.tenant_id AND s.next_due_at <= ${now})
    ORDER BY t.tenant_id LIMIT ${limit}`
}
