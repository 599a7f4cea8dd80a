// SQL of searching people by a text in their name or address.
import type { Tx } from '../platform/database.ts'

/** Above this many found it is faster to go through the list in its order and leave out the others. */
const FEW = 20_000
/** As many letters as the index of longer texts is made of (text_grams). */
const GRAM = 5

/** Who is found by a text, where they are few; null means many. */
export async function findFew(tx: Tx, tenant_id: string, search: string): Promise<string[] | null> {
  // Room to remember half a million pages row by row; of all that stands on the others the grams are made anew.
  const room = tx`SET LOCAL work_mem = '32MB'`
  const found = tx<{ employee_id: string }[]>`${findByText(tx, tenant_id, search)} LIMIT ${FEW + 1}`
  const [, rows] = await Promise.all([room, found])
  return rows.length > FEW ? null : rows.map(row => row.employee_id)
}

/** Invariant: findFew has made room for it in this transaction. */
export async function countByText(tx: Tx, tenant_id: string, search: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM (${findByText(tx, tenant_id, search)}) found`
  return row!.n
}

/**
 * Under row-level security only leak-proof conditions use an index, and these are not: the views hold to the tenant
 * by their own text, so there they do. A longer text is exact by strpos, as for LIKE the planner might choose the
 * index of three letters and make the grams of every row.
 */
function findByText(tx: Tx, tenant_id: string, search: string) {
  if ([...search].length < GRAM) {
    return tx`SELECT x.employee_id FROM employee_texts x
      WHERE x.tenant_id = ${tenant_id} AND x.search_text LIKE ${likePattern(search)}`
  }
  return tx`SELECT x.employee_id FROM employee_grams x
    WHERE x.tenant_id = ${tenant_id} AND x.grams @> text_grams(${tenant_id}, ${search})
      AND strpos(x.search_text, ${search}) > 0`
}

/** Finds the text itself: the signs that mean something to LIKE are taken literally. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
