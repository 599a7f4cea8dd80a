// A new password by someone who has just proven who they are; every other session ends.
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { sendMail } from '../platform/mail.ts'
import type { Session, Visit } from './identity.ts'
import { dropResets } from './links.queries.ts'
import { namesOfTenants } from './list-tenants.ts'
import { personOrigin } from './log-in.ts'
import { requireSession } from './open-session.ts'
import { hashChosen } from './password-hash.ts'
import { requireGoodPassword } from './password-policy.ts'
import { deleteOtherSessions } from './sessions.queries.ts'
import { tellTenantSurely } from './tell-later.ts'
import { auditPerson } from './tell-tenant.ts'
import { findUser, lockUser, setPassword } from './users.queries.ts'

export async function changePassword(
  context: Context,
  visit: Visit,
  session: Session,
  password: string,
): Promise<void> {
  const known = await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, session.user_id))
  requireGoodPassword(password, session.email, known ? await namesOfTenants(context, known) : [])
  const hash = await hashChosen(session.user_id, password, context.config.password_cost)
  const now = context.clock.now()
  const origin = personOrigin(visit, session.user_id)
  const subject = { subject_kind: 'user', subject_id: session.user_id }
  const change = await context.db.inTenant(RESERVED_TENANT, async tx => {
    const user = await lockUser(tx, session.user_id)
    await requireSession(tx, session)
    await setPassword(tx, session.user_id, hash, new Date(now))
    await dropResets(tx, session.user_id)
    const sessions_ended = await deleteOtherSessions(tx, session.user_id, session.session_id)
    const before = { changed_at: user?.password_changed_at ?? null }
    const after = { changed_at: new Date(now), sessions_ended }
    const change = { action: 'password.changed', ...subject, before, after }
    await auditPerson(tx, now, origin, change)
    return change
  })
  await tellTenantSurely(context, session.active_tenant, origin, change)
  sendMail(context, {
    to: session.email,
    subject: 'Your Bellwether password was changed',
    text: 'Your password was changed and your other sessions were ended.\nApps that you let in keep their access; end it in your profile.\nIf this was not you, ask the owner of your organization for a reset link at once.\n',
  })
}
