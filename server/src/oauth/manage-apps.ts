// OAuth apps of a tenant: the secret is shown once, at creation and at each rotation.
import { isDeepStrictEqual } from 'node:util'
import type { Asked } from '../accounts/identity.ts'
import { requireStill } from '../accounts/require-still.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { actorText } from '../platform/actor.ts'
import type { Tx } from '../platform/database.ts'
import { conflict, invalid, notFound } from '../platform/errors.ts'
import { hashToken } from '../platform/tokens.ts'
import { noSuchTenant } from '../tenants/require-tenant.ts'
import type { Scope } from '../tenants/scopes.ts'
import { lockTenant } from '../tenants/tenants.queries.ts'
import {
  countApps,
  countNewestGrants,
  countUriBytes,
  deleteApp,
  insertApp,
  lockApp,
  MOST_APPS,
  MOST_URI_BYTES,
  setSecret,
  updateApp,
} from './apps.queries.ts'
import { readRedirectUris } from './redirect-uris.ts'
import { newClientSecret, newCredential } from './token-format.ts'

export type AppInput = { name: string; redirect_uris: readonly string[]; scopes: readonly Scope[] }

function readInput({ name, redirect_uris, scopes }: AppInput) {
  const shown = name.trim()
  if (shown === '' || shown.length > 200) {
    throw invalid([{ path: 'name', message: 'must have 1 to 200 characters' }])
  }
  if (scopes.length === 0)
    throw invalid([{ path: 'scopes', message: 'must name at least one scope' }])
  return {
    name: shown,
    redirect_uris: readRedirectUris(redirect_uris),
    scopes: [...new Set(scopes)],
  }
}

const subject = (client_id: string) => ({ subject_kind: 'oauth_app', subject_id: client_id })

export async function createApp(tx: Tx, { tenant_id, origin, now }: Asked, input: AppInput) {
  const app = readInput(input)
  // Invariant: the tenant's row is held until commit, so that two of them cannot both be the last.
  if (!(await lockTenant(tx, tenant_id))) throw noSuchTenant(tenant_id)
  await requireStill(tx, tenant_id, origin, 'apps:manage')
  if ((await countApps(tx, tenant_id)) >= MOST_APPS) {
    throw conflict(`an organization has at most ${MOST_APPS} apps; remove one first`)
  }
  const client_id = newCredential('client', tenant_id)
  const client_secret = newClientSecret()
  await insertApp(tx, tenant_id, {
    ...app,
    client_id,
    secret_hash: hashToken(client_secret),
    created_by: actorText(origin.actor),
    created_at: new Date(now),
    rotated_at: null,
  })
  await requireShortUris(tx, tenant_id)
  await recordAudit(tx, tenant_id, now, origin, [
    { action: 'oauth_app.created', ...subject(client_id), after: app },
  ])
  return { client_id, client_secret, ...app }
}

/** Invariant: after the write, which is undone with the refusal, and while the tenant's row is held. */
async function requireShortUris(tx: Tx, tenant_id: string): Promise<void> {
  if ((await countUriBytes(tx, tenant_id)) <= MOST_URI_BYTES) return
  throw conflict(
    `the redirect URIs of all apps of an organization have at most ${MOST_URI_BYTES / 1024} KiB together; remove some first`,
  )
}

/** What is not given stays; a change to what is there already is none. */
export async function changeApp(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  client_id: string,
  change: Partial<AppInput>,
): Promise<void> {
  // Held as by whoever makes one: together they stay within the bound.
  if (!(await lockTenant(tx, tenant_id))) throw noSuchTenant(tenant_id)
  await requireStill(tx, tenant_id, origin, 'apps:manage')
  const app = await lockApp(tx, tenant_id, client_id)
  if (!app) throw notFound('app')
  const before = { name: app.name, redirect_uris: app.redirect_uris, scopes: app.scopes }
  const after = readInput({ ...before, ...change })
  if (isDeepStrictEqual(before, after)) return
  await updateApp(tx, tenant_id, client_id, after)
  await requireShortUris(tx, tenant_id)
  await recordAudit(tx, tenant_id, now, origin, [
    { action: 'oauth_app.changed', ...subject(client_id), before, after },
  ])
}

/** The old secret stops working at once; tokens already given stay. */
export async function rotateSecret(tx: Tx, { tenant_id, origin, now }: Asked, client_id: string) {
  const client_secret = newClientSecret()
  await requireStill(tx, tenant_id, origin, 'apps:manage')
  const app = await lockApp(tx, tenant_id, client_id)
  if (!app) throw notFound('app')
  await setSecret(tx, tenant_id, client_id, hashToken(client_secret), new Date(now))
  const before = { secret_made_at: app.rotated_at ?? app.created_at }
  const after = { secret_made_at: new Date(now) }
  await recordAudit(tx, tenant_id, now, origin, [
    { action: 'oauth_app.secret_rotated', ...subject(client_id), before, after },
  ])
  return { client_id, client_secret }
}

/** Invariant: every code, grant and token asks for its app, so all of them are dead with it and none is touched. */
export async function removeApp(tx: Tx, { tenant_id, origin, now }: Asked, client_id: string) {
  await requireStill(tx, tenant_id, origin, 'apps:manage')
  const app = await deleteApp(tx, tenant_id, client_id)
  if (!app) throw notFound('app')
  const grants_ended = await countNewestGrants(tx, tenant_id, client_id, new Date(now))
  await recordAudit(tx, tenant_id, now, origin, [
    { action: 'oauth_app.deleted', ...subject(client_id), before: app, after: { grants_ended } },
  ])
}
