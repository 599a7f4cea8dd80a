// Statements as anybody would write them over the base tables, planned by PostgreSQL as it likes.
import type { Context } from '../server/src/platform/context.ts'
import type { Tx } from '../server/src/platform/database.ts'

/** The service's own connections forbid sequential scans; these do not. */
export async function inPlainSql<T>({ db }: Context, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.sql.begin(async tx => {
    await tx`SET LOCAL statement_timeout = 0`
    await tx`SET LOCAL enable_seqscan = on`
    await tx`SET LOCAL work_mem = '64MB'`
    return work(tx as Tx)
  }) as Promise<T>
}
