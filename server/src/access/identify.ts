// Turns a bearer credential into an identity; remembered for less than a second, so revocation acts within one.
import type { Identity } from '../accounts/identity.ts'
import { scopesOf } from '../accounts/roles.ts'
import { hashKey, readTenantPart } from '../keys/key-format.ts'
import { findKeyByHash, touchKeys } from '../keys/keys.queries.ts'
import { tenantOf } from '../oauth/token-format.ts'
import { findAccessToken } from '../oauth/tokens.queries.ts'
import type { Actor } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { hashToken } from '../platform/tokens.ts'
import { limitsOf } from '../tenants/plans.ts'
import type { Scope } from '../tenants/scopes.ts'
import { findTenant, type Tenant } from '../tenants/tenants.queries.ts'

const REMEMBER_MS = 900
const MOST_REMEMBERED = 10_000

export type Identifier = {
  identify(bearer: string): Promise<Identity | null>
  /** Writes when keys were last used; called by the housekeeping job and at the end. */
  flush(): Promise<void>
}

export function createIdentifier(context: Context): Identifier {
  const known = new Map<string, { at: number; identity: Promise<Identity | null> }>()
  const used = new Map<string, Map<string, number>>()

  function identify(bearer: string): Promise<Identity | null> {
    const now = context.clock.now()
    const hit = known.get(bearer)
    if (hit && Math.abs(now - hit.at) < REMEMBER_MS) return hit.identity
    if (known.size >= MOST_REMEMBERED) known.clear()
    const identity = lookUp(context, bearer)
    known.set(bearer, { at: now, identity })
    identity.then(
      found => found && markUsed(found, now),
      () => known.delete(bearer),
    )
    return identity
  }

  function markUsed(identity: Identity, now: number): void {
    if (identity.actor.kind !== 'key') return
    const keys = used.get(identity.tenant_id) ?? new Map<string, number>()
    used.set(identity.tenant_id, keys.set(identity.actor.id, now))
  }

  async function flush(): Promise<void> {
    for (const [tenant_id, keys] of [...used]) {
      used.delete(tenant_id)
      const times = [...keys.values()].map(at => new Date(at))
      await context.db.inTenant(tenant_id, tx => touchKeys(tx, tenant_id, [...keys.keys()], times))
    }
  }

  return { identify, flush }
}

/** Which tenant a credential says it belongs to, true or not. */
export function tenantNamed(bearer: string | null): string | null {
  if (bearer === null) return null
  const part = readTenantPart(bearer)
  return part === null ? tenantOf('access', bearer) : `ten_${part}`
}

async function lookUp(context: Context, bearer: string): Promise<Identity | null> {
  const part = readTenantPart(bearer)
  if (part !== null) return lookUpKey(context, `ten_${part}`, bearer)
  const tenant_id = tenantOf('access', bearer)
  return tenant_id === null ? null : lookUpToken(context, tenant_id, bearer)
}

async function lookUpKey(context: Context, tenant_id: string, bearer: string) {
  const now = new Date(context.clock.now())
  return context.db.inTenant(tenant_id, async tx => {
    const [tenant, key] = await Promise.all([
      findTenant(tx, tenant_id),
      findKeyByHash(tx, tenant_id, hashKey(bearer), now),
    ])
    if (!tenant || !key) return null
    return describe(tenant, { kind: 'key', id: key.key_id }, new Set(key.scopes))
  })
}

/** Invariant: a token never exceeds what its person's role and its app hold now. */
async function lookUpToken(context: Context, tenant_id: string, bearer: string) {
  const now = new Date(context.clock.now())
  return context.db.inTenant(tenant_id, async tx => {
    const [tenant, token] = await Promise.all([
      findTenant(tx, tenant_id),
      findAccessToken(tx, tenant_id, hashToken(bearer), now),
    ])
    if (!tenant || !token) return null
    const own = scopesOf(token.role)
    const scopes = token.scopes.filter(scope => own.has(scope) && token.app_scopes.includes(scope))
    return describe(tenant, { kind: 'app', id: token.client_id }, new Set(scopes))
  })
}

function describe(tenant: Tenant, actor: Actor, scopes: ReadonlySet<Scope>): Identity {
  return {
    tenant_id: tenant.tenant_id,
    tenant_name: tenant.name,
    plan: tenant.plan,
    limits: limitsOf(tenant.plan, tenant.limits),
    suspended: tenant.status !== 'active',
    scopes,
    actor,
    permissions: new Set(),
    role: null,
    needs_second_factor: false,
  }
}
