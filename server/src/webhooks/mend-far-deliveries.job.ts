// A retry may have been written by a process whose clock ran far ahead: it must not wait until the others' clocks have come
// so far.
import { MINUTE, MOST_AHEAD_MS } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { onlyIfTrusted, trustClock } from '../platform/trust-clock.ts'
import { mendFarRetries, tenantsWithLaterDeliveries } from './queue.queries.ts'
import { DELAYS } from './retry-schedule.ts'

const CHUNK = 500
/** The longest step, doubled: no clock that is right writes a retry beyond it, so what is read lies there wrongly. */
const FARTHEST_MS = 2 * Math.max(...DELAYS) + MOST_AHEAD_MS

export function mendFarDeliveriesJob(trusts = trustClock): Job {
  const job = createTenantJob({
    name: 'mend-far-deliveries',
    every_ms: MINUTE,
    tenants: 200,
    find: ({ db }, after, limit, now) => {
      const beyond = new Date(now + FARTHEST_MS)
      return db.acrossTenants(tx => tenantsWithLaterDeliveries(tx, beyond, after, limit))
    },
    work: async ({ db }, { tenant_id }, now) => {
      const retry_at = DELAYS.map(step => new Date(now + step))
      const beyond = new Date(now + FARTHEST_MS)
      const mended = await db.inTenant(tenant_id, tx =>
        mendFarRetries(tx, tenant_id, beyond, retry_at, CHUNK),
      )
      return mended === CHUNK
    },
  })
  return onlyIfTrusted(trusts, job)
}
