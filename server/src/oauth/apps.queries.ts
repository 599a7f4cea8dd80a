// All SQL of OAuth apps and of the grants people gave them.
import type { Role } from '../accounts/roles.ts'
import type { Tx } from '../platform/database.ts'
import type { Scope } from '../tenants/scopes.ts'
import { oldestOfUse } from './lifetimes.ts'

export type OAuthApp = {
  client_id: string
  name: string
  redirect_uris: string[]
  scopes: Scope[]
  secret_hash: Buffer
  created_by: string
  created_at: Date
  rotated_at: Date | null
}

export async function insertApp(tx: Tx, tenant_id: string, app: OAuthApp): Promise<void> {
  await tx`INSERT INTO oauth_apps (tenant_id, client_id, name, redirect_uris, scopes, secret_hash, created_by, created_at)
    VALUES (${tenant_id}, ${app.client_id}, ${app.name}, ${app.redirect_uris}, ${app.scopes}, ${app.secret_hash},
      ${app.created_by}, ${app.created_at})`
}

function appOf(tx: Tx, tenant_id: string, client_id: string) {
  return tx`SELECT client_id, name, redirect_uris, scopes, secret_hash, created_by, created_at, rotated_at
    FROM oauth_apps WHERE tenant_id = ${tenant_id} AND client_id = ${client_id}`
}

export async function findApp(tx: Tx, tenant_id: string, client_id: string) {
  const [row] = await tx<OAuthApp[]>`${appOf(tx, tenant_id, client_id)}`
  return row
}

/** The same, held until commit. */
export async function lockApp(tx: Tx, tenant_id: string, client_id: string) {
  const [row] = await tx<OAuthApp[]>`${appOf(tx, tenant_id, client_id)} FOR UPDATE`
  return row
}

/** For whoever relies on it: it is not removed before commit, and others may rely on it too. */
export async function holdApp(tx: Tx, tenant_id: string, client_id: string) {
  const [row] = await tx<OAuthApp[]>`${appOf(tx, tenant_id, client_id)} FOR SHARE`
  return row
}

/** Lists are read whole, so whatever would be beyond them is not added. */
export const MOST_APPS = 1000

export async function countApps(tx: Tx, tenant_id: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM oauth_apps WHERE tenant_id = ${tenant_id}`
  return row!.n
}

/** Bytes of all redirect URIs of the tenant, which the list of apps holds. */
export const MOST_URI_BYTES = 64 * 1024

export async function countUriBytes(tx: Tx, tenant_id: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT coalesce(sum(octet_length(array_to_string(redirect_uris, ''))), 0)::bigint AS n
    FROM oauth_apps WHERE tenant_id = ${tenant_id}`
  return row!.n
}

export async function listApps(tx: Tx, tenant_id: string): Promise<OAuthApp[]> {
  return tx<OAuthApp[]>`
    SELECT client_id, name, redirect_uris, scopes, secret_hash, created_by, created_at, rotated_at
    FROM oauth_apps WHERE tenant_id = ${tenant_id} ORDER BY created_at, client_id LIMIT ${MOST_APPS}`
}

export async function updateApp(
  tx: Tx,
  tenant_id: string,
  client_id: string,
  change: Pick<OAuthApp, 'name' | 'redirect_uris' | 'scopes'>,
): Promise<void> {
  await tx`UPDATE oauth_apps SET name = ${change.name}, redirect_uris = ${change.redirect_uris}, scopes = ${change.scopes}
    WHERE tenant_id = ${tenant_id} AND client_id = ${client_id}`
}

export async function setSecret(
  tx: Tx,
  tenant_id: string,
  client_id: string,
  secret_hash: Buffer,
  at: Date,
): Promise<void> {
  await tx`UPDATE oauth_apps SET secret_hash = ${secret_hash}, rotated_at = ${at}
    WHERE tenant_id = ${tenant_id} AND client_id = ${client_id}`
}

