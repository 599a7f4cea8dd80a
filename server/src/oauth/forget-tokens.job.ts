// Removes tokens and grants that have ended for a week; until then a late replay is still noticed.
import { DAY, MINUTE } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { forgetTokens, tenantsWithOldTokens } from './tokens.queries.ts'

const TENANTS_PER_TURN = 200

export const forgetTokensJob: Job = {
  name: 'forget tokens',
  every_ms: 10 * MINUTE,
  async run({ db, clock }) {
    const before = new Date(clock.now() - 7 * DAY)
    const tenants = await db.acrossTenants(tx => tenantsWithOldTokens(tx, before, TENANTS_PER_TURN))
    for (const tenant_id of tenants) {
      await db.inTenant(tenant_id, tx => forgetTokens(tx, tenant_id, before))
    }
    return tenants.length > 0
  },
}
