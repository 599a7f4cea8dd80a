// SQL of a person's rights in this slice: which entries are about somebody.
import type { Tx } from '../platform/database.ts'

export async function listSeqsAbout(tx: Tx, tenant_id: string, employee_id: string) {
  const rows = await tx<{ seq: number }[]>`
    SELECT e.seq FROM audit_entries e
    WHERE e.tenant_id = ${tenant_id} AND e.employee_id = ${employee_id} ORDER BY e.seq`
  return rows.map(row => row.seq)
}
