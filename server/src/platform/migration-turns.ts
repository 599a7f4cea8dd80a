// One process at a time changes the schema.
import type { Database, Tx } from './database.ts'

type Sql = Database['sql']

const MUTEX = 7_243_001

// A large table may take longer than any request, and whoever waits for its turn waits as long. What is read behind the
// lock is what its last holder has left.
const opening = [
  'BEGIN ISOLATION LEVEL READ COMMITTED',
  'SET LOCAL statement_timeout = 0',
  'SET LOCAL lock_timeout = 0',
]

/**
 * One transaction under the mutex, which ends with it: of a session's own lock a pooler would not know, and keep it for
 * ever.
 */
export async function inTurn<T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> {
  return sql.begin(
    async tx => {
      await tx`SELECT pg_advisory_xact_lock(${MUTEX})`
      return work(tx)
    },
    { opening },
  )
}
