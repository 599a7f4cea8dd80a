// What an owner does with the people of a tenant: roles, disabling, removal. One owner always stays.
import { recordAudit } from '../audit/record-audit.ts'
import { leave } from '../endings/end-access.ts'
import { type Actor, type Origin, readActor } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'
import { conflict, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { forgetMember } from './forget-member.ts'
import type { Asked } from './identity.ts'
import { listOpenInvitations } from './links.queries.ts'
import {
  deleteMembership,
  findMembership,
  hasAccepted,
  listMemberships,
  lockMembership,
  lockOwners,
  type Membership,
  requiresSecondFactor,
  savePolicy,
  shownStatus,
  updateMembership,
} from './memberships.queries.ts'
import { hasRight, requireStill } from './require-still.ts'
import type { Role } from './roles.ts'
import { findUsers } from './users.queries.ts'

export async function listMembers(context: Context, tenant_id: string) {
  const members = await context.db.inTenant(tenant_id, tx => listMemberships(tx, tenant_id))
  // Someone only invited may belong to other tenants: how they use the account is not for this one to see yet.
  const ids = members.filter(hasAccepted).map(member => member.user_id)
  const [users, open] = await Promise.all([
    context.db.inTenant(RESERVED_TENANT, tx => findUsers(tx, ids)),
    findInvited(context, tenant_id, members),
  ])
  return members.map(member => {
    const { user_id, email, role, created_at } = member
    const user = users.find(one => one.user_id === user_id)
    return {
      id: user_id,
      email,
      role,
      status: member.status === 'invited' && !open.has(user_id) ? 'lapsed' : shownStatus(member),
      second_factor: user?.totp_enabled_at != null,
      last_login_at: user?.last_login_at ?? null,
      created_at,
    }
  })
}

/** Who can still come in by a link: it has not expired, and whoever made it may still invite. */
async function findInvited(
  context: Context,
  tenant_id: string,
  members: readonly Membership[],
): Promise<Set<string>> {
  const invited = members.filter(one => one.status === 'invited').map(one => one.user_id)
  if (invited.length === 0) return new Set()
  const now = new Date(context.clock.now())
  const links = await context.db.inTenant(RESERVED_TENANT, tx =>
    listOpenInvitations(tx, tenant_id, invited, now),
  )
  const mayInvite = ({ kind, id }: Actor) =>
    kind !== 'user' ||
    hasRight(
      members.find(one => one.user_id === id),
      'users:manage',
    )
  const open = links.filter(link => mayInvite(readActor(link.created_by)))
  return new Set(open.map(link => link.user_id))
}

/** By address alone: nothing of what they may do or how they use their account. */
export async function nameMembers(context: Context, tenant_id: string) {
  const members = await context.db.inTenant(tenant_id, tx => listMemberships(tx, tenant_id))
  return members.map(({ user_id, email }) => ({ id: user_id, email }))
}

/**
 * Whoever is let in again gets a new membership; tokens of the old one stay dead. A change to what is there already is
 * none.
 */
export async function changeMember(
  tx: Tx,
  asked: Asked,
  user_id: string,
  change: { role?: Role; status?: 'active' | 'disabled' },
): Promise<void> {
  const { tenant_id, origin, now } = asked
  const before = await findOwnSafely(tx, asked, user_id, change)
  const { role = before.role } = change
  const status = nextStatus(before.status, change.status)
  if (role === before.role && status === before.status) return
  const returns = before.status === 'disabled' && status === 'active'
  const membership_id = returns ? newId('mem', now) : before.membership_id
  await updateMembership(tx, tenant_id, user_id, { role, status, membership_id })
  const leaves = before.status === 'active' && status === 'disabled'
  const ended = leaves ? await leave(tx, tenant_id, now, user_id) : []
  await recordAudit(tx, tenant_id, now, origin, [
    {
      action: 'user.changed',
      subject_kind: 'user',
      subject_id: user_id,
      before: { role: before.role, status: shownStatus(before) },
      after: { role, status: shownStatus({ status }) },
    },
    ...ended,
  ])
}

/** Invariant: an invitation ends in a member only by being accepted, whatever happens to it in between. */
function nextStatus(
  before: Membership['status'],
  wanted: 'active' | 'disabled' | undefined,
): Membership['status'] {
  if (wanted === undefined) return before
  const isOpen = before === 'invited' || before === 'withdrawn'
  if (wanted === 'disabled') return isOpen ? 'withdrawn' : 'disabled'
  if (before === 'withdrawn') return 'invited'
  if (before === 'invited') throw conflict('this person has not accepted the invitation yet')
  if (before === 'shut_out') throw conflict('this person was disabled by the operator')
  return 'active'
}

async function findOwnSafely(
  tx: Tx,
  { tenant_id, origin }: Asked,
  user_id: string,
  change: { role?: Role; status?: string },
): Promise<Membership> {
  const owners = await lockOwners(tx, tenant_id)
  await requireStill(tx, tenant_id, origin, 'users:manage')
  const membership = await lockMembership(tx, tenant_id, user_id)
  if (!membership) throw notFound('user')
  const leaves = (change.role ?? 'owner') !== 'owner' || change.status === 'disabled'
  if (leaves && owners.length === 1 && owners[0] === user_id) {
    throw conflict('the last owner cannot be removed, disabled or given another role')
  }
  return membership
}

/** For somebody gone already it is 404, but a removal that was cut off is brought to its end first. */
export async function removeMember(
  context: Context,
  tenant_id: string,
  origin: Origin,
  user_id: string,
): Promise<void> {
  const now = context.clock.now()
  const isThere = await context.db.inTenant(tenant_id, async tx => {
    if (!(await findMembership(tx, tenant_id, user_id))) return false
    const leaving = { status: 'disabled' }
    const asked = { tenant_id, origin, now }
    const { email, role, status } = await findOwnSafely(tx, asked, user_id, leaving)
    await deleteMembership(tx, tenant_id, user_id)
    // Whoever was disabled before has left already.
    const ended = status === 'active' ? await leave(tx, tenant_id, now, user_id) : []
    const subject = { subject_kind: 'user', subject_id: user_id }
    await recordAudit(tx, tenant_id, now, origin, [
      { action: 'user.removed', ...subject, before: { email, role } },
      ...ended,
    ])
    return true
  })
  await forgetMember(context, tenant_id, user_id)
  if (!isThere) throw notFound('user')
}

export async function setPolicy(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  require_second_factor: boolean,
): Promise<void> {
  const subject = { subject_kind: 'tenant', subject_id: tenant_id }
  await requireStill(tx, tenant_id, origin, 'users:manage')
  const before = { require_second_factor: await requiresSecondFactor(tx, tenant_id) }
  if (before.require_second_factor === require_second_factor) return
  await savePolicy(tx, tenant_id, require_second_factor)
  await recordAudit(tx, tenant_id, now, origin, [
    { action: 'policy.changed', ...subject, before, after: { require_second_factor } },
  ])
}
