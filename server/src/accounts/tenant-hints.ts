// Which tenants a person belongs to: the user's row says where to look, the memberships there decide.
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { findMembership, hasAccepted } from './memberships.queries.ts'
import { addTenantHint, dropTenantHint, type User } from './users.queries.ts'

const MOST_TRIES = 5

async function belongsTo(context: Context, tenant_id: string, user_id: string): Promise<boolean> {
  const membership = await context.db.inTenant(tenant_id, tx =>
    findMembership(tx, tenant_id, user_id),
  )
  return membership !== undefined && hasAccepted(membership)
}

/** An invitation alone binds nobody to a tenant, and a hint may be late. */
export async function belongsElsewhere(
  context: Context,
  { user_id, tenant_ids }: User,
  tenant_id: string,
): Promise<boolean> {
  for (const other of tenant_ids) {
    if (other !== tenant_id && (await belongsTo(context, other, user_id))) return true
  }
  return false
}

/** Whoever joins or leaves a tenant changes the hints, under the lock of the user. */
export function hasSameTenants(judged: User, now: User): boolean {
  return judged.tenant_ids.join() === now.tenant_ids.join()
}

/**
 * Leaves the hint as the membership says. The two are rows of two tenants, so no transaction holds both: it is
 * looked at again afterwards, and of two that change them at once the last to look is right.
 */
export async function mendTenantHint(
  context: Context,
  tenant_id: string,
  user_id: string,
): Promise<void> {
  let belongs = await belongsTo(context, tenant_id, user_id)
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const mend = belongs ? addTenantHint : dropTenantHint
    await context.db.inTenant(RESERVED_TENANT, tx => mend(tx, user_id, tenant_id))
    const before = belongs
    belongs = await belongsTo(context, tenant_id, user_id)
    if (belongs === before) return
  }
}
