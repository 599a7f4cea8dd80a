// How much of a table a transaction has read: rows it went through, and those it has found by an index.
import type { Tx } from '../src/platform/database.ts'

export async function countRead(tx: Tx, table: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT pg_stat_get_xact_tuples_returned(${table}::regclass)
      + pg_stat_get_xact_tuples_fetched(${table}::regclass) AS n`
  return row!.n
}
