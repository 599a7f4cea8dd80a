// SQL that asks the database what time it is.
import type { Tx } from './database.ts'

/** Of no tenant: it reads no table. */
export async function readDatabaseClock(tx: Tx): Promise<number> {
  const [row] = await tx<[{ seconds: number }]>`
    SELECT extract(epoch FROM clock_timestamp())::float8 AS seconds`
  return row.seconds
}
