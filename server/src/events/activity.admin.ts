// The dashboard's route that says how often each rule has fired in the last 30 days, and to what effect.
import { inTenantOf } from '../accounts/identity.ts'
import { DAY } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { hidden } from '../platform/schemas.ts'
import { listRuleActivity } from './activity.queries.ts'

const DAYS = 30
/** The firings counted of each rule, from the latest back. */
const MOST = 10_000

export function activityAdmin(server: Server, context: Context): void {
  server.get(
    '/admin/rules/activity',
    { config: { session: 'member' }, schema: hidden },
    async request => {
      const data = await inTenantOf(context, request, (tx, { tenant_id, now }) =>
        listRuleActivity(tx, tenant_id, now - DAYS * DAY, MOST),
      )
      return { days: DAYS, most: MOST, data }
    },
  )
}
