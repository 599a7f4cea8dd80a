// A fresh proof of identity before a sensitive change: the password again, and the code where one is set up.
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { ApiError } from '../platform/errors.ts'
import { hashToken, newToken } from '../platform/tokens.ts'
import type { Session, Visit } from './identity.ts'
import { personOrigin } from './log-in.ts'
import { SESSION } from './open-session.ts'
import { useCode } from './pass-second-factor.ts'
import { verifyPassword } from './password-hash.ts'
import { renewSession } from './sessions.queries.ts'
import { forgiveAttempt, proofAttempt, takeAttempt } from './take-attempt.ts'
import { tellTenantsLater } from './tell-later.ts'
import { auditPerson } from './tell-tenant.ts'
import { findUser, lockUser } from './users.queries.ts'

/** The cookie changes with it; whoever copied the old one is out. */
export async function reauthenticate(
  context: Context,
  visit: Visit,
  session: Session,
  proof: { password: string; code: string },
): Promise<{ token: string; until: Date }> {
  const attempt = proofAttempt(session)
  await takeAttempt(context, attempt)
  const known = await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, session.user_id))
  const stored = known?.password_hash ?? null
  const good = await verifyPassword(proof.password, stored, context.config.password_cost)
  const now = context.clock.now()
  const origin = personOrigin(visit, session.user_id)
  const subject = { subject_kind: 'session', subject_id: session.session_id }
  const token = newToken()
  const renewed = await context.db.inTenant(RESERVED_TENANT, async tx => {
    const user = good ? await lockUser(tx, session.user_id) : undefined
    const proven =
      user &&
      (user.totp_enabled_at === null || (await useCode(tx, context.secrets, user, proof.code, now)))
    if (!proven || !(await renewSession(tx, session.session_id, hashToken(token), new Date(now)))) {
      await auditPerson(tx, now, origin, { action: 'session.proof_failed', ...subject })
      return false
    }
    await forgiveAttempt(tx, attempt, new Date(now))
    await auditPerson(tx, now, origin, { action: 'session.proven', ...subject })
    return true
  })
  if (!renewed) {
    const failed = { action: 'session.proof_failed', ...subject }
    tellTenantsLater(context, known, origin, failed)
    throw new ApiError('REAUTHENTICATION_REQUIRED', 'the password or the code is wrong')
  }
  return { token, until: new Date(now + SESSION.fresh_ms) }
}
