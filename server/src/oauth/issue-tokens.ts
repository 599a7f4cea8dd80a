// A pair of tokens for a grant: what the answer holds, and what is stored of it.
import { scopesOf } from '../accounts/roles.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { hashToken } from '../platform/tokens.ts'
import type { Scope } from '../tenants/scopes.ts'
import { type LiveGrant, touchGrant } from './apps.queries.ts'
import { LIFETIMES } from './lifetimes.ts'
import { newCredential } from './token-format.ts'
import { insertTokens } from './tokens.queries.ts'

export type TokenAnswer = {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

/** Never more than the person's role holds now, nor than the app may ask for now. */
export function scopesNow({ scopes, role, app_scopes }: LiveGrant): Scope[] {
  const own = scopesOf(role)
  return scopes.filter(scope => own.has(scope) && app_scopes.includes(scope))
}

export async function issueTokens(
  tx: Tx,
  tenant_id: string,
  grant: LiveGrant,
  scopes: Scope[],
  now: Instant,
): Promise<{ answer: TokenAnswer; refresh_hash: Buffer }> {
  const access_token = newCredential('access', tenant_id)
  const refresh_token = newCredential('refresh', tenant_id)
  const refresh_hash = hashToken(refresh_token)
  const end = grant.expires_at.getTime()
  const common = {
    grant_id: grant.grant_id,
    client_id: grant.client_id,
    created_at: new Date(now),
    used_at: null,
    successor_hash: null,
    revoked_at: null,
  }
  const access = {
    ...common,
    kind: 'access' as const,
    token_hash: hashToken(access_token),
    scopes,
    expires_at: new Date(now + LIFETIMES.access_ms),
  }
  const refresh = {
    ...common,
    kind: 'refresh' as const,
    token_hash: refresh_hash,
    scopes: grant.scopes,
    expires_at: new Date(Math.min(now + LIFETIMES.refresh_idle_ms, end)),
  }
  await insertTokens(tx, tenant_id, [access, refresh])
  await touchGrant(tx, tenant_id, grant.grant_id, new Date(now))
  const answer = {
    access_token,
    token_type: 'Bearer' as const,
    expires_in: LIFETIMES.access_ms / 1000,
    refresh_token,
    scope: scopes.join(' '),
  }
  return { answer, refresh_hash }
}
