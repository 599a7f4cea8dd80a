// Closes the days of every tenant once nothing can change them any more, and keeps the counts of the open ones few.
import { dayOf, MINUTE } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { tenantsToClose } from './close-days.queries.ts'
import { closeDays, lastSettledDay } from './close-days.ts'
import { gatherCounts, LEAST_ROWS } from './gather-counts.ts'

const TENANTS_PER_TURN = 200

export function closeDaysJob(): Job {
  let cursor = ''
  return {
    name: 'close-days',
    every_ms: 5 * MINUTE,
    async run({ db, clock }) {
      const now = clock.now()
      const last = dayOf(lastSettledDay(now))
      const asked = { last, least: LEAST_ROWS, after: cursor, tenants: TENANTS_PER_TURN }
      const tenants = await db.acrossTenants(tx => tenantsToClose(tx, asked))
      const full = tenants.length === TENANTS_PER_TURN
      let more = full
      for (const tenant_id of tenants) {
        // Should it fail, the next run begins after it: it keeps no other waiting.
        cursor = tenant_id
        more = (await db.inTenant(tenant_id, tx => closeDays(tx, tenant_id, now))) || more
        more = (await db.inTenant(tenant_id, tx => gatherCounts(tx, tenant_id))) || more
      }
      if (!full) cursor = ''
      return more
    },
  }
}
