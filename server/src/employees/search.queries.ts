// SQL of searching people by a text in their name or address.
import type { Tx } from '../platform/database.ts'

/** Above this many found it is faster to go through the list in its order and leave out the others. */
export const FEW = 20_000
/** The same for a list by name; it is lower, because the names are read with those who are found. */
export const FEW_BY_NAME = 1000
/** As many letters as the index of longer texts is made of (text_grams). */
const GRAM = 5

/** Who is found by a text, where they are few; null means many. */
export async function findFew(
  tx: Tx,
  tenant_id: string,
  search: string,
  most: number,
): Promise<string[] | null> {
  // Room for a bitmap that knows the rows of half a million pages; of pages beyond it every row's grams are computed.
  const room = tx`SET LOCAL work_mem = '32MB'`
  // What the grams find is read sooner than helpers are started for it; of a short text everybody's may be read.
  const alone = isShort(search) ? null : tx`SET LOCAL max_parallel_workers_per_gather = 0`
  const found = tx<{ employee_id: string }[]>`
    SELECT e.employee_id ${fromFound(tx, tenant_id, search)} LIMIT ${most + 1}`
  const [, , rows] = await Promise.all([room, alone, found])
  return rows.length > most ? null : rows.map(row => row.employee_id)
}

/** Invariant: findFew has made room for it in this transaction. */
export async function countByText(tx: Tx, tenant_id: string, search: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`SELECT count(*) AS n ${fromFound(tx, tenant_id, search)}`
  return row!.n
}

/**
 * Under row-level security only leak-proof conditions use an index, and these are not: the views hold to the tenant
 * by their own text, so there they do. A longer text is exact by strpos, as for LIKE the planner might choose the
 * index of three letters and make the grams of every row.
 */
export function fromFound(tx: Tx, tenant_id: string, search: string) {
  if (isShort(search)) {
    return tx`FROM employee_texts e
      WHERE e.tenant_id = ${tenant_id} AND e.search_text LIKE ${likePattern(search)}`
  }
  return tx`FROM employee_grams e
    WHERE e.tenant_id = ${tenant_id} AND e.grams @> text_grams(${tenant_id}, ${search})
      AND strpos(e.search_text, ${search}) > 0`
}

const isShort = (search: string) => [...search].length < GRAM

/** Finds the text itself: the signs that mean something to LIKE are taken literally. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
