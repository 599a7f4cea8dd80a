// SQL of the planner's statistics: which tables have outgrown theirs.
import type { Tx } from './database.ts'

/**
 * Tables of more than a few pages, and four times as many as they were planned for.
 * Invariant: those of another owner are left out; they cannot be measured, and would be listed for ever.
 */
export async function listGrown(tx: Tx): Promise<string[]> {
  const rows = await tx<{ name: string }[]>`
    SELECT c.relname AS name FROM pg_class c JOIN pg_class t ON t.oid = 'tenants'::regclass
    WHERE c.relnamespace = t.relnamespace AND c.relkind = 'r' AND pg_has_role(session_user, c.relowner, 'MEMBER')
      AND pg_relation_size(c.oid) > greatest(4 * c.relpages, 16) * current_setting('block_size')::bigint`
  return rows.map(row => row.name)
}
