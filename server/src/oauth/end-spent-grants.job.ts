// Ends the webhooks of grants that end by themselves: a year after the consent, or when no token was renewed in time.
import { recordAudit } from '../audit/record-audit.ts'
import { endWebhooks } from '../endings/end-access.ts'
import { tenantsWithMadeWebhooks } from '../endings/endings.queries.ts'
import { engineOrigin } from '../platform/actor.ts'
import { MINUTE } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'

export function endSpentGrantsJob(): Job {
  return createTenantJob({
    name: 'end-spent-grants',
    every_ms: 10 * MINUTE,
    tenants: 200,
    find: ({ db }, after, limit) =>
      db.acrossTenants(tx => tenantsWithMadeWebhooks(tx, after, limit)),
    work: async ({ db }, { tenant_id }, now) => {
      await db.inTenant(tenant_id, async tx => {
        const spent = { spent_at: new Date(now) }
        const ended = await endWebhooks(tx, tenant_id, now, spent, 'expired')
        await recordAudit(tx, tenant_id, now, engineOrigin(), ended)
      })
      return false
    },
  })
}
