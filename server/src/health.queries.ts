// What readiness asks of the database beside its schema.
import type { Tx } from './platform/database.ts'

/** A standby, or a server that was told to write nothing: every request would be refused. */
export async function isReadOnly(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ read_only: boolean }[]>`
    SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS read_only`
  return row!.read_only
}
