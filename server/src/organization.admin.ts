// The dashboard's routes about the organization itself: how much of its plan is in use, how long events are kept.
import Type from 'typebox'
import { readUsage } from './access/read-usage.ts'
import { listUse } from './access/usage.queries.ts'
import { identityOf, inTenantOf } from './accounts/identity.ts'
import { changeRetention } from './manage-tenants.ts'
import { DAY, dayOf } from './platform/clock.ts'
import type { Context } from './platform/context.ts'
import type { Server } from './platform/http.ts'
import { hidden } from './platform/schemas.ts'
import { listRecalculations } from './replays/request-jobs.ts'
import { RETENTION_MONTHS } from './tenants/retention.ts'

const RetentionBody = Type.Object(
  {
    retention_months: Type.Integer({
      minimum: RETENTION_MONTHS.least,
      maximum: RETENTION_MONTHS.most,
    }),
  },
  { additionalProperties: false },
)

/** Days of use beside today's, so that one sees what is usual. */
const DAYS_SHOWN = 30

export function organizationAdmin(server: Server, context: Context): void {
  const { db, clock } = context
  server.get('/admin/usage', { config: { session: 'member' }, schema: hidden }, async request => {
    const { tenant_id, limits } = identityOf(request)
    const { recalculations: most, recalculation_window_ms: window } = limits
    const now = clock.now()
    const [rates, asked, days] = await db.inTenant(tenant_id, tx =>
      Promise.all([
        readUsage(tx, tenant_id, limits, now),
        listRecalculations(tx, tenant_id, limits, now),
        listUse(tx, tenant_id, dayOf(now - (DAYS_SHOWN - 1) * DAY)),
      ]),
    )
    const next_at = asked.length < most ? null : new Date(asked.at(-1)! + window)
    return { rates, recalculations: { most, used: asked.length, next_at }, today: dayOf(now), days }
  })

  server.put(
    '/admin/retention',
    {
      config: { session: 'tenant:manage', fresh: true },
      schema: { ...hidden, body: RetentionBody },
    },
    async request => {
      const { retention_months } = request.body
      await inTenantOf(context, request, changeRetention, retention_months)
      return { retention_months }
    },
  )
}
