// A job may be held, or rest, by the word of a process whose clock ran far ahead: it must not wait until the others'
// clocks have come so far.
import { type Instant, MINUTE, MOST_AHEAD_MS } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { mendFarJobs, tenantsWithFarJobs } from './jobs.queries.ts'
import { LEASE_MS } from './run-pieces.ts'
import { LONGEST_REST_MS } from './run-replay-jobs.job.ts'

export function mendFarJobsJob(): Job {
  return createTenantJob({
    name: 'mend-far-jobs',
    every_ms: MINUTE,
    tenants: 200,
    find: ({ db }, after, limit, now) =>
      db.acrossTenants(tx => tenantsWithFarJobs(tx, farthest(now), after, limit)),
    work: async ({ db }, { tenant_id }, now) => {
      // Whoever holds it may live: a whole lease is left to them.
      const until = new Date(now + LEASE_MS)
      await db.inTenant(tenant_id, tx => mendFarJobs(tx, tenant_id, farthest(now), until))
      return false
    },
  })
}

/** No clock that is right writes a lease or a rest beyond it. */
function farthest(now: Instant): Date {
  return new Date(now + LONGEST_REST_MS + MOST_AHEAD_MS)
}
