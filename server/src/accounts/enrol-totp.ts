// Setting up, replacing and removing the second factor and its recovery codes.
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'
import { conflict, invalid } from '../platform/errors.ts'
import { sendMail } from '../platform/mail.ts'
import { openOrNull, type Secrets } from '../platform/secrets.ts'
import type { Session, Visit } from './identity.ts'
import { listTenantsOf } from './list-tenants.ts'
import { personOrigin } from './log-in.ts'
import { requireSession } from './open-session.ts'
import { deleteOtherSessions } from './sessions.queries.ts'
import { codeAttempt, forgiveAttempt, takeAttempt } from './take-attempt.ts'
import { tellTenantSurely } from './tell-later.ts'
import { auditPerson } from './tell-tenant.ts'
import {
  factorPurpose,
  hashRecoveryCode,
  newRecoveryCodes,
  newTotpSecret,
  readStep,
  totpUri,
} from './totp.ts'
import {
  countRecoveryCodes,
  disableTotp,
  enableTotp,
  findUser,
  lockUser,
  saveRecoveryCodes,
  setPendingTotp,
  type User,
} from './users.queries.ts'

/** Nothing changes until a code proves that the app holds the secret. */
export async function startTotp(context: Context, session: Session) {
  const secret = newTotpSecret()
  const sealed = context.secrets.seal(secret, factorPurpose(session.user_id))
  await context.db.inTenant(RESERVED_TENANT, async tx => {
    await lockUser(tx, session.user_id)
    await requireSession(tx, session)
    await setPendingTotp(tx, session.user_id, sealed)
  })
  return { secret, uri: totpUri(secret, session.email) }
}

export async function confirmTotp(context: Context, visit: Visit, session: Session, code: string) {
  const attempt = codeAttempt(session.user_id)
  await takeAttempt(context, attempt)
  const now = context.clock.now()
  const codes = newRecoveryCodes()
  const hashes = codes.map(one => hashRecoveryCode(session.user_id, one))
  const change = await context.db.inTenant(RESERVED_TENANT, async tx => {
    const user = await lockUser(tx, session.user_id)
    await requireSession(tx, session)
    const secret = user && openPending(context.secrets, user)
    if (!secret) throw conflict(sayNothingPending(user))
    const step = readStep(secret, code, now)
    if (step === null)
      throw invalid([{ path: 'code', message: 'is not the code the app shows now' }])
    const before = await describeFactor(tx, user)
    // Sealed anew: it may have waited over a change of the key.
    const sealed = context.secrets.seal(secret, factorPurpose(user.user_id))
    await enableTotp(tx, user.user_id, sealed, step, new Date(now))
    await saveRecoveryCodes(tx, user.user_id, hashes)
    await deleteOtherSessions(tx, user.user_id, session.session_id)
    await forgiveAttempt(tx, attempt, new Date(now))
    const after = { enabled_at: new Date(now), recovery_codes: codes.length }
    const change = secondFactor(session, 'second_factor.enabled', before, after)
    await auditPerson(tx, now, personOrigin(visit, user.user_id), change)
    return change
  })
  await announce(context, visit, session, change, 'A second factor was set up')
  return { recovery_codes: codes }
}

/** Whoever confirms again, because the answer with the recovery codes was lost, is told how to get new ones. */
function sayNothingPending(user: User | undefined): string {
  return user?.totp_enabled_at
    ? 'the second factor is on already; if you have no recovery codes, make new ones'
    : 'start the set-up of the second factor first'
}

/** Null where no set-up was begun, or its key is gone. */
function openPending(secrets: Secrets, { user_id, totp_pending }: User): string | null {
  return totp_pending === null ? null : openOrNull(secrets, totp_pending, factorPurpose(user_id))
}

export async function removeTotp(context: Context, visit: Visit, session: Session): Promise<void> {
  const now = context.clock.now()
  const user = await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, session.user_id))
  const tenants = user ? await listTenantsOf(context, user) : []
  const strict = tenants.find(tenant => tenant.require_second_factor)
  if (strict) throw conflict(`${strict.name} requires a second factor`)
  const change = await context.db.inTenant(RESERVED_TENANT, async tx => {
    const before = await describeFactor(tx, await lockUser(tx, session.user_id))
    await requireSession(tx, session)
    await disableTotp(tx, session.user_id)
    const change = secondFactor(session, 'second_factor.removed', before, NO_FACTOR)
    await auditPerson(tx, now, personOrigin(visit, session.user_id), change)
    return change
  })
  await announce(context, visit, session, change, 'The second factor was removed')
}

/** New recovery codes; the old ones are dead. */
export async function renewRecoveryCodes(context: Context, visit: Visit, session: Session) {
  if (!session.has_second_factor) throw conflict('set up the second factor first')
  const now = context.clock.now()
  const codes = newRecoveryCodes()
  const hashes = codes.map(one => hashRecoveryCode(session.user_id, one))
  const change = await context.db.inTenant(RESERVED_TENANT, async tx => {
    const before = await describeFactor(tx, await lockUser(tx, session.user_id))
    await requireSession(tx, session)
    await saveRecoveryCodes(tx, session.user_id, hashes)
    const after = { ...before, recovery_codes: codes.length }
    const change = secondFactor(session, 'recovery_codes.renewed', before, after)
    await auditPerson(tx, now, personOrigin(visit, session.user_id), change)
    return change
  })
  await announce(context, visit, session, change, 'New recovery codes were made')
  return { recovery_codes: codes }
}

type Change = ReturnType<typeof secondFactor>

export type Factor = { enabled_at: Date | null; recovery_codes: number }

export const NO_FACTOR: Factor = { enabled_at: null, recovery_codes: 0 }

/** What the log may know of a second factor: since when, and how many codes are left. */
export async function describeFactor(tx: Tx, user: User | undefined): Promise<Factor> {
  if (!user) return NO_FACTOR
  const recovery_codes = await countRecoveryCodes(tx, user.user_id)
  return { enabled_at: user.totp_enabled_at, recovery_codes }
}

function secondFactor(session: Session, action: string, before: Factor, after: Factor) {
  return { action, subject_kind: 'user', subject_id: session.user_id, before, after }
}

async function announce(
  context: Context,
  visit: Visit,
  session: Session,
  change: Change,
  what: string,
) {
  await tellTenantSurely(
    context,
    session.active_tenant,
    personOrigin(visit, session.user_id),
    change,
  )
  sendMail(context, {
    to: session.email,
    subject: 'Your Bellwether account was changed',
    text: `${what}.\nIf this was not you, ask the owner of your organization for a reset link at once.\n`,
  })
}
