// Creating and revoking API keys; the key is shown once, in the answer of its creation.
import type { Asked } from '../accounts/identity.ts'
import { requireStill } from '../accounts/require-still.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { actorText } from '../platform/actor.ts'
import type { Tx } from '../platform/database.ts'
import { conflict, invalid, notFound } from '../platform/errors.ts'
import { idPart, newId } from '../platform/ids.ts'
import { noSuchTenant } from '../tenants/require-tenant.ts'
import { isScope, SCOPE_NAMES, type Scope } from '../tenants/scopes.ts'
import { lockTenant } from '../tenants/tenants.queries.ts'
import { hashKey, newKey } from './key-format.ts'
import { countKeys, insertKey, MOST_KEYS, revokeKey } from './keys.queries.ts'

export type NewKey = { name: string; scopes: readonly Scope[]; expires_at: Date | null }

export async function createKey(tx: Tx, { tenant_id, origin, now }: Asked, input: NewKey) {
  // Invariant: the tenant's row is held until commit, so that two of them cannot both be the last.
  if (!(await lockTenant(tx, tenant_id))) throw noSuchTenant(tenant_id)
  await requireStill(tx, tenant_id, origin, 'keys:manage')
  if ((await countKeys(tx, tenant_id)) >= MOST_KEYS) {
    throw conflict(`an organization has at most ${MOST_KEYS} API keys; revoke one first`)
  }
  const key = newKey(idPart(tenant_id))
  const key_id = newId('key', now)
  const { name, scopes, expires_at } = input
  await insertKey(tx, tenant_id, hashKey(key), {
    key_id,
    name,
    scopes: [...scopes],
    created_by: actorText(origin.actor),
    created_at: new Date(now),
    expires_at,
    last_used_at: null,
    revoked_at: null,
  })
  await recordAudit(tx, tenant_id, now, origin, [
    {
      action: 'key.created',
      subject_kind: 'key',
      subject_id: key_id,
      after: { name, scopes, expires_at },
    },
  ])
  return { id: key_id, key, name, scopes: [...scopes] }
}

export async function revokeKeyById(tx: Tx, { tenant_id, origin, now }: Asked, key_id: string) {
  await requireStill(tx, tenant_id, origin, 'keys:manage')
  const row = await revokeKey(tx, tenant_id, key_id, new Date(now))
  if (!row) throw notFound('key that is not revoked')
  const before = { name: row.name, scopes: row.scopes, expires_at: row.expires_at }
  const after = { revoked_at: new Date(now) }
  await recordAudit(tx, tenant_id, now, origin, [
    { action: 'key.revoked', subject_kind: 'key', subject_id: key_id, before, after },
  ])
  return row
}

/** `all`, or a comma-separated list of scopes. */
export function readScopes(text: string): Scope[] {
  if (text === 'all') return [...SCOPE_NAMES]
  const names = text.split(',').map(name => name.trim())
  const unknown = names.find(name => !isScope(name))
  if (unknown !== undefined) {
    throw invalid([
      { path: 'scopes', message: `"${unknown}" is not one of ${SCOPE_NAMES.join(', ')}` },
    ])
  }
  return [...new Set(names)] as Scope[]
}
