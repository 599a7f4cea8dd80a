// Removes tokens and grants that have ended for a week; until then a late replay is still noticed.
import { DAY, MINUTE } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { forgetTokens, tenantsWithOldTokens } from './tokens.queries.ts'

const KEPT_MS = 7 * DAY

export function forgetTokensJob(): Job {
  return createTenantJob({
    name: 'forget-tokens',
    every_ms: 10 * MINUTE,
    tenants: 200,
    find: ({ db }, after, limit, now) =>
      db.acrossTenants(tx => tenantsWithOldTokens(tx, new Date(now - KEPT_MS), after, limit)),
    work: async ({ db }, { tenant_id }, now) => {
      await db.inTenant(tenant_id, tx => forgetTokens(tx, tenant_id, new Date(now - KEPT_MS)))
      return true
    },
  })
}
