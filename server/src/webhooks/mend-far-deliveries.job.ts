// A retry or a lease may have been written by a process whose clock ran far ahead: neither must last until the others'
// clocks have come so far.
import { type Instant, MINUTE, MOST_AHEAD_MS } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { trustClock } from '../platform/trust-clock.ts'
import { LEASE_MS } from './deliver-webhooks.job.ts'
import { type FarDeliveries, mendFarDeliveries, tenantsWithFarDeliveries } from './queue.queries.ts'
import { DELAYS } from './retry-schedule.ts'

const CHUNK = 500

/** Rarely: it looks at everything that is still to be sent. */
export function mendFarDeliveriesJob(trusts = trustClock): Job {
  return createTenantJob({
    name: 'mend-far-deliveries',
    every_ms: MINUTE,
    tenants: 200,
    find: async (context, after, limit, now) => {
      if (!(await trusts(context))) return []
      const far = farAt(now)
      return context.db.acrossTenants(tx => tenantsWithFarDeliveries(tx, far, after, limit))
    },
    work: async ({ db }, { tenant_id }, now) => {
      const far = farAt(now)
      const mended = await db.inTenant(tenant_id, tx =>
        mendFarDeliveries(tx, tenant_id, far, CHUNK),
      )
      return mended === CHUNK
    },
  })
}

/** A step is doubled at most. Whoever holds such a lease believes it to be over no later than the one that begins now. */
function farAt(now: Instant): FarDeliveries {
  const latest = now + MOST_AHEAD_MS
  return {
    lease_after: new Date(latest + LEASE_MS),
    lease_until: new Date(now + LEASE_MS),
    retry_after: DELAYS.map(step => new Date(latest + 2 * step)),
    retry_at: DELAYS.map(step => new Date(now + step)),
  }
}
