// A first attempt is due at once. One that is due in the future was written by a process whose clock ran ahead: its
// receiver must not wait until the others' clocks have come so far.
import { SECOND } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantTurns } from '../platform/tenant-turns.ts'
import { mendFirstAttempts, tenantsWithLaterDeliveries, wakeWorkers } from './queue.queries.ts'
import { PER_MS } from './queue-messages.ts'

/** Clocks that disagree by less do little harm. */
const TOLERANCE_MS = 2 * SECOND
const TENANTS = 200
const CHUNK = 500

export function mendFirstAttemptsJob(): Job {
  const inTurns = createTenantTurns(TENANTS)
  return {
    name: 'mend-first-attempts',
    every_ms: 5 * SECOND,
    run({ db, clock }) {
      const now = clock.now()
      const later = new Date(now + TOLERANCE_MS)
      const ahead = later.getTime() * PER_MS
      return inTurns(
        (after, limit) =>
          db.acrossTenants(tx => tenantsWithLaterDeliveries(tx, later, after, limit)),
        ({ tenant_id }) =>
          db.inTenant(tenant_id, async tx => {
            const mended = await mendFirstAttempts(tx, tenant_id, ahead, new Date(now), CHUNK)
            if (mended > 0) await wakeWorkers(tx, tenant_id)
            return mended === CHUNK
          }),
      )
    },
  }
}
