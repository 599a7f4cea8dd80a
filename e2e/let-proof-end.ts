// Somebody who has not said who they are for a while, and is asked again before a sensitive change.
import { RESERVED_TENANT } from '../server/src/platform/database.ts'
import type { House } from './house.ts'

/** As if an hour had passed since the logins of this person. */
export async function letProofEnd({ context }: House, user_id: string): Promise<void> {
  const past = new Date(Date.now() - 3_600_000)
  await context.db.inTenant(
    RESERVED_TENANT,
    tx => tx`UPDATE sessions SET authenticated_at = ${past}
      WHERE tenant_id = ${RESERVED_TENANT} AND user_id = ${user_id}`,
  )
}
