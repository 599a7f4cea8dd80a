// All SQL of authorization codes and tokens; only their hashes are stored.
import type { Role } from '../accounts/roles.ts'
import type { Tx } from '../platform/database.ts'
import type { Scope } from '../tenants/scopes.ts'

export type CodeRow = {
  code_hash: Buffer
  grant_id: string
  client_id: string
  redirect_uri: string
  code_challenge: string
  expires_at: Date
  used_at: Date | null
}

export async function insertCode(tx: Tx, tenant_id: string, code: CodeRow): Promise<void> {
  await tx`INSERT INTO oauth_codes (tenant_id, code_hash, grant_id, client_id, redirect_uri, code_challenge, expires_at)
    VALUES (${tenant_id}, ${code.code_hash}, ${code.grant_id}, ${code.client_id}, ${code.redirect_uri},
      ${code.code_challenge}, ${code.expires_at})`
}

/** Held until commit, so that of parallel uses one is the first. */
export async function lockCode(
  tx: Tx,
  tenant_id: string,
  code_hash: Buffer,
): Promise<CodeRow | undefined> {
  const [row] = await tx<CodeRow[]>`
    SELECT code_hash, grant_id, client_id, redirect_uri, code_challenge, expires_at, used_at FROM oauth_codes
    WHERE tenant_id = ${tenant_id} AND code_hash = ${code_hash} FOR UPDATE`
  return row
}

export async function markCodeUsed(
  tx: Tx,
  tenant_id: string,
  code_hash: Buffer,
  at: Date,
): Promise<void> {
  await tx`UPDATE oauth_codes SET used_at = ${at} WHERE tenant_id = ${tenant_id} AND code_hash = ${code_hash}`
}

/** Codes are kept as long as their grants, so for about a year. */
export async function isChallengeSpent(
  tx: Tx,
  tenant_id: string,
  client_id: string,
  code_challenge: string,
): Promise<boolean> {
  const rows = await tx`SELECT 1 FROM oauth_codes
    WHERE tenant_id = ${tenant_id} AND client_id = ${client_id} AND code_challenge = ${code_challenge}
      AND used_at IS NOT NULL LIMIT 1`
  return rows.length > 0
}

export type TokenRow = {
  token_hash: Buffer
  kind: 'access' | 'refresh'
  grant_id: string
  client_id: string
  scopes: Scope[]
  created_at: Date
  expires_at: Date
  used_at: Date | null
  successor_hash: Buffer | null
  revoked_at: Date | null
}

export async function insertTokens(tx: Tx, tenant_id: string, rows: TokenRow[]): Promise<void> {
  for (const row of rows) {
    await tx`INSERT INTO oauth_tokens (tenant_id, token_hash, kind, grant_id, client_id, scopes, created_at, expires_at)
      VALUES (${tenant_id}, ${row.token_hash}, ${row.kind}, ${row.grant_id}, ${row.client_id}, ${row.scopes},
        ${row.created_at}, ${row.expires_at})`
  }
}

export async function findToken(
  tx: Tx,
  tenant_id: string,
  token_hash: Buffer,
): Promise<TokenRow | undefined> {
  const [row] = await tx<TokenRow[]>`
    SELECT token_hash, kind, grant_id, client_id, scopes, created_at, expires_at, used_at, successor_hash, revoked_at
    FROM oauth_tokens WHERE tenant_id = ${tenant_id} AND token_hash = ${token_hash}`
  return row
}

/** used_at stays that of the first use: the leeway is counted from there. */
export async function setSuccessor(
  tx: Tx,
  tenant_id: string,
  token_hash: Buffer,
  successor_hash: Buffer,
  used_at: Date,
) {
  await tx`UPDATE oauth_tokens SET successor_hash = ${successor_hash}, used_at = ${used_at}
    WHERE tenant_id = ${tenant_id} AND token_hash = ${token_hash}`
}

