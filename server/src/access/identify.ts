// Turns a bearer credential into an identity; remembered for less than a second, so revocation acts within one.
import type { Identity } from '../accounts/identity.ts'
import { requiresSecondFactor } from '../accounts/memberships.queries.ts'
import { scopesOf } from '../accounts/roles.ts'
import { findUsers } from '../accounts/users.queries.ts'
import { hashKey, readTenantPart } from '../keys/key-format.ts'
import { findKeysByHash, touchKeys } from '../keys/keys.queries.ts'
import { tenantOf } from '../oauth/token-format.ts'
import { findAccessTokens } from '../oauth/tokens.queries.ts'
import type { Actor } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { type Database, RESERVED_TENANT, type Tx } from '../platform/database.ts'
import { createLookUp } from '../platform/look-up-together.ts'
import { hashToken } from '../platform/tokens.ts'
import { limitsOf } from '../tenants/plans.ts'
import { isTenant } from '../tenants/remember-tenants.ts'
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
  const lookUp = createBearerLookUp(context)

  function identify(bearer: string): Promise<Identity | null> {
    const now = context.clock.now()
    const hit = known.get(bearer)
    if (hit && Math.abs(now - hit.at) < REMEMBER_MS) return hit.identity
    if (known.size >= MOST_REMEMBERED) known.clear()
    const identity = lookUp(bearer)
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
      const touch = (tx: Tx) => touchKeys(tx, tenant_id, [...keys.keys()], times)
      await context.db.inTenant(tenant_id, touch).catch(error => {
        // Written by the next flush; what was used since is newer.
        used.set(tenant_id, new Map([...keys, ...(used.get(tenant_id) ?? [])]))
        throw error
      })
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

function createBearerLookUp(context: Context) {
  const lookUpKey = createLookUp<Identity>((tenant_id, hashes) =>
    readKeys(context, tenant_id, hashes),
  )
  const lookUpToken = createLookUp<Identity>((tenant_id, hashes) =>
    readTokens(context, tenant_id, hashes),
  )
  return async (bearer: string): Promise<Identity | null> => {
    const tenant_id = tenantNamed(bearer)
    if (tenant_id === null || !(await isTenant(context, tenant_id))) return null
    return readTenantPart(bearer) === null
      ? lookUpToken(tenant_id, hashToken(bearer).toString('hex'))
      : lookUpKey(tenant_id, hashKey(bearer).toString('hex'))
  }
}

type Found = ReadonlyMap<string, Identity>

const asBytes = (hashes: readonly string[]) => hashes.map(hash => Buffer.from(hash, 'hex'))

async function readKeys({ db, clock }: Context, tenant_id: string, hashes: readonly string[]) {
  const now = new Date(clock.now())
  return db.inTenant(tenant_id, async (tx): Promise<Found> => {
    const [tenant, keys] = await Promise.all([
      findTenant(tx, tenant_id),
      findKeysByHash(tx, tenant_id, asBytes(hashes), now),
    ])
    if (!tenant) return new Map()
    const known = keys.map(({ key_hash, key_id, scopes }) => {
      const identity = describe(tenant, { kind: 'key', id: key_id }, new Set(scopes))
      return [key_hash.toString('hex'), identity] as const
    })
    return new Map(known)
  })
}

/** Invariant: a token never exceeds what its person's role and its app hold now. */
async function readTokens(
  { db, clock }: Context,
  tenant_id: string,
  hashes: readonly string[],
): Promise<Found> {
  const now = new Date(clock.now())
  const { tenant, tokens, strict } = await db.inTenant(tenant_id, async tx => {
    const [tenant, tokens, strict] = await Promise.all([
      findTenant(tx, tenant_id),
      findAccessTokens(tx, tenant_id, asBytes(hashes), now),
      requiresSecondFactor(tx, tenant_id),
    ])
    return { tenant, tokens, strict }
  })
  if (!tenant) return new Map()
  const people = tokens.map(token => token.user_id)
  const proven = strict ? await findProven(db, people) : new Set(people)
  const known = tokens.map(token => {
    const { token_hash, client_id, grant_id, user_id, role, scopes, app_scopes } = token
    const own = scopesOf(role)
    const left = scopes.filter(scope => own.has(scope) && app_scopes.includes(scope))
    const identity = describe(tenant, { kind: 'app', id: client_id, grant_id }, new Set(left))
    const needs_second_factor = !proven.has(user_id)
    return [token_hash.toString('hex'), { ...identity, needs_second_factor }] as const
  })
  return new Map(known)
}

/** Those of them who have a second factor. */
async function findProven(db: Database, user_ids: string[]): Promise<ReadonlySet<string>> {
  if (user_ids.length === 0) return new Set()
  const users = await db.inTenant(RESERVED_TENANT, tx => findUsers(tx, user_ids))
  return new Set(users.filter(user => user.totp_enabled_at !== null).map(user => user.user_id))
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
