// Who of a tenant has an address: compared here, as logins are, since databases differ in what they put in lower case.
import type { Tx } from '../platform/database.ts'
import { accountKey } from './email-address.ts'
import { listMemberships, type Membership } from './memberships.queries.ts'

export async function findMemberByEmail(
  tx: Tx,
  tenant_id: string,
  email: string,
): Promise<Membership | undefined> {
  const key = accountKey(email)
  const members = await listMemberships(tx, tenant_id)
  return members.find(member => accountKey(member.email) === key)
}
