// Turns a bearer credential into an identity; remembered for less than a second, so revocation acts within one.

import type { Identity } from '../accounts/identity.ts'
import { hashKey, readTenantPart } from '../keys/key-format.ts'
import { findKeyByHash, touchKeys } from '../keys/keys.queries.ts'
import type { Context } from '../platform/context.ts'
import { limitsOf } from '../tenants/plans.ts'
import { findTenant } from '../tenants/tenants.queries.ts'

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

async function lookUp(context: Context, bearer: string): Promise<Identity | null> {
  const part = readTenantPart(bearer)
  if (part === null) return null
  const tenant_id = `ten_${part}`
  const now = new Date(context.clock.now())
  return context.db.inTenant(tenant_id, async tx => {
    const [tenant, key] = await Promise.all([
      findTenant(tx, tenant_id),
      findKeyByHash(tx, tenant_id, hashKey(bearer), now),
    ])
    if (!tenant || !key) return null
    return {
      tenant_id,
      tenant_name: tenant.name,
      plan: tenant.plan,
      limits: limitsOf(tenant.plan, tenant.limits),
      suspended: tenant.status !== 'active',
      scopes: new Set(key.scopes),
      actor: { kind: 'key', id: key.key_id },
      permissions: new Set(),
      role: null,
      needs_second_factor: false,
    }
  })
}
