// A code for tokens: every condition in order; a second use ends what the first one gave.
import { createHash } from 'node:crypto'
import type { Origin } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import type { Form } from '../platform/form-body.ts'
import { hashToken, isSameSecret } from '../platform/tokens.ts'
import { lockLiveGrant } from './apps.queries.ts'
import type { KnownClient } from './authenticate-client.ts'
import { endGrant } from './end-grant.ts'
import { issueTokens, scopesNow, type TokenAnswer } from './issue-tokens.ts'
import { OAuthError } from './oauth-error.ts'
import { tenantOf } from './token-format.ts'
import { type CodeRow, lockCode, markCodeUsed } from './tokens.queries.ts'

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/** A refusal is returned, not thrown, so that what it revoked is committed. */
type Outcome = TokenAnswer | string

export async function exchangeCode(
  context: Context,
  { tenant_id, app }: KnownClient,
  form: Form,
  origin: Origin,
): Promise<TokenAnswer> {
  const code = form.get('code')
  for (const name of ['code', 'redirect_uri']) {
    if (form.get(name) === '') throw new OAuthError('invalid_request', `${name} is missing`)
  }
  if (tenantOf('code', code) !== tenant_id)
    throw new OAuthError('invalid_grant', 'the code is not valid')
  const outcome = await context.db.inTenant(tenant_id, tx => exchange(tx))
  if (typeof outcome === 'string') throw new OAuthError('invalid_grant', outcome)
  return outcome

  async function exchange(tx: Tx): Promise<Outcome> {
    const now = context.clock.now()
    const row = await lockCode(tx, tenant_id, hashToken(code))
    if (!row || row.client_id !== app.client_id) return 'the code is not valid'
    if (row.used_at !== null) {
      await endGrant(tx, { tenant_id, origin, now }, row.grant_id, 'code_reused')
      return 'the code was used before; all it gave is revoked'
    }
    if (row.expires_at.getTime() <= now) return 'the code has expired'
    if (row.redirect_uri !== form.get('redirect_uri'))
      return 'redirect_uri differs from the one of the request'
    if (!provesKey(row, form.get('code_verifier')))
      return 'code_verifier is missing or does not match'
    const grant = await lockLiveGrant(tx, tenant_id, row.grant_id, new Date(now))
    const scopes = grant ? scopesNow(grant) : []
    if (!grant || scopes.length === 0)
      return 'the person or the app has lost the access it was given'
    await markCodeUsed(tx, tenant_id, row.code_hash, new Date(now))
    return (await issueTokens(tx, tenant_id, grant, scopes, now)).answer
  }
}

/** Invariant: a code without a challenge proves nothing and is refused, never let through. */
function provesKey({ code_challenge }: CodeRow, verifier: string): boolean {
  if (!CHALLENGE.test(code_challenge) || !VERIFIER.test(verifier)) return false
  return isSameSecret(createHash('sha256').update(verifier).digest('base64url'), code_challenge)
}
