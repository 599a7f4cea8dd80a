// The dashboard's routes about subscriptions: which are in trouble before a delivery of theirs has failed for good, and
// taking over what an app has made.
import { inTenantOf } from '../accounts/identity.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { hidden, hiddenById } from '../platform/schemas.ts'
import { countRetrying } from './deliveries.queries.ts'
import { adoptWebhook } from './manage-webhooks.ts'

/** Counted so far: a receiver that is away for a day may have any number. */
const MOST = 1000

export function standingAdmin(server: Server, context: Context): void {
  server.get(
    '/admin/webhooks/retrying',
    { config: { session: 'member' }, schema: hidden },
    async request => ({
      data: await inTenantOf(context, request, (tx, { tenant_id }) =>
        countRetrying(tx, tenant_id, MOST),
      ),
    }),
  )

  server.post(
    '/admin/webhooks/:id/adopt',
    { config: { session: 'webhooks:adopt', fresh: true }, schema: hiddenById },
    request => inTenantOf(context, request, adoptWebhook, request.params.id),
  )
}
