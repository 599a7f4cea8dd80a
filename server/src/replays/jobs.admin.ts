// The dashboard's route to the latest jobs, so that one may leave a page and find its job again.
import Type from 'typebox'
import { inTenantOf } from '../accounts/identity.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { recalculationView, retractionView } from './job-views.ts'
import { type JobKind, listLatestJobs } from './jobs.queries.ts'

const LATEST = 10

const KINDS = {
  recalculation: ['recalculation', 'preview', 'settings'],
  retraction: ['retraction'],
} as const satisfies Record<string, readonly JobKind[]>

const JobsQuery = Type.Object(
  { kind: Type.Unsafe<keyof typeof KINDS>({ type: 'string', enum: Object.keys(KINDS) }) },
  { additionalProperties: false },
)

export function jobsAdmin(server: Server, context: Context): void {
  server.get(
    '/admin/jobs',
    { config: { session: 'member' }, schema: { hidden: true, querystring: JobsQuery } },
    async request => {
      const { kind } = request.query
      const jobs = await inTenantOf(context, request, (tx, { tenant_id }) =>
        listLatestJobs(tx, tenant_id, KINDS[kind], LATEST),
      )
      const view = kind === 'retraction' ? retractionView : recalculationView
      return { data: jobs.map(job => ({ ...view(job), kind: job.kind })) }
    },
  )
}
