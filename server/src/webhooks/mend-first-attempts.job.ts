// A first attempt is due at once. One that is due in the future was written by a process whose clock ran ahead: its
// receiver must not wait until the others' clocks have come so far.
import { SECOND } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { mendFirstAttempts, tenantsWithLaterDeliveries, wakeWorkers } from './queue.queries.ts'
import { PER_MS } from './queue-messages.ts'

/** Clocks that disagree by less do little harm. */
const TOLERANCE_MS = 2 * SECOND
const CHUNK = 500

export function mendFirstAttemptsJob(): Job {
  return createTenantJob({
    name: 'mend-first-attempts',
    every_ms: 5 * SECOND,
    tenants: 200,
    find: ({ db }, after, limit, now) => {
      const later = new Date(now + TOLERANCE_MS)
      return db.acrossTenants(tx => tenantsWithLaterDeliveries(tx, later, after, limit))
    },
    work: ({ db }, { tenant_id }, now) =>
      db.inTenant(tenant_id, async tx => {
        const ahead = (now + TOLERANCE_MS) * PER_MS
        const mended = await mendFirstAttempts(tx, tenant_id, ahead, new Date(now), CHUNK)
        if (mended > 0) await wakeWorkers(tx, tenant_id)
        return mended === CHUNK
      }),
  })
}