export async function deleteApp(tx: Tx, tenant_id: string, client_id: string) {
  const [row] = await tx<
    Pick<OAuthApp, 'name' | 'redirect_uris' | 'scopes'>[]
  >`DELETE FROM oauth_apps
    WHERE tenant_id = ${tenant_id} AND client_id = ${client_id} RETURNING name, redirect_uris, scopes`
  return row
}

export type Grant = {
  grant_id: string
  client_id: string
  user_id: string
  membership_id: string
  scopes: Scope[]
  created_at: Date
  expires_at: Date
  last_used_at: Date | null
  revoked_at: Date | null
}

export async function insertGrant(tx: Tx, tenant_id: string, grant: Grant): Promise<void> {
  await tx`INSERT INTO oauth_grants (tenant_id, grant_id, client_id, user_id, membership_id, scopes, created_at, expires_at)
    VALUES (${tenant_id}, ${grant.grant_id}, ${grant.client_id}, ${grant.user_id}, ${grant.membership_id},
      ${grant.scopes}, ${grant.created_at}, ${grant.expires_at})`
}

/** Not ended, and not one of which nothing works any more: no token was ever fetched, or none for too long. */
function isInForce(tx: Tx, now: Date) {
  const { used_after, approved_after } = oldestOfUse(now)
  return tx`g.revoked_at IS NULL AND g.expires_at > ${now} AND (g.last_used_at > ${used_after}
    OR (g.last_used_at IS NULL AND g.created_at > ${approved_after}))`
}

export type LiveGrant = Grant & { role: Role; app_scopes: Scope[] }

/** A grant that still stands, with the person's role now, held until commit: the lock of its token family. */
export async function lockLiveGrant(tx: Tx, tenant_id: string, grant_id: string, now: Date) {
  const [row] = await tx<LiveGrant[]>`
    SELECT g.grant_id, g.client_id, g.user_id, g.membership_id, g.scopes, g.created_at, g.expires_at, g.last_used_at,
      g.revoked_at, m.role, a.scopes AS app_scopes
    FROM oauth_grants g
      JOIN memberships m ON m.tenant_id = g.tenant_id AND m.user_id = g.user_id AND m.membership_id = g.membership_id
      JOIN oauth_apps a ON a.tenant_id = g.tenant_id AND a.client_id = g.client_id
    WHERE g.tenant_id = ${tenant_id} AND m.tenant_id = ${tenant_id} AND a.tenant_id = ${tenant_id}
      AND g.grant_id = ${grant_id} AND g.revoked_at IS NULL AND g.expires_at > ${now} AND m.status = 'active'
    FOR UPDATE OF g`
  return row
}

/** Whether a grant of somebody in one of these roles, as it stands, gives the app this scope. */
export async function isLetBy(
  tx: Tx,
  tenant_id: string,
  client_id: string,
  scope: Scope,
  roles: readonly Role[],
  now: Date,
): Promise<boolean> {
  const rows = await tx`SELECT 1 FROM oauth_grants g
      JOIN memberships m ON m.tenant_id = g.tenant_id AND m.user_id = g.user_id AND m.membership_id = g.membership_id
      JOIN oauth_apps a ON a.tenant_id = g.tenant_id AND a.client_id = g.client_id
    WHERE g.tenant_id = ${tenant_id} AND m.tenant_id = ${tenant_id} AND a.tenant_id = ${tenant_id}
      AND g.client_id = ${client_id} AND ${isInForce(tx, now)} AND m.status = 'active'
      AND m.role = ANY(${[...roles]}::text[]) AND ${scope} = ANY(g.scopes) AND ${scope} = ANY(a.scopes)
    ORDER BY g.grant_id DESC LIMIT 1`
  return rows.length > 0
}

/** Whether this person ever has, as far as is known: a grant that has ended counts too. */
export async function hasLetIn(
  tx: Tx,
  tenant_id: string,
  client_id: string,
  user_id: string,
): Promise<boolean> {
  const rows = await tx`SELECT 1 FROM oauth_grants
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id} AND client_id = ${client_id}
    ORDER BY grant_id DESC LIMIT 1`
  return rows.length > 0
}

export type EndedGrant = Pick<
  Grant,
  'client_id' | 'user_id' | 'scopes' | 'expires_at' | 'last_used_at'
