// Logging in by email and password. The same steps are taken for people who do not exist.
import type { Origin } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { sendMail } from '../platform/mail.ts'
import { emailKey } from './email-address.ts'
import { unauthorized, type Visit } from './identity.ts'
import { listTenantsOf } from './list-tenants.ts'
import { type OpenedSession, openSession } from './open-session.ts'
import { hashPassword, isOutdated, verifyPassword } from './password-hash.ts'
import { type Attempt, forgiveAttempt, loginAttempt, takeAttempt } from './take-attempt.ts'
import { tellTenantsLater } from './tell-later.ts'
import { auditPerson, tellTenant } from './tell-tenant.ts'
import { findUserByEmail, markLogin, replaceHash, type User } from './users.queries.ts'

export async function logIn(
  context: Context,
  visit: Visit,
  input: { email: string; password: string },
): Promise<OpenedSession> {
  const email_key = emailKey(input.email)
  const attempt = loginAttempt(email_key, visit.address)
  await takeAttempt(context, attempt)
  const user = await context.db.inTenant(RESERVED_TENANT, tx => findUserByEmail(tx, email_key))
  const stored = user?.password_hash ?? null
  const good = await verifyPassword(input.password, stored, context.config.password_cost)
  if (!user || !good || user.status !== 'active') {
    await auditFailure(context, visit, user)
    throw unauthorized('the email or the password is wrong')
  }
  await upgradeHash(context, user, input.password)
  return user.totp_enabled_at
    ? awaitCode(context, visit, user, attempt)
    : enter(context, visit, user, attempt)
}

async function awaitCode(context: Context, visit: Visit, user: User, attempt: Attempt) {
  const now = context.clock.now()
  const { user_id } = user
  const { opened, failed_before } = await context.db.inTenant(RESERVED_TENANT, async tx => {
    const failed_before = await forgiveAttempt(tx, attempt, new Date(now))
    const session = { user_id, stage: 'second_factor', active_tenant: null } as const
    return { failed_before, opened: await openSession(tx, visit, now, session) }
  })
  warnOfGuesses(context, user, failed_before)
  return opened
}

const MANY_FAILURES = 5

/** Somebody may have guessed; only the person knows whether it was them. */
function warnOfGuesses(context: Context, { email }: User, failed_before: number): void {
  if (failed_before < MANY_FAILURES) return
  sendMail(context, {
    to: email,
    subject: 'Your Bellwether password was used after failed attempts',
    text: `Your password was given rightly after ${failed_before} failed attempts.\nIf this was not you, change your password and end your other sessions.\n`,
  })
}

async function enter(context: Context, visit: Visit, user: User, attempt: Attempt) {
  const now = context.clock.now()
  const { user_id } = user
  const [tenant] = await listTenantsOf(context, user)
  const active_tenant = tenant?.tenant_id ?? null
  const origin = personOrigin(visit, user_id)
  const { opened, change, failed_before } = await context.db.inTenant(RESERVED_TENANT, async tx => {
    const failed_before = await forgiveAttempt(tx, attempt, new Date(now))
    await markLogin(tx, user_id, new Date(now))
    const opened = await openSession(tx, visit, now, { user_id, stage: 'signed_in', active_tenant })
    const change = loginSucceeded(opened, { factor: 'password', failed_before })
    await auditPerson(tx, now, origin, change)
    return { opened, change, failed_before }
  })
  await tellTenant(context, active_tenant, origin, change)
  warnOfGuesses(context, user, failed_before)
  return opened
}

export function personOrigin(visit: Visit, user_id: string): Origin {
  return {
    actor: { kind: 'user', id: user_id },
    request_id: visit.request_id,
    address: visit.address,
  }
}

export function loginSucceeded({ session_id }: OpenedSession, after: object) {
  return { action: 'login.succeeded', subject_kind: 'session', subject_id: session_id, after }
}

async function auditFailure(context: Context, visit: Visit, user: User | undefined) {
  const now = context.clock.now()
  const user_id = user?.user_id ?? 'unknown'
  const origin = personOrigin(visit, user_id)
  const change = { action: 'login.failed', subject_kind: 'user', subject_id: user_id }
  await context.db.inTenant(RESERVED_TENANT, tx => auditPerson(tx, now, origin, change))
  tellTenantsLater(context, user, origin, change)
}

/** The only moment the password is known: a hash of an older cost is made anew. */
async function upgradeHash(context: Context, user: User, password: string): Promise<void> {
  const { password_hash } = user
  const cost = context.config.password_cost
  if (password_hash === null || !isOutdated(password_hash, cost)) return
  const better = await hashPassword(password, cost)
  await context.db.inTenant(RESERVED_TENANT, tx =>
    replaceHash(tx, user.user_id, password_hash, better),
  )
}
