// SQL of a person's rights in this slice: jobs whose filter names somebody.
import type { Tx } from '../platform/database.ts'
import { mentionPattern } from '../platform/mentions.ts'

/** A job that has ended keeps its numbers without what it was asked for. */
export async function eraseScopes(tx: Tx, tenant_id: string, email: string): Promise<void> {
  const pattern = mentionPattern(email)
  await tx`UPDATE jobs SET scope = '{"erased": true}'::jsonb
    WHERE tenant_id = ${tenant_id} AND finished_at IS NOT NULL AND scope::text ~* ${pattern}`
}
