// What outlives a request is not left behind by somebody who lost the right to it while the request was under way.
import type { Origin } from '../platform/actor.ts'
import type { Tx } from '../platform/database.ts'
import { ApiError } from '../platform/errors.ts'
import { holdMembership } from './memberships.queries.ts'
import { type Permission, permissionsOf } from './roles.ts'

/** Invariant: until commit nobody takes the right away, so whoever is removed has done all they did before it. */
export async function requireStill(
  tx: Tx,
  tenant_id: string,
  { actor }: Origin,
  right: Permission,
): Promise<void> {
  if (actor.kind !== 'user') return
  const membership = await holdMembership(tx, tenant_id, actor.id)
  if (membership?.status === 'active' && permissionsOf(membership.role).has(right)) return
  throw new ApiError('FORBIDDEN', `your role lacks the right ${right}`)
}
