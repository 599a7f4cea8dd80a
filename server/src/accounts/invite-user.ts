// Invites a person into a tenant: the user and a link under the reserved tenant, the membership in the tenant.
import { recordAudit } from '../audit/record-audit.ts'
import { actorText, type Origin } from '../platform/actor.ts'
import type { Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'
import { conflict } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { noSuchTenant, requireTenant } from '../tenants/require-tenant.ts'
import { lockTenant } from '../tenants/tenants.queries.ts'
import { accountKey, readEmail } from './email-address.ts'
import { findMemberByEmail } from './find-member.ts'
import {
  countMemberships,
  deleteMembership,
  findMembership,
  insertMembership,
  lockMembership,
  MOST_MEMBERS,
  updateMembership,
} from './memberships.queries.ts'
import { requireStill } from './require-still.ts'
import type { Role } from './roles.ts'
import { createLink, mailInvitation } from './send-links.ts'
import { linkAttempt, takeAttempt } from './take-attempt.ts'
import { addUser, findUserByEmail, type User } from './users.queries.ts'

export type Invitation = { id: string; email: string; setup_url: string; expires_at: Date }

/** Each step can be done again: inviting someone twice gives a new link and ends the old one. */
export async function inviteUser(
  context: Context,
  tenant_id: string,
  origin: Origin,
  base_url: string,
  input: { email: string; role: Role },
): Promise<Invitation> {
  const now = context.clock.now()
  const user = await findOrAddUser(context, tenant_id, readEmail(input.email), now)
  await takeAttempt(context, linkAttempt(tenant_id, user.user_id), 'links to this person')
  const tenant_name = await offerMembership(context, tenant_id, origin, user, input.role, now)
  const { user_id, email } = user
  const link = { purpose: 'invitation', user_id, for_tenant: tenant_id } as const
  const { url, expires_at } = await createLink(context, origin, base_url, link)
  mailInvitation(context, email, tenant_name, url)
  return { id: user_id, email, setup_url: url, expires_at }
}

async function findOrAddUser(context: Context, tenant_id: string, email: string, now: Instant) {
  await context.db.inTenant(tenant_id, tx => requireTenant(tx, tenant_id))
  return context.db.inTenant(RESERVED_TENANT, async tx => {
    const email_key = accountKey(email)
    await addUser(tx, { user_id: newId('usr', now), email, email_key, at: new Date(now) })
    const user = (await findUserByEmail(tx, email_key))!
    if (user.status !== 'active') throw conflict('this person was disabled by the operator')
    return user
  })
}

async function offerMembership(
  context: Context,
  tenant_id: string,
  origin: Origin,
  { user_id, email }: User,
  role: Role,
  now: Instant,
): Promise<string> {
  return context.db.inTenant(tenant_id, async tx => {
    // Invariant: the tenant's row is held until commit, so that two people cannot both be the last.
    const tenant = await lockTenant(tx, tenant_id)
    if (!tenant) throw noSuchTenant(tenant_id)
    await requireStill(tx, tenant_id, origin, 'users:manage')
    const membership_id = newId('mem', now)
    const row = {
      user_id,
      membership_id,
      email,
      role,
      status: 'invited' as const,
      created_by: actorText(origin.actor),
      created_at: new Date(now),
    }
    // An address is one person's: an earlier one with it is gone, erased before the invitation was accepted.
    const earlier = await findMemberByEmail(tx, tenant_id, email)
    if (earlier && earlier.user_id !== user_id)
      await deleteMembership(tx, tenant_id, earlier.user_id)
    await requireRoom(tx, tenant_id, user_id)
    let before: { email: string; role: Role } | null = null
    if (!(await insertMembership(tx, tenant_id, row))) {
      const existing = await lockMembership(tx, tenant_id, user_id)
      if (existing?.status !== 'invited')
        throw conflict('this person belongs to the organization already')
      await updateMembership(tx, tenant_id, user_id, { role, status: 'invited', membership_id })
      before = { email, role: existing.role }
    }
    const subject = { subject_kind: 'user', subject_id: user_id }
    await recordAudit(tx, tenant_id, now, origin, [
      { action: 'user.invited', ...subject, before, after: { email, role } },
    ])
    return tenant.name
  })
}

/** Room for one more, unless the person is among them already. */
async function requireRoom(tx: Tx, tenant_id: string, user_id: string): Promise<void> {
  if (await findMembership(tx, tenant_id, user_id)) return
  if ((await countMemberships(tx, tenant_id)) >= MOST_MEMBERS) {
    throw conflict(`an organization has at most ${MOST_MEMBERS} users; remove one first`)
  }
}
