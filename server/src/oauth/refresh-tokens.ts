// A refresh token for a new pair. One chain lives at any time; a token used by two ends them all.
import type { Origin } from '../platform/actor.ts'
import type { Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import type { Form } from '../platform/form-body.ts'
import { hashToken } from '../platform/tokens.ts'
import type { Scope } from '../tenants/scopes.ts'
import { type LiveGrant, lockLiveGrant } from './apps.queries.ts'
import type { KnownClient } from './authenticate-client.ts'
import { readScopeNames } from './authorize.ts'
import { endGrant } from './end-grant.ts'
import { issueTokens, scopesNow, type TokenAnswer } from './issue-tokens.ts'
import { LIFETIMES } from './lifetimes.ts'
import { OAuthError } from './oauth-error.ts'
import { tenantOf } from './token-format.ts'
import { findToken, revokeAnswer, setSuccessor, type TokenRow } from './tokens.queries.ts'

type Outcome = TokenAnswer | OAuthError

export async function refreshTokens(
  context: Context,
  { tenant_id, app }: KnownClient,
  form: Form,
  origin: Origin,
): Promise<TokenAnswer> {
  const token = form.get('refresh_token')
  if (token === '') throw new OAuthError('invalid_request', 'refresh_token is missing')
  if (tenantOf('refresh', token) !== tenant_id) throw refused('the refresh token is not valid')
  const outcome = await context.db.inTenant(tenant_id, tx => refresh(tx))
  if (outcome instanceof OAuthError) throw outcome
  return outcome

  async function refresh(tx: Tx): Promise<Outcome> {
    const now = context.clock.now()
    const known = await findToken(tx, tenant_id, hashToken(token))
    if (known?.kind !== 'refresh' || known.client_id !== app.client_id) {
      return refused('the refresh token is not valid')
    }
    const grant = await lockLiveGrant(tx, tenant_id, known.grant_id, new Date(now))
    if (!grant) return refused('the access was revoked or has ended')
    // Read again under the lock: of requests in parallel each sees what the one before it did.
    const row = (await findToken(tx, tenant_id, known.token_hash))!
    // Also of one that has expired since: whoever still has it took it from somebody.
    if (!(await mayBeUsed(tx, tenant_id, row, now))) {
      await endGrant(tx, { tenant_id, origin, now }, row.grant_id, 'refresh_reused')
      return refused('the refresh token was used before; the access is revoked')
    }
    if (row.expires_at.getTime() <= now) return refused('the refresh token has expired')
    const scopes = narrow(scopesNow(grant), grant, form)
    if (scopes instanceof OAuthError) return scopes
    return rotate(tx, tenant_id, grant, row, scopes, now)
  }
}

function refused(description: string): OAuthError {
  return new OAuthError('invalid_grant', description)
}

/** Unused; or used a moment ago by a client that never saw the answer, so that its successor is unused. */
async function mayBeUsed(tx: Tx, tenant_id: string, row: TokenRow, now: Instant): Promise<boolean> {
  if (row.revoked_at !== null) return false
  if (row.used_at === null || row.successor_hash === null) return true
  if (now - row.used_at.getTime() > LIFETIMES.leeway_ms) return false
  const successor = await findToken(tx, tenant_id, row.successor_hash)
  return successor !== undefined && successor.used_at === null && successor.revoked_at === null
}

function narrow(scopes: Scope[], grant: LiveGrant, form: Form): Scope[] | OAuthError {
  if (scopes.length === 0) return refused('the person or the app has lost the access it was given')
  if (form.get('scope') === '') return scopes
  const wanted = readScopeNames(form.get('scope'))
  const beyond = wanted.find(name => !grant.scopes.includes(name as Scope))
  if (beyond !== undefined) return new OAuthError('invalid_scope', `${beyond} was not granted`)
  const narrowed = scopes.filter(scope => wanted.includes(scope))
  return narrowed.length > 0
    ? narrowed
    : new OAuthError('invalid_scope', 'none of the scopes is left')
}

async function rotate(
  tx: Tx,
  tenant_id: string,
  grant: LiveGrant,
  row: TokenRow,
  scopes: Scope[],
  now: Instant,
): Promise<TokenAnswer> {
  // By the answer, not by time: a request that waited for another is dated before it.
  if (row.successor_hash) await revokeAnswer(tx, tenant_id, row.successor_hash, new Date(now))
  const { answer, refresh_hash } = await issueTokens(tx, tenant_id, grant, scopes, now)
  await setSuccessor(tx, tenant_id, row.token_hash, refresh_hash, row.used_at ?? new Date(now))
  return answer
}
