// Whether whoever asked for something that waited, in the background or for a lock, still has the right to it now.
import type { Asked } from '../accounts/identity.ts'
import { findMembership, holdMembership } from '../accounts/memberships.queries.ts'
import { ROLE_NAMES, scopesOf } from '../accounts/roles.ts'
import { findMakerOfKey, findScopesOfKey } from '../keys/keys.queries.ts'
import { hasLetIn, isLetBy } from '../oauth/apps.queries.ts'
import { type Actor, actorText, readActor } from '../platform/actor.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { ApiError } from '../platform/errors.ts'
import type { Scope } from '../tenants/scopes.ts'
import { findTenant } from '../tenants/tenants.queries.ts'

/** The error of a job that was ended because they have not. */
export const NO_LONGER_ALLOWED = 'whoever asked for this may no longer do it'

/**
 * `originator` as a row names it. Operators and the engine always may. An app may as long as anybody's grant to it gives
 * the scope: the app counts as the one who asked, as in the audit log.
 */
export async function mayStill(
  tx: Tx,
  tenant_id: string,
  originator: string,
  scope: Scope,
  now: Date,
): Promise<boolean> {
  const { kind, id } = readActor(originator)
  switch (kind) {
    case 'operator':
    case 'engine':
      return true
    case 'key':
      return (await findScopesOfKey(tx, tenant_id, id, now)).includes(scope)
    case 'user': {
      const membership = await findMembership(tx, tenant_id, id)
      return membership?.status === 'active' && scopesOf(membership.role).has(scope)
    }
    case 'app': {
      const roles = ROLE_NAMES.filter(role => scopesOf(role).has(scope))
      return isLetBy(tx, tenant_id, id, scope, roles, now)
    }
    default:
      return false
  }
}

/** Whether it is theirs: asked for by themselves, by a key they made, or by an app they have let act for them. */
export async function isBehind(
  tx: Tx,
  tenant_id: string,
  person: Actor,
  originator: string,
): Promise<boolean> {
  const { kind, id } = readActor(originator)
  const who = actorText(person)
  if (kind === 'key') return (await findMakerOfKey(tx, tenant_id, id)) === who
  if (kind === 'app') return hasLetIn(tx, tenant_id, id, person.id)
  return originator === who
}

/** For an answer that is taken piece by piece: whoever loses the right gets no further piece, however slowly they read. */
export async function requireReaderStill(
  tx: Tx,
  tenant_id: string,
  actor: Actor,
  scope: Scope,
  now: Instant,
): Promise<void> {
  const tenant = await findTenant(tx, tenant_id)
  const may = await mayStill(tx, tenant_id, actorText(actor), scope, new Date(now))
  if (may && tenant?.status === 'active') return
  throw new ApiError('FORBIDDEN', `this credential lacks the scope ${scope}`)
}

/**
 * For what outlives its request, once its locks are had: they may have been waited for. Invariant: whoever is removed has
 * done all they did before it; a person's role is held until commit. Keys and apps end within a second, as elsewhere.
 */
export async function requireScopeStill(
  tx: Tx,
  { tenant_id, origin: { actor }, now }: Asked,
  scope: Scope,
): Promise<void> {
  if (actor.kind === 'user') await holdMembership(tx, tenant_id, actor.id)
  if (await mayStill(tx, tenant_id, actorText(actor), scope, new Date(now))) return
  throw new ApiError('FORBIDDEN', `this credential lacks the scope ${scope}`)
}
