// The dashboard's route behind the small lines in its lists: 30 days of scores of the people on a page.
import Type from 'typebox'
import { readTenantOf } from '../accounts/identity.ts'
import type { Context } from '../platform/context.ts'
import { ApiError } from '../platform/errors.ts'
import type { Server } from '../platform/http.ts'
import { readScoreHistory } from './read-employees.ts'

const MOST = 100

const SparklinesQuery = Type.Object(
  { ids: Type.String({ minLength: 1, maxLength: 5000, pattern: '^[\\w,]+$' }) },
  { additionalProperties: false },
)

export function sparklinesAdmin(server: Server, context: Context): void {
  server.get(
    '/admin/employees/sparklines',
    { config: { session: 'member' }, schema: { hidden: true, querystring: SparklinesQuery } },
    async request => {
      const ids = [...new Set(request.query.ids.split(','))].slice(0, MOST)
      const lines = await readTenantOf(context, request, (tx, { tenant_id, now }) =>
        Promise.all(ids.map(id => readScoreHistory(tx, tenant_id, id, {}, now).catch(asNobody))),
      )
      const data = ids.map((id, i) => ({ id, scores: lines[i]!.map(point => point.score) }))
      return { data }
    },
  )
}

/** People who are not there have no line; the others still have theirs. */
function asNobody(error: unknown): [] {
  if (error instanceof ApiError && error.code === 'NOT_FOUND') return []
  throw error
}
