// Logging in by email and password. The same steps are taken for people who do not exist.
import type { Origin } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'
import { sendMail } from '../platform/mail.ts'
import { accountKey } from './email-address.ts'
import { unauthorized, type Visit } from './identity.ts'
import { knownBrowser } from './known-browser.ts'
import { listTenantsOf } from './list-tenants.ts'
import { type OpenedSession, openSession } from './open-session.ts'
import { hashPassword, isOutdated, verifyPassword } from './password-hash.ts'
import { type Attempt, forgiveAttempt, loginAttempt, takeAttempt } from './take-attempt.ts'
import { tellTenantSurely, tellTenantsLater } from './tell-later.ts'
import { auditPerson } from './tell-tenant.ts'
import { findUserByEmail, lockUser, markLogin, replaceHash, type User } from './users.queries.ts'

/** An account changes rarely; one that changes at each of these is refused. */
const MOST_TURNS = 3

/** Checking a password takes its time: an account that changed meanwhile is judged anew. */
export async function logIn(
  context: Context,
  visit: Visit,
  input: { email: string; password: string },
): Promise<OpenedSession> {
  const email_key = accountKey(input.email)
  const browser = knownBrowser(context, visit, email_key)
  const attempt = loginAttempt(email_key, visit.address, browser)
  await takeAttempt(context, attempt)
  let known: User | undefined
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    known = await context.db.inTenant(RESERVED_TENANT, tx => findUserByEmail(tx, email_key))
    const user = await checkPassword(context, known, input.password)
    if (!user) break
    const open = user.totp_enabled_at ? awaitCode : enter
    const opened = await open(context, visit, user, attempt)
    if (opened) return opened
  }
  await auditFailure(context, visit, known)
  throw unauthorized('the email or the password is wrong')
}

/** The person with the hash that this password is now stored as, or null where it opens nothing. */
async function checkPassword(
  context: Context,
  user: User | undefined,
  password: string,
): Promise<User | null> {
  const stored = user?.password_hash ?? null
  const good = await verifyPassword(password, stored, context.config.password_cost)
  if (!user || !good || user.status !== 'active') return null
  return { ...user, password_hash: await upgradeHash(context, user, password) }
}

/** Invariant: until commit the account stays as it was when the password was checked; false if it did not. */
async function holdUnchanged(tx: Tx, user: User): Promise<boolean> {
  const found = await lockUser(tx, user.user_id)
  return (
    found?.password_hash === user.password_hash &&
    found.status === user.status &&
    (found.totp_enabled_at === null) === (user.totp_enabled_at === null)
  )
}

async function awaitCode(context: Context, visit: Visit, user: User, attempt: Attempt) {
  const now = context.clock.now()
  const { user_id } = user
  const done = await context.db.inTenant(RESERVED_TENANT, async tx => {
    if (!(await holdUnchanged(tx, user))) return null
    const failed_before = await forgiveAttempt(tx, attempt, new Date(now))
    const session = { user_id, stage: 'second_factor', active_tenant: null } as const
    return { failed_before, opened: await openSession(tx, visit, now, session) }
  })
  if (!done) return null
  warnOfGuesses(context, user, done.failed_before)
  return done.opened
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
  const done = await context.db.inTenant(RESERVED_TENANT, async tx => {
    if (!(await holdUnchanged(tx, user))) return null
    const failed_before = await forgiveAttempt(tx, attempt, new Date(now))
    await markLogin(tx, user_id, new Date(now))
    const opened = await openSession(tx, visit, now, { user_id, stage: 'signed_in', active_tenant })
    const change = loginSucceeded(opened, { factor: 'password', failed_before })
    await auditPerson(tx, now, origin, change)
    return { opened, change, failed_before }
  })
  if (!done) return null
  await tellTenantSurely(context, active_tenant, origin, done.change)
  warnOfGuesses(context, user, done.failed_before)
  return done.opened
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
async function upgradeHash(context: Context, { user_id, password_hash }: User, password: string) {
  const cost = context.config.password_cost
  if (password_hash === null || !isOutdated(password_hash, cost)) return password_hash
  const better = await hashPassword(password, cost)
  await context.db.inTenant(RESERVED_TENANT, tx => replaceHash(tx, user_id, password_hash, better))
  return better
}
