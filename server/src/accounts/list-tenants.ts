// The tenants a person belongs to: the user's row says where to look, the membership there decides.
import type { Context } from '../platform/context.ts'
import { findTenant } from '../tenants/tenants.queries.ts'
import { findMembership, requiresSecondFactor } from './memberships.queries.ts'
import type { Role } from './roles.ts'

export type MemberTenant = {
  tenant_id: string
  name: string
  role: Role
  require_second_factor: boolean
}

export async function listTenantsOf(
  context: Context,
  user: { user_id: string; tenant_ids: readonly string[] },
): Promise<MemberTenant[]> {
  const found = await Promise.all(
    user.tenant_ids.map(tenant_id => findTenantOf(context, tenant_id, user.user_id)),
  )
  return found.filter(one => one !== null)
}

/** No password of theirs holds one of these. */
export async function namesOfTenants(
  context: Context,
  user: Parameters<typeof listTenantsOf>[1],
): Promise<string[]> {
  return (await listTenantsOf(context, user)).map(({ name }) => name)
}

async function findTenantOf(
  context: Context,
  tenant_id: string,
  user_id: string,
): Promise<MemberTenant | null> {
  return context.db.inTenant(tenant_id, async tx => {
    const [tenant, membership, require_second_factor] = await Promise.all([
      findTenant(tx, tenant_id),
      findMembership(tx, tenant_id, user_id),
      requiresSecondFactor(tx, tenant_id),
    ])
    if (!tenant || tenant.status === 'deleting' || membership?.status !== 'active') return null
    return { tenant_id, name: tenant.name, role: membership.role, require_second_factor }
  })
}
