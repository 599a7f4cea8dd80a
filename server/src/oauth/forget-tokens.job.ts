// Removes tokens and grants that have ended for a week; until then a late replay is still noticed.
import { DAY, MINUTE } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantTurns } from '../platform/tenant-turns.ts'
import { forgetTokens, tenantsWithOldTokens } from './tokens.queries.ts'

const TENANTS_PER_TURN = 200

export function forgetTokensJob(): Job {
  const inTurns = createTenantTurns(TENANTS_PER_TURN)
  return {
    name: 'forget-tokens',
    every_ms: 10 * MINUTE,
    run({ db, clock }) {
      const before = new Date(clock.now() - 7 * DAY)
      return inTurns(
        (after, limit) => db.acrossTenants(tx => tenantsWithOldTokens(tx, before, after, limit)),
        async ({ tenant_id }) => {
          await db.inTenant(tenant_id, tx => forgetTokens(tx, tenant_id, before))
          return true
        },
      )
    },
  }
}
