// The dashboard's route that says who people are: dry runs and previews answer with ids alone.
import Type from 'typebox'
import { identityOf } from '../accounts/identity.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { listNames } from './names.queries.ts'

const MOST = 100

const NamesQuery = Type.Object(
  /** Joined by commas; what lies beyond the first hundred is left out. */
  { ids: Type.String({ maxLength: 4000 }) },
  { additionalProperties: false },
)

export function namesAdmin(server: Server, { db }: Context): void {
  server.get(
    '/admin/employees/names',
    { config: { session: 'member' }, schema: { hidden: true, querystring: NamesQuery } },
    async request => {
      const { tenant_id } = identityOf(request)
      const ids = request.query.ids.split(',').slice(0, MOST)
      return { data: await db.inTenant(tenant_id, tx => listNames(tx, tenant_id, ids)) }
    },
  )
}
