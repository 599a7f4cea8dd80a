// Keeps where everyone stood 30 days ago, for every tenant with rows that have become that old.
import { MINUTE } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantTurns } from '../platform/tenant-turns.ts'
import { agePast } from './age-past.ts'
import { tenantsToAge } from './past.queries.ts'
import { PAST_MS } from './read-past.ts'

const TENANTS_PER_TURN = 200

export function agePastJob(): Job {
  const inTurns = createTenantTurns(TENANTS_PER_TURN)
  return {
    name: 'age-past',
    every_ms: MINUTE,
    run({ db, clock }) {
      const now = clock.now()
      return inTurns(
        (after, limit) => db.acrossTenants(tx => tenantsToAge(tx, now - PAST_MS, after, limit)),
        ({ tenant_id }) => db.inTenant(tenant_id, tx => agePast(tx, tenant_id, now)),
      )
    },
  }
}
