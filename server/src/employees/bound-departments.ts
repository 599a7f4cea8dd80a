// A tenant has only so many departments: each is a line of its own in the views of now and of every past day.
import type { Tx } from '../platform/database.ts'
import { type ApiError, conflict } from '../platform/errors.ts'
import { countDepartments, listKnown, lockDepartments } from './departments.queries.ts'

export const MOST_DEPARTMENTS = 5000

export function tooManyDepartments(): ApiError {
  return conflict(
    `a tenant has at most ${MOST_DEPARTMENTS} departments, and this one would be one more; choose one that somebody has`,
  )
}

/**
 * Of these departments, in order, those for which there is no room; whoever has none needs none. Only where one is new
 * is anything counted. Invariant: what this transaction has added so far is not among them.
 */
export async function listBeyond(
  tx: Tx,
  tenant_id: string,
  departments: readonly string[],
): Promise<ReadonlySet<string>> {
  const names = [...new Set(departments)].filter(name => name !== '')
  if (names.length === 0 || (await listKnown(tx, tenant_id, names)).size === names.length) {
    return new Set()
  }
  await lockDepartments(tx, tenant_id)
  const known = await listKnown(tx, tenant_id, names)
  const room = MOST_DEPARTMENTS - (await countDepartments(tx, tenant_id, MOST_DEPARTMENTS))
  return new Set(names.filter(name => !known.has(name)).slice(room))
}
