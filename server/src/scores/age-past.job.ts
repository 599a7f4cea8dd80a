// Keeps where everyone stood 30 days ago, for every tenant with rows that have become that old.
import { MINUTE } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { agePast } from './age-past.ts'
import { tenantsToAge } from './past.queries.ts'
import { PAST_MS } from './read-past.ts'

const TENANTS_PER_TURN = 200

export function agePastJob(): Job {
  let cursor = ''
  return {
    name: 'age-past',
    every_ms: MINUTE,
    async run({ db, clock }) {
      const now = clock.now()
      const tenants = await db.acrossTenants(tx =>
        tenantsToAge(tx, now - PAST_MS, cursor, TENANTS_PER_TURN),
      )
      const full = tenants.length === TENANTS_PER_TURN
      let more = full
      for (const tenant_id of tenants) {
        // Should it fail, the next run begins after it: it keeps no other waiting.
        cursor = tenant_id
        more = (await db.inTenant(tenant_id, tx => agePast(tx, tenant_id, now))) || more
      }
      if (!full) cursor = ''
      return more
    },
  }
}
