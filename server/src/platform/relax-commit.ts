// For what a crash of the database may take back: such a transaction does not wait until its log is on the disk.
import type { Tx } from './database.ts'

/**
 * Visible at once, on the disk within a second: for counts of which the last moments may be lost, claims that run out
 * by themselves, and work that is found and done again.
 */
export async function relaxCommit(tx: Tx): Promise<void> {
  await tx`SET LOCAL synchronous_commit = off`
}
