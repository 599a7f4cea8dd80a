// For what a crash of the database may take back: such a transaction does not wait until its log is on the disk.
import type { Tx } from './database.ts'

/**
 * Visible at once, on the disk within a second. Invariant: nobody outside is told of it before a transaction that does
 * wait has told the disk of it too.
 */
export async function relaxCommit(tx: Tx): Promise<void> {
  await tx`SET LOCAL synchronous_commit = off`
}
