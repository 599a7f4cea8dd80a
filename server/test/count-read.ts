// How much of a table a transaction has read: rows it went through, and those it has found by an index.
import type { Tx } from '../src/platform/database.ts'

/**
 * What a plain scan of an index finds is counted with the index, not with its table. Earlier transactions of the
 * connection may still be in it: take it before and after.
 */
export async function countRead(tx: Tx, table: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT pg_stat_get_xact_tuples_returned(${table}::regclass)
      + pg_stat_get_xact_tuples_fetched(${table}::regclass)
      + (SELECT coalesce(sum(pg_stat_get_xact_tuples_fetched(i.indexrelid)), 0) FROM pg_index i
        WHERE i.indrelid = ${table}::regclass)::bigint AS n`
  return row!.n
}
