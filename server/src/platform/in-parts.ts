// Long lists in parts that a statement is made of. Pure.

/** So many rows make a statement: putting it together keeps everybody else in the process waiting. */
export const ROWS_AT_ONCE = 5000

export function inParts<T>(rows: readonly T[], most = ROWS_AT_ONCE): T[][] {
  const count = Math.ceil(rows.length / most)
  return Array.from({ length: count }, (_, i) => rows.slice(i * most, (i + 1) * most))
}
