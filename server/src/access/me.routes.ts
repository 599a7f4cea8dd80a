// GET /v1/me: what the caller's credential is and may do.
import { identityOf } from '../accounts/identity.ts'
import type { Server } from '../platform/http.ts'
import { operation } from '../platform/schemas.ts'
import { Me } from './me.schema.ts'

export function meRoutes(server: Server): void {
  server.get(
    '/v1/me',
    operation('any', {
      tags: ['Access'],
      summary: 'The caller',
      description: 'The tenant, plan, scopes and limits of the credential that asks.',
      response: { 200: Me },
    }),
    async request => {
      const { tenant_id, tenant_name, plan, limits, scopes, actor } = identityOf(request)
      const { recalculation_window_ms, ...shown } = limits
      return {
        tenant: { id: tenant_id, name: tenant_name },
        plan,
        actor,
        scopes: [...scopes],
        limits: { ...shown, recalculation_window_hours: recalculation_window_ms / 3_600_000 },
      }
    },
  )
}
