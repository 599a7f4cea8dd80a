// /v1/rules/…/test and /v1/rules/recalculate: what rules would do, and doing it over.
import { identityOf, inTenantOf } from '../accounts/identity.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import { MINUTE } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { createPatientGate } from '../platform/fair-gate.ts'
import type { Server } from '../platform/http.ts'
import { NoBody, operation } from '../platform/schemas.ts'
import { RuleParams } from '../rules/rules.schema.ts'
import { recalculationView } from './job-views.ts'
import {
  AcceptedJob,
  DraftDryRun,
  DraftRule,
  DryRun,
  JOB_RUNNING,
  JobParams,
  RecalculateBody,
  RecalculateQuery,
  RecalculationJob,
  TestQuery,
} from './replays.schema.ts'
import { cancelJob, readJob, requestRecalculation } from './request-jobs.ts'
import { testDraftRule, testSavedRule } from './test-rules.ts'

const tags = ['Rules']
const KINDS = ['recalculation', 'preview', 'settings'] as const

/** A dry run is many short statements in one look; how many run at once in a process, and how long each may. */
const DRY_RUNS_AT_ONCE = 2
const DRY_RUN_MS = 5 * MINUTE

export function replaysRoutes(server: Server, context: Context): void {
  testRoutes(server, context)
  requestRoute(server, context)
  jobRoutes(server, context)
}

function testRoutes(server: Server, { db, clock }: Context): void {
  const inTurn = createPatientGate(DRY_RUNS_AT_ONCE)
  server.post(
    '/v1/rules/:id/test',
    operation('rules:read', {
      tags,
      summary: 'Dry-run a rule',
      description:
        'Scores the events of the window again for this one rule as it now stands, active or not; every other ' +
        'share stays as recorded. Exact over the whole window, and nothing is changed. Default: the last 30 days.',
      params: RuleParams,
      querystring: TestQuery,
      response: { 200: DryRun },
    }),
    async request => {
      const { tenant_id } = identityOf(request)
      const { id } = request.params
      return inTurn(tenant_id, () =>
        db.readTenant(
          tenant_id,
          tx => testSavedRule(tx, tenant_id, clock.now(), id, request.query),
          DRY_RUN_MS,
        ),
      )
    },
  )
  server.post(
    '/v1/rules/test',
    operation('rules:read', {
      tags,
      summary: 'Dry-run a rule that is not saved',
      description:
        'As for a saved rule, with the rule in the body. `replaces` names a saved rule it stands in for.',
      querystring: TestQuery,
      body: DraftRule,
      response: { 200: DraftDryRun },
      errors: { 404: 'There is no rule of the id in `replaces`.' },
    }),
    async request => {
      const { tenant_id } = identityOf(request)
      return inTurn(tenant_id, () =>
        db.readTenant(
          tenant_id,
          tx => testDraftRule(tx, tenant_id, clock.now(), request.body, request.query),
          DRY_RUN_MS,
        ),
      )
    },
  )
}

function requestRoute(server: Server, context: Context): void {
  server.post(
    '/v1/rules/recalculate',
    operation('rules:write', {
      tags,
      summary: 'Recalculate scores',
      description:
        'Replays the events of every active employee in scope with the rules and settings in force. Limited by ' +
        'the plan; with `dry_run` it only says what would change, and is not.',
      querystring: RecalculateQuery,
      body: RecalculateBody,
      response: { 202: AcceptedJob },
      errors: {
        404: { says: 'Nobody is in this department.', message: 'no such department' },
        409: JOB_RUNNING,
      },
    }),
    async (request, reply) =>
      answerOnce(context, request, reply, async (tx, asked) => {
        const { limits } = identityOf(request)
        const dry_run = request.query.dry_run ?? false
        const job = await requestRecalculation(tx, asked, limits, request.body, dry_run)
        return { status: 202, body: job, location: `/v1/rules/recalculate/${job.job_id}` }
      }),
  )
}

function jobRoutes(server: Server, context: Context): void {
  server.get(
    '/v1/rules/recalculate/:job_id',
    operation('rules:read', {
      tags,
      summary: 'Get a recalculation',
      description: 'How far it is; a finished dry run shows what would change.',
      params: JobParams,
      response: { 200: RecalculationJob },
    }),
    request =>
      inTenantOf(context, request, async (tx, { tenant_id }) =>
        recalculationView(await readJob(tx, tenant_id, request.params.job_id, KINDS)),
      ),
  )
  server.delete(
    '/v1/rules/recalculate/:job_id',
    operation('rules:write', {
      tags,
      summary: 'Cancel a recalculation',
      description: 'Stops it between two pieces; what is done stays.',
      params: JobParams,
      response: { 204: NoBody('Cancelled.') },
      errors: {
        409: {
          says: 'It is finished, or follows a change of settings.',
          message: 'the job has completed already',
        },
      },
    }),
    async (request, reply) => {
      await inTenantOf(context, request, cancelJob, request.params.job_id, KINDS)
      return reply.code(204).send(undefined)
    },
  )
}
