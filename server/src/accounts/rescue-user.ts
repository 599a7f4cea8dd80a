// Help for someone who is locked out: a reset link, a lost second factor, ended sessions, or a disabled account.
import { recordAudit } from '../audit/record-audit.ts'
import { leave } from '../endings/end-access.ts'
import type { Origin } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'
import { conflict, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { sendMail } from '../platform/mail.ts'
import { describeFactor, NO_FACTOR } from './enrol-totp.ts'
import { listTenantsOf } from './list-tenants.ts'
import {
  findMembership,
  hasAccepted,
  lockMembership,
  shownStatus,
  updateMembership,
} from './memberships.queries.ts'
import { createLink, mailReset, type SentLink } from './send-links.ts'
import { deleteOtherSessions } from './sessions.queries.ts'
import { linkAttempt, takeAttempt } from './take-attempt.ts'
import { auditPerson, tellTenant } from './tell-tenant.ts'
import { belongsElsewhere, hasSameTenants } from './tenant-hints.ts'
import { disableTotp, findUser, lockUser, setUserStatus, type User } from './users.queries.ts'

/** Invariant: an owner has power over an account only while it belongs to this tenant and to no other. */
export async function requireOwnUser(
  context: Context,
  tenant_id: string,
  user_id: string,
): Promise<User> {
  const [membership, user] = await Promise.all([
    context.db.inTenant(tenant_id, tx => findMembership(tx, tenant_id, user_id)),
    context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, user_id)),
  ])
  if (!membership || !user) throw notFound('user')
  if (!hasAccepted(membership)) {
    throw conflict('this person has not accepted the invitation; invite them again instead')
  }
  if (await belongsElsewhere(context, user, tenant_id)) {
    throw conflict('this person belongs to another organization too; only the operator can do this')
  }
  return user
}

/** The same under the lock: the user as it was judged, for what an owner (not the operator, null) does to it. */
async function lockOwnUser(tx: Tx, judged: User, tenant_id: string | null): Promise<User> {
  const user = await lockUser(tx, judged.user_id)
  if (!user) throw notFound('user')
  if (tenant_id !== null && !hasSameTenants(judged, user)) {
    throw conflict('this person is joining or leaving an organization; try again')
  }
  return user
}

/**
 * Only a link is made, which goes by mail, or where none is set up to the owner to pass on: whoever holds it chooses the
 * password, of which the person hears by mail, and the second factor stays.
 */
export async function startReset(
  context: Context,
  origin: Origin,
  base_url: string,
  user: User,
  tenant_id: string | null,
): Promise<SentLink> {
  const { user_id } = user
  if (tenant_id !== null) {
    await requireEnabled(context, tenant_id, user_id)
    await takeAttempt(context, linkAttempt(tenant_id, user_id), 'links to this person')
  }
  const link = { purpose: 'reset', user_id, for_tenant: tenant_id } as const
  const sent = await createLink(context, origin, base_url, link)
  const change = { action: 'password.reset_started', subject_kind: 'user', subject_id: user_id }
  const now = context.clock.now()
  await context.db.inTenant(RESERVED_TENANT, tx => auditPerson(tx, now, origin, change))
  await tellTenants(context, user, tenant_id, origin, change)
  mailReset(context, user.email, sent.url)
  return sent
}

/** A link works for nobody who is disabled. */
async function requireEnabled({ db }: Context, tenant_id: string, user_id: string): Promise<void> {
  const membership = await db.inTenant(tenant_id, tx => findMembership(tx, tenant_id, user_id))
  if (membership?.status !== 'active') {
    throw conflict('this person is disabled; let them in again first')
  }
}

export async function dropSecondFactor(
  context: Context,
  origin: Origin,
  judged: User,
  tenant_id: string | null,
): Promise<void> {
  const now = context.clock.now()
  const { user_id } = judged
  const { user, change } = await context.db.inTenant(RESERVED_TENANT, async tx => {
    const user = await lockOwnUser(tx, judged, tenant_id)
    const before = await describeFactor(tx, user)
    await disableTotp(tx, user_id)
    const sessions_ended = await deleteOtherSessions(tx, user_id, '')
    const change = {
      action: 'second_factor.dropped',
      subject_kind: 'user',
      subject_id: user_id,
      before,
      after: { ...NO_FACTOR, sessions_ended },
    }
    await auditPerson(tx, now, origin, change)
    return { user, change }
  })
  await tellTenants(context, user, tenant_id, origin, change)
  if (user.totp_enabled_at !== null) mailDropped(context, user)
}

/** Without it a password alone opens the account. */
function mailDropped(context: Context, { email }: User): void {
  sendMail(context, {
    to: email,
    subject: 'Your Bellwether account was changed',
    text: 'Your second factor was taken away and your sessions were ended.\nIf you did not ask for it, ask the owner of your organization at once.\nLog in and set up a new one.\n',
  })
}

export async function endSessionsOf(
  context: Context,
  origin: Origin,
  tenant_id: string,
  judged: User,
) {
  const now = context.clock.now()
  const { user_id } = judged
  const change = await context.db.inTenant(RESERVED_TENANT, async tx => {
    await lockOwnUser(tx, judged, tenant_id)
    const ended = await deleteOtherSessions(tx, user_id, '')
    const subject = { subject_kind: 'user', subject_id: user_id }
    const counts = { before: { sessions: ended }, after: { sessions: 0 } }
    const change = { action: 'session.all_ended', ...subject, ...counts }
    await auditPerson(tx, now, origin, change)
    return change
  })
  await tellTenant(context, tenant_id, origin, change)
}

/**
 * The operator's switch over the whole account; each step can be done again. Invariant: letting in again undoes
 * only what shutting out did: someone disabled by an owner stays disabled.
 */
export async function setUserEnabled(
  context: Context,
  origin: Origin,
  user: User,
  enabled: boolean,
) {
  const { user_id, tenant_ids } = user
  const now = context.clock.now()
  const [was, is] = enabled ? (['shut_out', 'active'] as const) : (['active', 'shut_out'] as const)
  const change = {
    action: enabled ? 'user.enabled' : 'user.disabled',
    subject_kind: 'user',
    subject_id: user_id,
    before: { status: user.status },
    after: { status: enabled ? 'active' : 'disabled' },
  }
  await context.db.inTenant(RESERVED_TENANT, async tx => {
    await setUserStatus(tx, user_id, enabled ? 'active' : 'disabled')
    if (!enabled) await deleteOtherSessions(tx, user_id, '')
    await auditPerson(tx, now, origin, change)
  })
  for (const tenant_id of tenant_ids) {
    await context.db.inTenant(tenant_id, async tx => {
      const membership = await lockMembership(tx, tenant_id, user_id)
      if (membership?.status !== was) return
      const next = { role: membership.role, status: is, membership_id: newId('mem', now) }
      await updateMembership(tx, tenant_id, user_id, next)
      const before = { status: shownStatus(membership) }
      const ended = enabled ? [] : await leave(tx, tenant_id, now, user_id)
      await recordAudit(tx, tenant_id, now, origin, [{ ...change, before }, ...ended])
    })
  }
}

/** What an owner does is told to that tenant; what the operator does, to every tenant of the person. */
async function tellTenants(
  context: Context,
  user: User,
  tenant_id: string | null,
  origin: Origin,
  change: Parameters<typeof auditPerson>[3],
): Promise<void> {
  const all = async () => (await listTenantsOf(context, user)).map(one => one.tenant_id)
  for (const one of tenant_id === null ? await all() : [tenant_id]) {
    await tellTenant(context, one, origin, change)
  }
}
