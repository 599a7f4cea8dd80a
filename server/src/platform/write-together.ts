// Several writes as one statement: one message to the database and one plan, instead of one of each for every table.

import type { Tx } from './database.ts'
import type { Row, Statement } from './sql.ts'

/** A statement that writes. Awaited it runs alone; given to `writeTogether` it runs with others. */
export type Write = Statement<Row[]>

/**
 * Runs the writes in the order given, and `last`, which may only read, after them.
 * Invariant: none of them sees what another writes, and no two touch the same row.
 */
export async function writeTogether(
  tx: Tx,
  writes: readonly (Write | null)[],
  last: Write | null = null,
): Promise<void> {
  const [first, ...rest] = writes.filter(write => write !== null)
  if (!first) {
    await last
    return
  }
  // PostgreSQL carries out the writes of a WITH from the last to the first.
  const named = rest.reduce(
    (after, write, i) => tx`${tx(`w${i + 1}`)} AS (${write}), ${after}`,
    tx`w0 AS (${first})`,
  )
  await tx`WITH ${named} ${last ?? tx`SELECT 1`}`
}

/** Does not wait for it: it goes out with what comes next, at last the COMMIT, and where it fails that fails. */
export function sendOff(write: Promise<void>): void {
  write.catch(() => {})
}
