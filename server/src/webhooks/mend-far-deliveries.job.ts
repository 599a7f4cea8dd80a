// A retry, or a lease, may have been written by a process whose clock ran far ahead: neither must wait until the others'
// clocks have come so far.
import { type Instant, MINUTE, MOST_AHEAD_MS } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { LEASE_MS } from './deliver-webhooks.job.ts'
import {
  type FarDeliveries,
  mendFarLeases,
  mendFarRetries,
  tenantsWithFarDeliveries,
} from './queue.queries.ts'
import { DELAYS } from './retry-schedule.ts'

const CHUNK = 500
/** The longest step, doubled: no clock that is right writes a retry beyond it, so what is read lies there wrongly. */
const FARTHEST_MS = 2 * Math.max(...DELAYS) + MOST_AHEAD_MS

export function mendFarDeliveriesJob(): Job {
  return createTenantJob({
    name: 'mend-far-deliveries',
    every_ms: MINUTE,
    tenants: 200,
    find: ({ db }, after, limit, now) =>
      db.acrossTenants(tx => tenantsWithFarDeliveries(tx, farAt(now), after, limit)),
    work: async ({ db }, { tenant_id }, now) => {
      const retry_at = DELAYS.map(step => new Date(now + step))
      const { retry_after, lease_after } = farAt(now)
      const mended = await db.inTenant(tenant_id, async tx => {
        // Whoever holds it may live: a whole lease is left to them.
        await mendFarLeases(tx, tenant_id, lease_after, new Date(now + LEASE_MS))
        return mendFarRetries(tx, tenant_id, retry_after, retry_at, CHUNK)
      })
      return mended === CHUNK
    },
  })
}

function farAt(now: Instant): FarDeliveries {
  return {
    retry_after: new Date(now + FARTHEST_MS),
    lease_after: new Date(now + LEASE_MS + MOST_AHEAD_MS),
  }
}