export async function revokeToken(
  tx: Tx,
  tenant_id: string,
  token_hash: Buffer,
  at: Date,
): Promise<boolean> {
  const done = await tx`UPDATE oauth_tokens SET revoked_at = ${at}
    WHERE tenant_id = ${tenant_id} AND token_hash = ${token_hash} AND revoked_at IS NULL`.changes()
  return done > 0
}

/** Both tokens of the answer a refresh token was given in: they bear the same instant. */
export async function revokeAnswer(
  tx: Tx,
  tenant_id: string,
  refresh_hash: Buffer,
  at: Date,
): Promise<void> {
  await tx`UPDATE oauth_tokens t SET revoked_at = ${at} FROM oauth_tokens r
    WHERE t.tenant_id = ${tenant_id} AND r.tenant_id = ${tenant_id} AND r.token_hash = ${refresh_hash}
      AND t.grant_id = r.grant_id AND t.revoked_at IS NULL
      AND (t.token_hash = r.token_hash OR (t.kind = 'access' AND t.created_at = r.created_at))`
}

export type TokenMatch = {
  token_hash: Buffer
  client_id: string
  grant_id: string
  user_id: string
  scopes: Scope[]
  app_scopes: Scope[]
  role: Role
}

/** Access tokens that count: not expired, their grant and app standing, their person still let in. */
export async function findAccessTokens(
  tx: Tx,
  tenant_id: string,
  token_hashes: Buffer[],
  now: Date,
) {
  return tx<TokenMatch[]>`
    SELECT t.token_hash, t.client_id, t.grant_id, g.user_id, t.scopes, a.scopes AS app_scopes, m.role
    FROM oauth_tokens t
      JOIN oauth_grants g ON g.tenant_id = t.tenant_id AND g.grant_id = t.grant_id
      JOIN oauth_apps a ON a.tenant_id = g.tenant_id AND a.client_id = g.client_id
      JOIN memberships m ON m.tenant_id = g.tenant_id AND m.user_id = g.user_id AND m.membership_id = g.membership_id
    WHERE t.tenant_id = ${tenant_id} AND g.tenant_id = ${tenant_id} AND a.tenant_id = ${tenant_id}
      AND m.tenant_id = ${tenant_id} AND t.token_hash = ANY(${token_hashes}::bytea[]) AND t.kind = 'access'
      AND t.revoked_at IS NULL AND t.expires_at > ${now} AND g.revoked_at IS NULL AND g.expires_at > ${now}
      AND m.status = 'active'`
}

/** Spent tokens and ended families; codes go with their grant, since a late replay must still be noticed. */
export async function forgetTokens(tx: Tx, tenant_id: string, before: Date): Promise<void> {
  await tx`DELETE FROM oauth_tokens WHERE tenant_id = ${tenant_id} AND token_hash IN (
    SELECT token_hash FROM oauth_tokens WHERE tenant_id = ${tenant_id} AND expires_at < ${before} LIMIT 1000)`
  await tx`WITH gone AS (
      DELETE FROM oauth_grants WHERE tenant_id = ${tenant_id} AND grant_id IN (
        SELECT grant_id FROM oauth_grants WHERE tenant_id = ${tenant_id} AND expires_at < ${before} LIMIT 500)
      RETURNING grant_id)
    DELETE FROM oauth_codes WHERE tenant_id = ${tenant_id} AND grant_id IN (SELECT grant_id FROM gone)`
}

export async function tenantsWithOldTokens(tx: Tx, before: Date, after: string, limit: number) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND (EXISTS (
      SELECT 1 FROM oauth_tokens o WHERE o.tenant_id = t.tenant_id AND o.expires_at < ${before})
    OR EXISTS (SELECT 1 FROM oauth_grants g WHERE g.tenant_id = t.tenant_id AND g.expires_at < ${before}))
    ORDER BY t.tenant_id LIMIT ${limit}`
}
