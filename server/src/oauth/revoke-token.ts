// RFC 7009: an app gives a token back. A refresh token ends the whole grant, an access token itself.
import { recordAudit } from '../audit/record-audit.ts'
import type { Origin } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import type { Form } from '../platform/form-body.ts'
import { hashToken } from '../platform/tokens.ts'
import type { KnownClient } from './authenticate-client.ts'
import { endGrant } from './end-grant.ts'
import { OAuthError } from './oauth-error.ts'
import { findToken, revokeToken } from './tokens.queries.ts'

/** An unknown token is as good as a revoked one; another app's is refused and left alone. */
export async function giveBackToken(
  context: Context,
  { tenant_id, app }: KnownClient,
  form: Form,
  origin: Origin,
): Promise<void> {
  const token = form.get('token')
  if (token === '') throw new OAuthError('invalid_request', 'token is missing')
  const now = context.clock.now()
  const own = await context.db.inTenant(tenant_id, async tx => {
    const row = await findToken(tx, tenant_id, hashToken(token))
    if (!row) return true
    if (row.client_id !== app.client_id) return false
    if (row.kind === 'refresh')
      await endGrant(tx, { tenant_id, origin, now }, row.grant_id, 'client')
    else if (await revokeToken(tx, tenant_id, row.token_hash, new Date(now))) {
      const subject = { subject_kind: 'grant', subject_id: row.grant_id }
      const before = { kind: row.kind, scopes: row.scopes, expires_at: row.expires_at }
      await recordAudit(tx, tenant_id, now, origin, [
        { action: 'token.revoked', ...subject, before, after: { kind: row.kind, why: 'client' } },
      ])
    }
    return true
  })
  if (!own) throw new OAuthError('invalid_grant', 'the token was given to another app')
}
