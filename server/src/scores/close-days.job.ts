// Closes the days of every tenant once nothing can change them any more.
import { dayOf, MINUTE } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { tenantsToClose } from './close-days.queries.ts'
import { closeDays, lastSettledDay } from './close-days.ts'

export function closeDaysJob(): Job {
  return createTenantJob({
    name: 'close-days',
    every_ms: 5 * MINUTE,
    tenants: 200,
    find: ({ db }, after, tenants, now) => {
      const last = dayOf(lastSettledDay(now))
      return db.acrossTenants(tx => tenantsToClose(tx, { last, after, tenants }))
    },
    work: ({ db }, { tenant_id }, now) =>
      db.inTenant(tenant_id, tx => closeDays(tx, tenant_id, now)),
  })
}
