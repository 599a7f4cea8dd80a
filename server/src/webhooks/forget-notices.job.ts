// Removes notifications that nobody has needed for ninety days.
import { DAY, HOUR } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { deleteOldNotices, tenantsWithOldNotices } from './inbox.queries.ts'

const KEPT_MS = 90 * DAY
const TENANTS = 50
const CHUNK = 1000

export const forgetNoticesJob: Job = {
  name: 'forget-notices',
  every_ms: HOUR,
  async run({ db, clock }) {
    const before = new Date(clock.now() - KEPT_MS)
    const tenants = await db.acrossTenants(tx => tenantsWithOldNotices(tx, before, TENANTS))
    for (const tenant_id of tenants) {
      await db.inTenant(tenant_id, tx => deleteOldNotices(tx, tenant_id, before, CHUNK))
    }
    return tenants.length > 0
  },
}
