// The dashboard's route that says how often each rule has fired in the last 30 days, and to what effect.
import { identityOf } from '../accounts/identity.ts'
import { DAY } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { hidden } from '../platform/schemas.ts'
import { listRuleActivity } from './activity.queries.ts'

const DAYS = 30

export function activityAdmin(server: Server, context: Context): void {
  server.get(
    '/admin/rules/activity',
    { config: { session: 'member' }, schema: hidden },
    async request => {
      const { tenant_id } = identityOf(request)
      const from = context.clock.now() - DAYS * DAY
      const data = await context.db.inTenant(tenant_id, tx => listRuleActivity(tx, tenant_id, from))
      return { days: DAYS, data }
    },
  )
}
