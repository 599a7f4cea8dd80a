// How a page of a list is found. The database plans a list once for any filter; which way is shorter for this one is chosen
// by counts: what the narrowest part of the filter finds, sorted, or along the order, leaving out the others.
import type { Tx } from './database.ts'
import type { Write } from './write-together.ts'

/** So many are sorted whatever the page; no part of a filter is counted further. */
export const FEW = 10_000

/** The value as a range, of which a plan for any value expects little: so it goes by the column's index. */
export function isExactly(tx: Tx, column: Write, value: string | null) {
  return tx`AND ${column} >= ${value} AND ${column} <= ${value}`
}

type Sized = { found: number }

/** How much each part of a filter finds, counted no further than to a bound, or to what another one finds. */
export async function sizeParts<T extends { is: Write }>(
  tx: Tx,
  rows: Write,
  parts: readonly T[],
  bound = FEW,
): Promise<(T & Sized)[]> {
  const sized: (T & Sized)[] = []
  let most = bound
  for (const part of parts) {
    if (most <= 0) break
    const [row] = await tx<{ n: number }[]>`
      SELECT count(*) AS n FROM (SELECT 1 ${rows} ${part.is} LIMIT ${most}) few`
    sized.push({ ...part, found: row!.n < most ? row!.n : Infinity })
    most = Math.min(most, row!.n)
  }
  return sized
}

/** The part of a filter that finds the fewest; none where it is not known of any. */
export function findNarrowest<T extends Sized>(parts: readonly T[]): T | undefined {
  const [part] = parts.toSorted((a, b) => a.found - b.found)
  return part && part.found < Infinity ? part : undefined
}

export function findsFew(part: Sized | undefined): boolean {
  return part !== undefined && part.found < FEW
}

/** On the way to the end of the page one in so many is found as there are rows for each of the found. */
export function isWalkShorter(
  found: number,
  { per_page, offset }: { per_page: number; offset: number },
  all: number,
): boolean {
  return found * found > (offset + per_page) * all
}
