// Removes jobs that ended long ago, with the previews they hold.
import { DAY, HOUR, type Instant } from '../platform/clock.ts'
import { idFloor } from '../platform/ids.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { dropOldJobs, tenantsWithOldJobs } from './jobs.queries.ts'

const KEPT_MS = 90 * DAY

/** Ids are made in order of time, so the oldest are found by the key. */
export function forgetJobsJob(): Job {
  const floorAt = (now: Instant) => idFloor('job', now - KEPT_MS)
  return createTenantJob({
    name: 'forget-jobs',
    every_ms: HOUR,
    tenants: 200,
    find: ({ db }, after, limit, now) =>
      db.acrossTenants(tx => tenantsWithOldJobs(tx, floorAt(now), after, limit)),
    work: async ({ db }, { tenant_id }, now) => {
      await db.inTenant(tenant_id, tx => dropOldJobs(tx, tenant_id, floorAt(now)))
      return false
    },
  })
}
