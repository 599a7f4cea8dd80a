// Keeps where everyone stood 30 days ago, for every tenant with rows that have become that old.
import { MINUTE } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob, leaveHeld } from '../platform/tenant-turns.ts'
import { agePast } from './age-past.ts'
import { tenantsToAge } from './past.queries.ts'
import { PAST_MS } from './read-past.ts'

export function agePastJob(): Job {
  return createTenantJob({
    name: 'age-past',
    every_ms: MINUTE,
    tenants: 200,
    find: ({ db }, after, limit, now) =>
      db.acrossTenants(tx => tenantsToAge(tx, now - PAST_MS, after, limit)),
    work: ({ db }, { tenant_id }, now) =>
      leaveHeld(db.inTenant(tenant_id, tx => agePast(tx, tenant_id, now))),
  })
}
