// What depends on the time: the days of the service, and how long ago somebody has said who they are.
import { RESERVED_TENANT } from '../../server/src/platform/database.ts'
import type { Company } from './company.ts'

const today = () => new Date().toISOString().slice(0, 10)

/** About what happened on one day of UTC: done again, from its beginning, where midnight has fallen into it. */
export async function retryAcrossMidnight(journey: () => Promise<void>): Promise<void> {
  for (;;) {
    const day = today()
    try {
      return await journey()
    } catch (error) {
      if (day === today()) throw error
    }
  }
}

/** As if an hour had passed since the logins of this person: a sensitive change asks for the password again. */
export async function expireReauthentication({ context }: Company, user_id: string) {
  const past = new Date(Date.now() - 3_600_000)
  await context.db.inTenant(
    RESERVED_TENANT,
    tx => tx`UPDATE sessions SET authenticated_at = ${past}
      WHERE tenant_id = ${RESERVED_TENANT} AND user_id = ${user_id}`,
  )
}
