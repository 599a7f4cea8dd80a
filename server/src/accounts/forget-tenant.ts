// What a deleted tenant leaves in the rows of no tenant: links into it, hints at it, and accounts that were its alone.
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { dropLinksOf } from './links.queries.ts'
import { listMemberships } from './memberships.queries.ts'
import { dropOrphans } from './person.queries.ts'
import { addHintsOf, dropHintsOf } from './users.queries.ts'

/** Invariant: before the memberships go, so that hints tell whose they were, however often a deletion is cut short. */
export async function markMembers({ db }: Context, tenant_id: string): Promise<void> {
  const members = await db.inTenant(tenant_id, tx => listMemberships(tx, tenant_id))
  const ids = members.map(member => member.user_id)
  await db.inTenant(RESERVED_TENANT, tx => addHintsOf(tx, ids, tenant_id))
}

/** In one transaction: where it fails, the hints and links still tell whom it is about. */
export async function forgetTenant({ db }: Context, tenant_id: string): Promise<void> {
  await db.inTenant(RESERVED_TENANT, async tx => {
    const members = await dropHintsOf(tx, tenant_id)
    const invited = await dropLinksOf(tx, tenant_id)
    await dropOrphans(tx, [...members, ...invited])
  })
}
