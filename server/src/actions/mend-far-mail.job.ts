// The mail of an action, or a claim on it, may have been written by a process whose clock ran far ahead: neither must wait
// until the others' clocks have come so far.
import { type Instant, MINUTE, MOST_AHEAD_MS } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { type FarMail, mendFarMail, tenantsWithFarMail } from './carry-out.queries.ts'
import { DELAYS, LEASE_MS } from './carry-out-actions.job.ts'

export function mendFarMailJob(): Job {
  return createTenantJob({
    name: 'mend-far-mail',
    every_ms: MINUTE,
    tenants: 200,
    find: ({ db }, after, limit, now) =>
      db.acrossTenants(tx => tenantsWithFarMail(tx, farAt(now), after, limit)),
    work: async ({ db }, { tenant_id }, now) => {
      await db.inTenant(tenant_id, tx => mendFarMail(tx, tenant_id, farAt(now)))
      return false
    },
  })
}

/** The first attempt is due at once. */
function farAt(now: Instant): FarMail {
  const [latest, delays] = [now + MOST_AHEAD_MS, [0, ...DELAYS]]
  return {
    lease_after: new Date(latest + LEASE_MS),
    lease_until: new Date(now + LEASE_MS),
    due_after: delays.map(delay => new Date(latest + delay)),
    due_at: delays.map(delay => new Date(now + delay)),
  }
}
