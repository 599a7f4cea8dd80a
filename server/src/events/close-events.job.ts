// Closes past events of every tenant that has enough of them, and builds anew what was changed since.
import { MINUTE } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { tenantsToCloseEvents } from './close-events.queries.ts'
import {
  type CloseOptions,
  closeEvents,
  closeLimit,
  LEAST_EVENTS,
  WAIT_MS,
} from './close-events.ts'

/** Of one tenant in one turn, so that a large one does not keep the others waiting. */
const STEPS_PER_TURN = 20

export function closeEventsJob(options: CloseOptions = {}): Job {
  const { least = LEAST_EVENTS } = options
  return createTenantJob({
    name: 'close-events',
    every_ms: MINUTE,
    tenants: 50,
    find: ({ db }, after, tenants, now) => {
      const asked = { limit: closeLimit(now), waited: now - WAIT_MS, least }
      return db.acrossTenants(tx => tenantsToCloseEvents(tx, { ...asked, after, tenants }))
    },
    work: ({ db }, { tenant_id }, now) =>
      closeSome(STEPS_PER_TURN, () =>
        db.inTenant(tenant_id, tx => closeEvents(tx, tenant_id, now, options)),
      ),
  })
}

/** True when it was still at work after the last step. */
async function closeSome(steps: number, step: () => Promise<boolean>): Promise<boolean> {
  for (let i = 0; i < steps; i++) if (!(await step())) return false
  return true
}
