// What happens when a one-time link is opened and used: joining a tenant, or choosing a new password.
import { recordAudit } from '../audit/record-audit.ts'
import { readActor } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'
import { ApiError, notFound } from '../platform/errors.ts'
import { sendMail } from '../platform/mail.ts'
import { hashToken } from '../platform/tokens.ts'
import { findTenant } from '../tenants/tenants.queries.ts'
import type { Session, Visit } from './identity.ts'
import { dropResets, findLink, type LinkRow, useLink } from './links.queries.ts'
import { namesOfTenants } from './list-tenants.ts'
import { personOrigin } from './log-in.ts'
import {
  findMembership,
  lockMembership,
  shownStatus,
  updateMembership,
} from './memberships.queries.ts'
import { hashChosen } from './password-hash.ts'
import { requireGoodPassword } from './password-policy.ts'
import { holdsRight } from './require-still.ts'
import { deleteOtherSessions, setActiveTenant } from './sessions.queries.ts'
import { tellTenantSurely, tellTenantsLater } from './tell-later.ts'
import { auditPerson } from './tell-tenant.ts'
import { belongsElsewhere, hasSameTenants, mendTenantHint } from './tenant-hints.ts'
import { findUser, lockUser, setPassword, type User } from './users.queries.ts'

export type OpenedLink = {
  purpose: LinkRow['purpose']
  email: string
  tenant_name: string | null
  /** False for someone who has a password and joins another tenant: they log in instead. */
  needs_password: boolean
}

type Known = { link: LinkRow; user: User }

export async function openLink(context: Context, token: string): Promise<OpenedLink> {
  const { link, user } = await findKnown(context, token)
  const { purpose, for_tenant } = link
  const tenant =
    for_tenant === null
      ? null
      : await context.db.inTenant(for_tenant, tx => findTenant(tx, for_tenant))
  const needs_password = purpose === 'reset' || user.password_hash === null
  return { purpose, email: user.email, tenant_name: tenant?.name ?? null, needs_password }
}

async function findKnown(context: Context, token: string): Promise<Known> {
  const now = new Date(context.clock.now())
  const known = await context.db.inTenant(RESERVED_TENANT, async tx => {
    const link = await findLink(tx, hashToken(token), now)
    const user = link && (await findUser(tx, link.user_id))
    if (!link || user?.status !== 'active') throw gone()
    return { link, user }
  })
  if (!(await isInPower(context, known))) throw gone()
  return known
}

const gone = () => notFound('link; it may have been used or have expired')

/**
 * Invariant: a link that an owner made works no more once its maker is no owner any more, who has seen it; nor does a
 * reset once the person has left, while they are disabled, or where they belong to another tenant too.
 */
async function isInPower(context: Context, { link, user }: Known): Promise<boolean> {
  const { purpose, user_id, for_tenant } = link
  if (for_tenant === null) return true
  const [membership, made] = await context.db.inTenant(for_tenant, tx =>
    Promise.all([findMembership(tx, for_tenant, user_id), isOfOwner(tx, link)]),
  )
  if (!made || purpose === 'invitation') return made
  if (membership?.status !== 'active') return false
  return !(await belongsElsewhere(context, user, for_tenant))
}

/** What the operator made stays. */
function isOfOwner(tx: Tx, { for_tenant, created_by }: LinkRow): Promise<boolean> {
  return holdsRight(tx, for_tenant!, readActor(created_by), 'users:manage')
}

function isAsJudged({ link, user }: Known, now: User | undefined): now is User {
  if (now?.status !== 'active') return false
  if (link.purpose !== 'reset' || link.for_tenant === null) return true
  return hasSameTenants(user, now)
}

