// Ending sessions: one's own at logout, another of one's own, or all others.
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { notFound } from '../platform/errors.ts'
import type { Session, Visit } from './identity.ts'
import { personOrigin } from './log-in.ts'
import { deleteOtherSessions, deleteSession } from './sessions.queries.ts'
import { tellTenantSurely } from './tell-later.ts'
import { auditPerson } from './tell-tenant.ts'

export async function endSession(
  context: Context,
  visit: Visit,
  session: Session,
  session_id: string,
): Promise<void> {
  const now = context.clock.now()
  const origin = personOrigin(visit, session.user_id)
  const own = session_id === session.session_id
  const action = own ? 'session.logged_out' : 'session.ended'
  const change = { action, subject_kind: 'session', subject_id: session_id }
  await context.db.inTenant(RESERVED_TENANT, async tx => {
    const ended = await deleteSession(tx, session.user_id, session_id)
    if (!ended && !own) throw notFound('session')
    await auditPerson(tx, now, origin, change)
  })
  await tellTenantSurely(context, session.active_tenant, origin, change)
}

export async function endOtherSessions(
  context: Context,
  visit: Visit,
  session: Session,
): Promise<number> {
  const now = context.clock.now()
  const origin = personOrigin(visit, session.user_id)
  const subject = { subject_kind: 'user', subject_id: session.user_id }
  const { ended, change } = await context.db.inTenant(RESERVED_TENANT, async tx => {
    const ended = await deleteOtherSessions(tx, session.user_id, session.session_id)
    const counts = { before: { sessions: ended + 1 }, after: { sessions: 1 } }
    const change = { action: 'session.others_ended', ...subject, ...counts }
    await auditPerson(tx, now, origin, change)
    return { ended, change }
  })
  await tellTenantSurely(context, session.active_tenant, origin, change)
  return ended
}
