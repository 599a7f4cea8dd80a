// /v1/events/retract: retraction of many events at once, as a job.
import { inTenantOf } from '../accounts/identity.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { NoBody, operation } from '../platform/schemas.ts'
import { retractionView } from './job-views.ts'
import { AcceptedJob, JOB_RUNNING, JobParams } from './replays.schema.ts'
import { cancelJob, readJob, requestRetraction } from './request-jobs.ts'
import { RetractByFilter, RetractionJob, RetractQuery } from './retractions.schema.ts'

const tags = ['Events']
const KINDS = ['retraction'] as const

export function retractionsRoutes(server: Server, context: Context): void {
  requestRoute(server, context)
  jobRoutes(server, context)
}

function requestRoute(server: Server, context: Context): void {
  server.post(
    '/v1/events/retract',
    operation('events:write', {
      tags,
      summary: 'Retract events by filter',
      description:
        'Retracts every event recorded so far that the filter selects; with `dry_run` it only says what that would ' +
        'change. Clean streaks and manual adjustments are never among them.',
      querystring: RetractQuery,
      body: RetractByFilter,
      response: { 202: AcceptedJob },
      errors: { 409: JOB_RUNNING },
    }),
    async (request, reply) =>
      answerOnce(context, request, reply, async (tx, asked) => {
        const dry_run = request.query.dry_run ?? false
        const job = await requestRetraction(tx, asked, request.body, dry_run)
        return { status: 202, body: job, location: `/v1/events/retract/${job.job_id}` }
      }),
  )
}

function jobRoutes(server: Server, context: Context): void {
  server.get(
    '/v1/events/retract/:job_id',
    operation('events:read', {
      tags,
      summary: 'Get a retraction',
      description: 'How far it is; a finished dry run shows what would change.',
      params: JobParams,
      response: { 200: RetractionJob },
    }),
    request =>
      inTenantOf(context, request, async (tx, { tenant_id }) =>
        retractionView(await readJob(tx, tenant_id, request.params.job_id, KINDS)),
      ),
  )
  server.delete(
    '/v1/events/retract/:job_id',
    operation('events:write', {
      tags,
      summary: 'Cancel a retraction',
      description: 'Stops it between two pieces; what is retracted stays so.',
      params: JobParams,
      response: { 204: NoBody('Cancelled.') },
      errors: { 409: { says: 'It is finished.', message: 'the job has completed already' } },
    }),
    async (request, reply) => {
      await inTenantOf(context, request, cancelJob, request.params.job_id, KINDS)
      return reply.code(204).send(undefined)
    },
  )
}
