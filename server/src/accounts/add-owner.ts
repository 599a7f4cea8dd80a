// An owner with a password from the start, for the demo company; everyone else comes by an invitation.
import { recordAudit } from '../audit/record-audit.ts'
import { actorText, type Origin } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import { newToken } from '../platform/tokens.ts'
import { accountKey } from './email-address.ts'
import { listTenantsOf } from './list-tenants.ts'
import { insertMembership } from './memberships.queries.ts'
import { hashPassword, verifyPassword } from './password-hash.ts'
import { addTenantHint, addUser, findUserByEmail, setPassword } from './users.queries.ts'

export type Login = { readonly email: string; readonly password: string }

/** The password is random and returned this once; an owner of that address gets it as the new one. */
export async function addOwner(
  context: Context,
  tenant_id: string,
  origin: Origin,
  email: string,
): Promise<Login> {
  const now = context.clock.now()
  const at = new Date(now)
  const password = newToken().slice(0, 24)
  const hash = await hashPassword(password, context.config.password_cost)
  const user_id = await context.db.inTenant(RESERVED_TENANT, async tx => {
    await addUser(tx, { user_id: newId('usr', now), email, email_key: accountKey(email), at })
    const { user_id } = (await findUserByEmail(tx, accountKey(email)))!
    await addTenantHint(tx, user_id, tenant_id)
    await setPassword(tx, user_id, hash, at)
    return user_id
  })
  const member = { user_id, email, role: 'owner', status: 'active', created_at: at } as const
  const membership_id = newId('mem', now)
  await context.db.inTenant(tenant_id, async tx => {
    const created_by = actorText(origin.actor)
    await insertMembership(tx, tenant_id, { ...member, membership_id, created_by })
    const after = { email, role: 'owner' }
    await recordAudit(tx, tenant_id, now, origin, [
      { action: 'user.joined', subject_kind: 'user', subject_id: user_id, after },
    ])
  })
  return { email, password }
}

/** Whether the login leads into the tenant still: people change their passwords, and are shut out. */
export async function checkLogin(
  context: Context,
  tenant_id: string,
  { email, password }: Login,
): Promise<boolean> {
  const { db, config } = context
  const user = await db.inTenant(RESERVED_TENANT, tx => findUserByEmail(tx, accountKey(email)))
  if (user?.status !== 'active') return false
  const tenants = await listTenantsOf(context, user)
  return (
    tenants.some(tenant => tenant.tenant_id === tenant_id) &&
    verifyPassword(password, user.password_hash, config.password_cost)
  )
}
