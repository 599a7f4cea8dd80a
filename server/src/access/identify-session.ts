// What a dashboard session may do in its active tenant: the role there, read anew for every request.
import type { FastifyRequest } from 'fastify'
import type { Identity, Session } from '../accounts/identity.ts'
import { findMembership, requiresSecondFactor } from '../accounts/memberships.queries.ts'
import { permissionsOf, scopesOf } from '../accounts/roles.ts'
import type { Context } from '../platform/context.ts'
import { ApiError } from '../platform/errors.ts'
import { limitsOf } from '../tenants/plans.ts'
import { findTenant } from '../tenants/tenants.queries.ts'

export async function identifySession(
  context: Context,
  session: Session,
): Promise<Identity | null> {
  const { active_tenant, user_id, has_second_factor } = session
  if (active_tenant === null) return null
  const tenant_id = active_tenant
  return context.db.inTenant(tenant_id, async tx => {
    const [tenant, membership, required] = await Promise.all([
      findTenant(tx, tenant_id),
      findMembership(tx, tenant_id, user_id),
      requiresSecondFactor(tx, tenant_id),
    ])
    if (!tenant || membership?.status !== 'active') return null
    return {
      tenant_id,
      tenant_name: tenant.name,
      plan: tenant.plan,
      limits: limitsOf(tenant.plan, tenant.limits),
      suspended: tenant.status !== 'active',
      scopes: scopesOf(membership.role),
      permissions: permissionsOf(membership.role),
      role: membership.role,
      actor: { kind: 'user', id: user_id },
      needs_second_factor: required && !has_second_factor,
    }
  })
}

/** A session is one for all windows: a window that still shows another tenant is told, not served. */
export function requireShownTenant({ headers }: FastifyRequest, { active_tenant }: Session): void {
  const shown = headers['x-tenant']
  if (shown === undefined || shown === active_tenant) return
  const message = 'the session works in another organization now; read GET /session again'
  throw new ApiError('CONFLICT', message, { details: [{ path: 'X-Tenant', message }] })
}
