// Ends what nobody decided or reported in time.
import { MINUTE } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { expireActions, tenantsWithExpired } from './carry-out.queries.ts'

const CHUNK = 1000

const OUTCOMES = {
  awaiting_approval: 'nobody approved or rejected it in time',
  triggered: 'nobody reported how it went in time',
}

export function expireActionsJob(): Job {
  return createTenantJob({
    name: 'expire-actions',
    every_ms: MINUTE,
    tenants: 200,
    find: ({ db }, after, limit, now) =>
      db.acrossTenants(tx => tenantsWithExpired(tx, new Date(now), after, limit)),
    work: async ({ db }, { tenant_id }, now) => {
      const ended = await db.inTenant(tenant_id, tx =>
        expireActions(tx, tenant_id, new Date(now), OUTCOMES, CHUNK),
      )
      return ended === CHUNK
    },
  })
}
