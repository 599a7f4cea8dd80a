// SQL of who people are, by their ids.
import type { Tx } from '../platform/database.ts'

export type PersonName = { id: string; email: string; first_name: string; last_name: string }

export async function listNames(tx: Tx, tenant_id: string, ids: string[]): Promise<PersonName[]> {
  return tx<PersonName[]>`
    SELECT employee_id AS id, email, first_name, last_name FROM employees
    WHERE tenant_id = ${tenant_id} AND employee_id = ANY(${ids}::text[]) ORDER BY employee_id`
}
