// Closes the days of every tenant once nothing can change them any more, and keeps the counts of the open ones few.
import { dayOf, MINUTE } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantTurns } from '../platform/tenant-turns.ts'
import { tenantsToClose } from './close-days.queries.ts'
import { closeDays, lastSettledDay } from './close-days.ts'
import { gatherCounts, LEAST_ROWS } from './gather-counts.ts'

const TENANTS_PER_TURN = 200

export function closeDaysJob(): Job {
  const inTurns = createTenantTurns(TENANTS_PER_TURN)
  return {
    name: 'close-days',
    every_ms: 5 * MINUTE,
    run({ db, clock }) {
      const now = clock.now()
      const asked = { last: dayOf(lastSettledDay(now)), least: LEAST_ROWS }
      return inTurns(
        (after, tenants) =>
          db.acrossTenants(tx => tenantsToClose(tx, { ...asked, after, tenants })),
        async ({ tenant_id }) => {
          const closing = await db.inTenant(tenant_id, tx => closeDays(tx, tenant_id, now))
          const gathering = await db.inTenant(tenant_id, tx => gatherCounts(tx, tenant_id))
          return closing || gathering
        },
      )
    },
  }
}
