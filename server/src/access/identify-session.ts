// Dashboard sessions: which one a cookie stands for, and what it may do in its active tenant. Both are read anew for
// every request.
import type { FastifyRequest } from 'fastify'
import type { Identity, Session } from '../accounts/identity.ts'
import { findMembership, requiresSecondFactor } from '../accounts/memberships.queries.ts'
import { readSessions } from '../accounts/open-session.ts'
import { permissionsOf, scopesOf } from '../accounts/roles.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { ApiError } from '../platform/errors.ts'
import { createLookUp } from '../platform/look-up-together.ts'
import { limitsOf } from '../tenants/plans.ts'
import { findTenant } from '../tenants/tenants.queries.ts'

/** However many cookies are tried at once, they take one place in the queue of the reserved tenant, as logins do. */
export function createSessionReader(context: Context): (token: string) => Promise<Session | null> {
  const lookUp = createLookUp<Session>((_, tokens) => readSessions(context, tokens))
  return token => lookUp(RESERVED_TENANT, token)
}

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
