// Removes jobs that ended long ago, with the previews they hold.
import { DAY, HOUR } from '../platform/clock.ts'
import { idFloor } from '../platform/ids.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantTurns } from '../platform/tenant-turns.ts'
import { dropOldJobs, tenantsWithOldJobs } from './jobs.queries.ts'

const KEPT_MS = 90 * DAY
const TENANTS_PER_TURN = 200

/** Ids are made in order of time, so the oldest are found by the key. */
export function forgetJobsJob(): Job {
  const inTurns = createTenantTurns(TENANTS_PER_TURN)
  return {
    name: 'forget-jobs',
    every_ms: HOUR,
    run({ db, clock }) {
      const floor = idFloor('job', clock.now() - KEPT_MS)
      return inTurns(
        (after, limit) => db.acrossTenants(tx => tenantsWithOldJobs(tx, floor, after, limit)),
        async ({ tenant_id }) => {
          await db.inTenant(tenant_id, tx => dropOldJobs(tx, tenant_id, floor))
          return false
        },
      )
    },
  }
}