/** Invariant: a link alone never sets the password of someone who has one, unless it is a reset. */
export async function acceptLink(
  context: Context,
  visit: Visit,
  session: Session | null,
  input: { token: string; password: string },
): Promise<OpenedLink> {
  const opened = await openLink(context, input.token)
  const known = await findKnown(context, input.token)
  const { link, user } = known
  const own = session?.stage === 'signed_in' && session.user_id === user.user_id
  if (!opened.needs_password && !own) throw notByLink(user)
  if (opened.needs_password) {
    const { tenant_name } = opened
    // A reset by mail or by the operator is chosen in no organization, so it is judged for each.
    const names = tenant_name === null ? await namesOfTenants(context, user) : [tenant_name]
    requireGoodPassword(input.password, user.email, names)
  }
  if (link.purpose === 'invitation') await join(context, visit, link)
  if (opened.needs_password) await choosePassword(context, visit, known, input.password)
  else await spend(context, link, session!)
  return opened
}

const notByLink = ({ email }: User) =>
  new ApiError('FORBIDDEN', `log in as ${email} to accept this invitation`)

/** Can be done again: the link is spent only after it. */
async function join(context: Context, visit: Visit, link: LinkRow): Promise<void> {
  const { user_id, for_tenant } = link
  const tenant_id = for_tenant!
  const now = context.clock.now()
  await context.db.inTenant(tenant_id, async tx => {
    // Owners are held before others, as by whoever changes people.
    if (!(await isOfOwner(tx, link))) throw gone()
    const membership = await lockMembership(tx, tenant_id, user_id)
    if (membership?.status === 'active') return
    if (membership?.status !== 'invited') throw notFound('invitation any more')
    const { role, membership_id } = membership
    await updateMembership(tx, tenant_id, user_id, { role, membership_id, status: 'active' })
    const before = { role, status: shownStatus(membership) }
    const change = {
      action: 'user.joined',
      subject_kind: 'user',
      subject_id: user_id,
      before,
      after: { role, status: 'active' },
    }
    await recordAudit(tx, tenant_id, now, personOrigin(visit, user_id), [change])
  })
  await mendTenantHint(context, tenant_id, user_id)
}

async function choosePassword(context: Context, visit: Visit, known: Known, password: string) {
  const { link_id, user_id, for_tenant, purpose } = known.link
  const hash = await hashChosen(user_id, password, context.config.password_cost)
  // Hashing takes long enough for whoever made the link to be removed.
  if (!(await isInPower(context, known))) throw gone()
  const now = context.clock.now()
  const action = purpose === 'reset' ? 'password.reset' : 'password.chosen'
  const subject = { subject_kind: 'user', subject_id: user_id }
  const origin = personOrigin(visit, user_id)
  const { user, change } = await context.db.inTenant(RESERVED_TENANT, async tx => {
    const user = await lockUser(tx, user_id)
    if (!isAsJudged(known, user)) throw gone()
    // And for an invitation of another tenant to be accepted.
    if (purpose === 'invitation' && user.password_hash !== null) throw notByLink(user)
    if (!(await useLink(tx, link_id, new Date(now)))) throw notFound('link; it was used already')
    await setPassword(tx, user_id, hash, new Date(now))
    await dropResets(tx, user_id)
    const sessions_ended = await deleteOtherSessions(tx, user_id, '')
    const before = { changed_at: user.password_changed_at }
    const after = { changed_at: new Date(now), sessions_ended }
    const change = { action, ...subject, before, after }
    await auditPerson(tx, now, origin, change)
    return { user, change }
  })
  if (for_tenant === null) tellTenantsLater(context, user, origin, change)
  else await tellTenantSurely(context, for_tenant, origin, change)
  if (purpose === 'reset') mailChosen(context, user)
}

/** Whoever had the link may be another. */
function mailChosen(context: Context, { email }: User): void {
  sendMail(context, {
    to: email,
    subject: 'Your Bellwether password was changed',
    text: 'Your password was changed by a reset link and all your sessions were ended.\nApps that you let in keep their access; end it in your profile.\nIf this was not you, ask the owner of your organization for a reset link at once.\n',
  })
}

async function spend(
  context: Context,
  { link_id, for_tenant }: LinkRow,
  session: Session,
): Promise<void> {
  const now = new Date(context.clock.now())
  await context.db.inTenant(RESERVED_TENANT, async tx => {
    if (!(await useLink(tx, link_id, now))) throw notFound('link; it was used already')
    if (for_tenant !== null) await setActiveTenant(tx, session.session_id, for_tenant)
  })
}
