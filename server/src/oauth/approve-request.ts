// A person says yes: a grant, and a code that lives for a minute.
import { holdMembership } from '../accounts/memberships.queries.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Origin } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { newId } from '../platform/ids.ts'
import { hashToken } from '../platform/tokens.ts'
import { forgetUnredeemed, holdApp, insertGrant } from './apps.queries.ts'
import { type Client, type GrantOffer, noSuchApp, notOfTenant } from './authorize.ts'
import { LIFETIMES } from './lifetimes.ts'
import { newCredential } from './token-format.ts'
import { insertCode } from './tokens.queries.ts'

export async function approveRequest(
  context: Context,
  origin: Origin,
  { tenant_id, app, redirect_uri }: Client,
  { membership_id, granted, code_challenge }: GrantOffer,
): Promise<string> {
  const now = context.clock.now()
  const { client_id } = app
  const grant_id = newId('grt', now)
  const code = newCredential('code', tenant_id)
  await context.db.inTenant(tenant_id, async tx => {
    // Invariant: app and person, judged a moment ago, stay until commit, so that nobody lets in what is gone.
    if (!(await holdApp(tx, tenant_id, client_id))) throw noSuchApp()
    const member = await holdMembership(tx, tenant_id, origin.actor.id)
    if (member?.status !== 'active' || member.membership_id !== membership_id) throw notOfTenant()
    await forgetUnredeemed(tx, tenant_id, origin.actor.id, new Date(now - LIFETIMES.unredeemed_ms))
    await insertGrant(tx, tenant_id, {
      grant_id,
      client_id,
      user_id: origin.actor.id,
      membership_id,
      scopes: granted,
      created_at: new Date(now),
      expires_at: new Date(now + LIFETIMES.grant_ms),
      last_used_at: null,
      revoked_at: null,
    })
    await insertCode(tx, tenant_id, {
      code_hash: hashToken(code),
      grant_id,
      client_id,
      redirect_uri,
      code_challenge,
      expires_at: new Date(now + LIFETIMES.code_ms),
      used_at: null,
    })
    const after = { client_id, scopes: granted }
    await recordAudit(tx, tenant_id, now, origin, [
      { action: 'grant.approved', subject_kind: 'grant', subject_id: grant_id, after },
    ])
  })
  return code
}