>

/** What it was, if it was this call that ended the grant; why it did stands in the audit log. */
export async function revokeGrant(
  tx: Tx,
  tenant_id: string,
  grant_id: string,
  at: Date,
): Promise<EndedGrant | undefined> {
  const [row] = await tx<EndedGrant[]>`UPDATE oauth_grants SET revoked_at = ${at}
    WHERE tenant_id = ${tenant_id} AND grant_id = ${grant_id} AND revoked_at IS NULL
    RETURNING client_id, user_id, scopes, expires_at, last_used_at`
  return row
}

/** Those in force among the newest of an app: however many there are, it is soon counted. */
export async function countNewestGrants(
  tx: Tx,
  tenant_id: string,
  client_id: string,
  now: Date,
): Promise<number> {
  const [row] = await tx<
    { n: number }[]
  >`SELECT count(*) FILTER (WHERE ${isInForce(tx, now)}) AS n FROM (
      SELECT revoked_at, expires_at, last_used_at, created_at FROM oauth_grants
      WHERE tenant_id = ${tenant_id} AND client_id = ${client_id} ORDER BY grant_id DESC LIMIT ${MOST_GRANTS}) g`
  return row!.n
}

/** Approvals of a person that nothing came of: their codes were never used, so no replay is to be noticed. */
export async function forgetUnredeemed(
  tx: Tx,
  tenant_id: string,
  user_id: string,
  before: Date,
): Promise<void> {
  await tx`WITH gone AS (
      DELETE FROM oauth_grants WHERE tenant_id = ${tenant_id} AND grant_id IN (
        SELECT grant_id FROM oauth_grants WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}
          AND last_used_at IS NULL AND created_at < ${before} LIMIT 1000 FOR UPDATE SKIP LOCKED)
      RETURNING grant_id)
    DELETE FROM oauth_codes WHERE tenant_id = ${tenant_id} AND grant_id IN (SELECT grant_id FROM gone)`
}

export async function touchGrant(
  tx: Tx,
  tenant_id: string,
  grant_id: string,
  at: Date,
): Promise<void> {
  await tx`UPDATE oauth_grants SET last_used_at = ${at} WHERE tenant_id = ${tenant_id} AND grant_id = ${grant_id}`
}

export type ListedGrant = Grant & { app_name: string; email: string }

export const MOST_GRANTS = 1000

/** Grants in force; of one person, of one app, or all of the tenant. The newest, and one more where there are more. */
export async function listGrants(
  tx: Tx,
  tenant_id: string,
  filter: { user_id: string | null; client_id: string | null },
  now: Date,
): Promise<ListedGrant[]> {
  return tx<ListedGrant[]>`
    SELECT g.grant_id, g.client_id, g.user_id, g.membership_id, g.scopes, g.created_at, g.expires_at, g.last_used_at,
      g.revoked_at, a.name AS app_name, m.email
    FROM oauth_grants g
      JOIN memberships m ON m.tenant_id = g.tenant_id AND m.user_id = g.user_id AND m.membership_id = g.membership_id
      JOIN oauth_apps a ON a.tenant_id = g.tenant_id AND a.client_id = g.client_id
    WHERE g.tenant_id = ${tenant_id} AND m.tenant_id = ${tenant_id} AND a.tenant_id = ${tenant_id}
      AND ${isInForce(tx, now)}
      AND (${filter.user_id}::text IS NULL OR g.user_id = ${filter.user_id})
      AND (${filter.client_id}::text IS NULL OR g.client_id = ${filter.client_id})
    ORDER BY g.grant_id DESC LIMIT ${MOST_GRANTS + 1}`
}

export async function findGrant(tx: Tx, tenant_id: string, grant_id: string) {
  const [row] = await tx<Pick<Grant, 'grant_id' | 'client_id' | 'user_id' | 'revoked_at'>[]>`
    SELECT grant_id, client_id, user_id, revoked_at FROM oauth_grants
    WHERE tenant_id = ${tenant_id} AND grant_id = ${grant_id}`
  return row
}
