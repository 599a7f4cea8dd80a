// What outlives a request is not left behind by somebody who lost the right to it while the request was under way.
import type { Actor, Origin } from '../platform/actor.ts'
import type { Tx } from '../platform/database.ts'
import { ApiError } from '../platform/errors.ts'
import { holdMembership, type Membership } from './memberships.queries.ts'
import { type Permission, permissionsOf } from './roles.ts'

/** Whether a person has the right now, and until commit: nobody takes it away before. Others are not asked. */
export async function holdsRight(
  tx: Tx,
  tenant_id: string,
  { kind, id }: Actor,
  right: Permission,
): Promise<boolean> {
  if (kind !== 'user') return true
  return hasRight(await holdMembership(tx, tenant_id, id), right)
}

export function hasRight(member: Membership | undefined, right: Permission): boolean {
  return member?.status === 'active' && permissionsOf(member.role).has(right)
}

/** Invariant: whoever is removed has done all they did before it. */
export async function requireStill(
  tx: Tx,
  tenant_id: string,
  { actor }: Origin,
  right: Permission,
): Promise<void> {
  if (await holdsRight(tx, tenant_id, actor, right)) return
  throw new ApiError('FORBIDDEN', `your role lacks the right ${right}`)
}
