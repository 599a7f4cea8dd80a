// SQL of a person's rights in this slice: an account that belongs to no tenant any more.
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'

const tenant_id = RESERVED_TENANT

/** Whoever belongs to a tenant, or is invited by one, keeps the account: it is theirs, even where another erased them. */
export async function dropOrphans(tx: Tx, user_ids: string[]): Promise<void> {
  // Held first: after a wait for whoever invites them, a statement of its own sees the link.
  await tx`SELECT 1 FROM users WHERE tenant_id = ${tenant_id} AND user_id = ANY(${user_ids}::text[])
    ORDER BY user_id FOR UPDATE`
  const gone = await tx<{ user_id: string }[]>`DELETE FROM users u
    WHERE u.tenant_id = ${tenant_id} AND u.user_id = ANY(${user_ids}::text[]) AND cardinality(u.tenant_ids) = 0
      AND NOT EXISTS (SELECT 1 FROM account_links l WHERE l.tenant_id = ${tenant_id} AND l.user_id = u.user_id
        AND l.purpose = 'invitation' AND l.used_at IS NULL)
    RETURNING u.user_id`
  const ids = gone.map(row => row.user_id)
  await tx`DELETE FROM sessions WHERE tenant_id = ${tenant_id} AND user_id = ANY(${ids}::text[])`
  await tx`DELETE FROM recovery_codes WHERE tenant_id = ${tenant_id} AND user_id = ANY(${ids}::text[])`
  await tx`DELETE FROM account_links WHERE tenant_id = ${tenant_id} AND user_id = ANY(${ids}::text[])`
}
