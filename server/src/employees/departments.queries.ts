// SQL of departments: each is only a name that people have.
import type { Tx } from '../platform/database.ts'

/** Of these names those that somebody has, looked up one by one (OFFSET 0): a tenant may have a million people. */
export async function listKnown(tx: Tx, tenant_id: string, names: readonly string[]) {
  const rows = await tx<{ department: string }[]>`
    SELECT u.department FROM unnest(${names as string[]}::text[]) AS u(department)
    CROSS JOIN LATERAL (SELECT 1 FROM employee_states s
      WHERE s.tenant_id = ${tenant_id} AND s.department = u.department LIMIT 1 OFFSET 0) s`
  return new Set(rows.map(row => row.department))
}

/** How many names there are beside the empty one, from each to the next along the index, to `most`. */
export async function countDepartments(tx: Tx, tenant_id: string, most: number): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    WITH RECURSIVE names AS (SELECT '' AS department
      UNION ALL
      SELECT (SELECT s.department FROM employee_states s
        WHERE s.tenant_id = ${tenant_id} AND s.department > n.department ORDER BY s.department LIMIT 1)
      FROM names n WHERE n.department IS NOT NULL)
    SELECT count(*) AS n FROM (SELECT 1 FROM names WHERE department > '' LIMIT ${most}) x`
  return row!.n
}

/** Whoever adds a department waits for whoever else does, and for nobody else. */
export async function lockDepartments(tx: Tx, tenant_id: string): Promise<void> {
  await tx`SELECT 1 FROM tenants WHERE tenant_id = ${tenant_id} FOR NO KEY UPDATE`
}
