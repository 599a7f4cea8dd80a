// Removes notifications that nobody has needed for ninety days.
import { DAY, HOUR } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { deleteOldNotices, tenantsWithOldNotices } from './inbox.queries.ts'

const KEPT_MS = 90 * DAY
const CHUNK = 1000

export function forgetNoticesJob(): Job {
  return createTenantJob({
    name: 'forget-notices',
    every_ms: HOUR,
    tenants: 50,
    find: ({ db }, after, limit, now) =>
      db.acrossTenants(tx => tenantsWithOldNotices(tx, new Date(now - KEPT_MS), after, limit)),
    work: async ({ db }, { tenant_id }, now) => {
      const before = new Date(now - KEPT_MS)
      await db.inTenant(tenant_id, tx => deleteOldNotices(tx, tenant_id, before, CHUNK))
      return true
    },
  })
}
