// The second step of a login: a code of the authenticator app, or one of the recovery codes.
import type { Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'
import { openOrNull, type Secrets } from '../platform/secrets.ts'
import { accountKey } from './email-address.ts'
import { type Session, unauthorized, type Visit } from './identity.ts'
import { knownBrowser } from './known-browser.ts'
import { listTenantsOf } from './list-tenants.ts'
import { loginSucceeded, personOrigin } from './log-in.ts'
import { type OpenedSession, openSession } from './open-session.ts'
import { countWrongCode, deleteSession } from './sessions.queries.ts'
import { codeAttempt, forgiveAttempt, takeAttempt } from './take-attempt.ts'
import { tellTenantSurely, tellTenantsLater } from './tell-later.ts'
import { auditPerson } from './tell-tenant.ts'
import { factorPurpose, hashRecoveryCode, readStep } from './totp.ts'
import {
  findUser,
  lockUser,
  markLogin,
  type User,
  useRecoveryCode,
  useStep,
} from './users.queries.ts'

const MOST_WRONG_CODES = 5

export type Factor = 'totp' | 'recovery_code'

/** Invariant: each code is good once, also for requests in parallel. */
export async function useCode(
  tx: Tx,
  secrets: Secrets,
  user: User,
  code: string,
  now: Instant,
): Promise<Factor | null> {
  if (user.totp_secret === null) return null
  // With its key gone it fits no code; the recovery codes need none.
  const secret = openOrNull(secrets, user.totp_secret, factorPurpose(user.user_id))
  const step = secret === null ? null : readStep(secret, code, now)
  if (step !== null) return (await useStep(tx, user.user_id, step)) ? 'totp' : null
  const hash = hashRecoveryCode(user.user_id, code)
  return (await useRecoveryCode(tx, user.user_id, hash, new Date(now))) ? 'recovery_code' : null
}

/** The pending session ends and a new one begins, so that nothing planted before the login survives it. */
export async function passSecondFactor(
  context: Context,
  visit: Visit,
  session: Session,
  code: string,
): Promise<OpenedSession> {
  if (session.stage !== 'second_factor') throw unauthorized('no login waits for a code')
  const browser = knownBrowser(context, visit, accountKey(session.email))
  const attempt = codeAttempt(session.user_id, browser !== null)
  await takeAttempt(context, attempt)
  const known = await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, session.user_id))
  const [tenant] = known ? await listTenantsOf(context, known) : []
  const now = context.clock.now()
  const origin = personOrigin(visit, session.user_id)
  const active_tenant = tenant?.tenant_id ?? null
  const subject = { subject_kind: 'user', subject_id: session.user_id }
  const codeFailed = { action: 'login.code_failed', ...subject }
  const opened = await context.db.inTenant(RESERVED_TENANT, async tx => {
    const user = await lockUser(tx, session.user_id)
    const factor = user && (await useCode(tx, context.secrets, user, code, now))
    if (!factor || !(await deleteSession(tx, user.user_id, session.session_id))) {
      await refuse(tx)
      return null
    }
    await forgiveAttempt(tx, attempt, new Date(now))
    await markLogin(tx, user.user_id, new Date(now))
    const fresh = { user_id: user.user_id, stage: 'signed_in', active_tenant } as const
    const opened = await openSession(tx, visit, now, fresh)
    await auditPerson(tx, now, origin, loginSucceeded(opened, { factor }))
    return opened
  })
  if (!opened) {
    tellTenantsLater(context, known, origin, codeFailed)
    throw unauthorized('the code is wrong or was used already')
  }
  await tellTenantSurely(context, active_tenant, origin, loginSucceeded(opened, { factor: 'code' }))
  return opened

  async function refuse(tx: Tx): Promise<void> {
    const wrong = await countWrongCode(tx, session.session_id)
    if (wrong >= MOST_WRONG_CODES) await deleteSession(tx, session.user_id, session.session_id)
    await auditPerson(tx, now, origin, codeFailed)
  }
}
