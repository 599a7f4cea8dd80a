// SQL of a person's rights in this slice: jobs whose filter names somebody.
import type { Tx } from '../platform/database.ts'

/** A job that has ended keeps its numbers without what it was asked for. */
export async function eraseScopes(tx: Tx, tenant_id: string, email: string): Promise<void> {
  const written = JSON.stringify(email).slice(1, -1).toLowerCase()
  await tx`UPDATE jobs SET scope = '{"erased": true}'::jsonb
    WHERE tenant_id = ${tenant_id} AND finished_at IS NOT NULL AND strpos(lower(scope::text), ${written}) > 0`
}
