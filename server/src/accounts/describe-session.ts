// What the dashboard knows about the person in front of it.
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { type Identity, type Session, unauthorized } from './identity.ts'
import { listTenantsOf } from './list-tenants.ts'
import { isFresh, SESSION } from './open-session.ts'
import { listSessions } from './sessions.queries.ts'
import { countRecoveryCodes, findUser } from './users.queries.ts'

export async function describeSession(
  context: Context,
  session: Session,
  identity: Identity | null,
) {
  const { stage, csrf_token, user_id, email } = session
  if (stage !== 'signed_in') return { stage, csrf_token, user: { id: user_id, email } }
  const now = context.clock.now()
  const { user, codes } = await context.db.inTenant(RESERVED_TENANT, async tx => {
    const [user, codes] = await Promise.all([
      findUser(tx, user_id),
      countRecoveryCodes(tx, user_id),
    ])
    return { user, codes }
  })
  if (!user) throw unauthorized('log in first')
  return {
    stage,
    csrf_token,
    user: {
      id: user_id,
      email,
      second_factor: user.totp_enabled_at !== null,
      recovery_codes_left: codes,
      password_changed_at: user.password_changed_at,
    },
    tenant: identity && {
      id: identity.tenant_id,
      name: identity.tenant_name,
      plan: identity.plan,
      role: identity.role,
      scopes: [...identity.scopes],
      permissions: [...identity.permissions],
      needs_second_factor: identity.needs_second_factor,
    },
    tenants: await listTenantsOf(context, user),
    proven_until: isFresh(session, now)
      ? new Date(session.authenticated_at + SESSION.fresh_ms)
      : null,
    expires_at: new Date(session.expires_at),
  }
}

export async function describeSessions(context: Context, session: Session) {
  const now = context.clock.now()
  const rows = await context.db.inTenant(RESERVED_TENANT, tx =>
    listSessions(tx, session.user_id, new Date(now), new Date(now - SESSION.idle_ms)),
  )
  return rows.map(({ session_id, address, device, created_at, last_seen_at, expires_at }) => ({
    id: session_id,
    current: session_id === session.session_id,
    address,
    device,
    created_at,
    last_seen_at,
    expires_at,
  }))
}
