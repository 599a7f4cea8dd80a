// What a person who left a tenant still has of it in the rows of no tenant: links nobody used, and the hint.
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'
import { accountKey } from './email-address.ts'
import { deleteLinks, listOpenLinks } from './links.queries.ts'
import { findMembership } from './memberships.queries.ts'
import { dropOrphans } from './person.queries.ts'
import { mendTenantHint } from './tenant-hints.ts'
import { findUserByEmail } from './users.queries.ts'

/** May be done again, and for anybody: whoever belongs to the tenant, or is invited again meanwhile, loses nothing. */
export async function forgetMember(
  context: Context,
  tenant_id: string,
  user_id: string,
): Promise<void> {
  const { db } = context
  // Invariant: before the membership is looked at, for an invitation has its membership before its link.
  const links = await db.inTenant(RESERVED_TENANT, tx => listOpenLinks(tx, user_id, tenant_id))
  const membership = await db.inTenant(tenant_id, tx => findMembership(tx, tenant_id, user_id))
  if (!membership) await db.inTenant(RESERVED_TENANT, tx => deleteLinks(tx, links))
  await mendTenantHint(context, tenant_id, user_id)
}

/**
 * The account with an address that belongs to nobody any more: a removal that was cut off may have left a tie to it. One
 * that the operator has disabled stays, or it could be let in anew.
 */
export async function forgetOrphan(context: Context, tenant_id: string, email: string) {
  const { db } = context
  const find = (tx: Tx) => findUserByEmail(tx, accountKey(email))
  const account = await db.inTenant(RESERVED_TENANT, find)
  if (account?.status !== 'active') return
  await forgetMember(context, tenant_id, account.user_id)
  await db.inTenant(RESERVED_TENANT, tx => dropOrphans(tx, [account.user_id]))
}
