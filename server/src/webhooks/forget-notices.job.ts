// Removes notifications that nobody has needed for ninety days.
import { DAY, HOUR } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantTurns } from '../platform/tenant-turns.ts'
import { deleteOldNotices, tenantsWithOldNotices } from './inbox.queries.ts'

const KEPT_MS = 90 * DAY
const TENANTS = 50
const CHUNK = 1000

export function forgetNoticesJob(): Job {
  const inTurns = createTenantTurns(TENANTS)
  return {
    name: 'forget-notices',
    every_ms: HOUR,
    run({ db, clock }) {
      const before = new Date(clock.now() - KEPT_MS)
      return inTurns(
        (after, limit) => db.acrossTenants(tx => tenantsWithOldNotices(tx, before, after, limit)),
        async ({ tenant_id }) => {
          await db.inTenant(tenant_id, tx => deleteOldNotices(tx, tenant_id, before, CHUNK))
          return true
        },
      )
    },
  }
}
