// Ends what nobody decided or reported in time.
import { MINUTE } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantTurns } from '../platform/tenant-turns.ts'
import { expireActions, tenantsWithExpired } from './carry-out.queries.ts'

const TENANTS = 200
const CHUNK = 1000

const OUTCOMES = {
  awaiting_approval: 'nobody approved or rejected it in time',
  triggered: 'nobody reported how it went in time',
}

export function expireActionsJob(): Job {
  const inTurns = createTenantTurns(TENANTS)
  return {
    name: 'expire-actions',
    every_ms: MINUTE,
    run({ db, clock }) {
      const now = new Date(clock.now())
      return inTurns(
        (after, limit) => db.acrossTenants(tx => tenantsWithExpired(tx, now, after, limit)),
        async ({ tenant_id }) => {
          const ended = await db.inTenant(tenant_id, tx =>
            expireActions(tx, tenant_id, now, OUTCOMES, CHUNK),
          )
          return ended === CHUNK
        },
      )
    },
  }
}
