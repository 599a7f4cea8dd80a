// Removes jobs that ended long ago, with the previews they hold, and what the rows of erasures know of an address.
import { DAY, type Instant, MINUTE } from '../platform/clock.ts'
import { idFloor } from '../platform/ids.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { dropOldJobs, forgetAddresses, tenantsWithOldJobs } from './jobs.queries.ts'

const KEPT_MS = 90 * DAY
/** Longer than any transaction that may have waited for the erasure. */
const ADDRESS_KEPT_MS = 10 * MINUTE

/** Ids are made in order of time, so the oldest are found by the key. */
export function forgetJobsJob(): Job {
  const oldAt = (now: Instant) => ({
    floor: idFloor('job', now - KEPT_MS),
    ended_before: new Date(now - ADDRESS_KEPT_MS),
  })
  return createTenantJob({
    name: 'forget-jobs',
    every_ms: MINUTE,
    tenants: 200,
    find: ({ db }, after, limit, now) =>
      db.acrossTenants(tx => tenantsWithOldJobs(tx, oldAt(now), after, limit)),
    work: async ({ db }, { tenant_id }, now) => {
      const { floor, ended_before } = oldAt(now)
      await db.inTenant(tenant_id, async tx => {
        await dropOldJobs(tx, tenant_id, floor)
        await forgetAddresses(tx, tenant_id, ended_before)
      })
      return false
    },
  })
}
