// /v1/actions: what was set off, asking for more, and reporting back.
import type { FastifyRequest } from 'fastify'
import { identityOf, inTenantOf } from '../accounts/identity.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { Context } from '../platform/context.ts'
import { readWindow } from '../platform/dates.ts'
import { ApiError, notFound } from '../platform/errors.ts'
import type { Server } from '../platform/http.ts'
import { pageAnswer, readPage } from '../platform/pagination.ts'
import { operation } from '../platform/schemas.ts'
import { readSorting } from '../platform/sorting.ts'
import { countActions, listActions } from './action-lists.queries.ts'
import { findAction } from './actions.queries.ts'
import {
  ACTION_SHOWN,
  Action,
  ActionFailure,
  ActionList,
  ActionParams,
  ActionQuery,
  ActionSuccess,
  ActionVerdict,
  NewAction,
} from './actions.schema.ts'
import { approveAction, rejectAction, reportAction, requestAction } from './change-action.ts'
import { actionView } from './open-action.ts'

const tags = ['Actions']

export function actionsRoutes(server: Server, context: Context): void {
  readRoutes(server, context)
  requestRoute(server, context)
  for (const verb of ['complete', 'fail'] as const) reportRoute(server, context, verb)
  for (const verb of ['approve', 'reject'] as const) verdictRoute(server, context, verb)
}

function readRoutes(server: Server, context: Context): void {
  server.get(
    '/v1/actions',
    operation('actions:read', {
      tags,
      summary: 'List actions',
      description: 'What policies set off and people asked for; newest first.',
      querystring: ActionQuery,
      response: { 200: ActionList },
    }),
    async request => {
      const { employee_id = null, type = null, status = null } = request.query
      const filter = { employee_id, type, status, ...readWindow(request.query) }
      const page = readPage(request.query)
      const sorting = readSorting(request.query, 'created_at')
      const { rows, total } = await inTenantOf(context, request, async (tx, { tenant_id }) => {
        let counted: Promise<number> | undefined
        const count = () => (counted ??= countActions(tx, tenant_id, filter))
        const rows = await listActions(tx, tenant_id, filter, sorting, page, count)
        return { rows, total: await count() }
      })
      return pageAnswer(rows.map(actionView), page, total)
    },
  )
  server.get(
    '/v1/actions/:id',
    operation('actions:read', {
      tags,
      summary: 'Get an action',
      description: 'One action by its id.',
      params: ActionParams,
      response: { 200: Action },
    }),
    async request => {
      const row = await inTenantOf(context, request, (tx, { tenant_id }) =>
        findAction(tx, tenant_id, request.params.id),
      )
      if (!row) throw notFound('action')
      return actionView(row)
    },
  )
}

function requestRoute(server: Server, context: Context): void {
  server.post(
    '/v1/actions',
    operation('actions:execute', {
      tags,
      summary: 'Ask for an action',
      description:
        '`restrict_access` and `require_mfa_reset` first await the approval of a person in the dashboard, and ' +
        'not of the one who asked. Everything else is triggered at once.',
      body: NewAction,
      response: { 201: Action },
      shows: ACTION_SHOWN.asked,
      errors: { 404: { says: 'There is no such employee.', message: 'no such employee' } },
    }),
    async (request, reply) =>
      answerOnce(context, request, reply, async (tx, asked) => {
        const body = await requestAction(tx, asked, request.body)
        return { status: 201, body, location: `/v1/actions/${body.id}`, about: [body.employee_id] }
      }),
  )
}

const REPORTS = {
  complete: {
    status: 'completed',
    summary: 'Report an action as done',
    body: ActionSuccess,
    shows: {},
  },
  fail: {
    status: 'failed',
    summary: 'Report an action as failed',
    body: ActionFailure,
    shows: ACTION_SHOWN.failed,
  },
} as const

function reportRoute(server: Server, context: Context, verb: keyof typeof REPORTS): void {
  const { status, summary, body, shows } = REPORTS[verb]
  server.post(
    `/v1/actions/:id/${verb}`,
    operation('actions:execute', {
      tags,
      summary,
      description:
        'By whoever carried out what `action.triggered` told of. The body may be left out. Mails are sent by ' +
        'this service, which knows itself how they went.',
      params: ActionParams,
      body,
      body_optional: true,
      response: { 200: Action },
      shows,
      repeatable: true,
      errors: {
        409: {
          says: 'It is not waiting for a report.',
          message: 'the action is completed, not triggered',
        },
      },
    }),
    (request, reply) =>
      answerOnce(context, request, reply, async (tx, asked) => {
        const body = await reportAction(tx, asked, request.params.id, status, request.body)
        return { status: 200, body, about: [body.employee_id] }
      }),
  )
}

/** Before the body is looked at: no key and no app can approve, whatever its scopes. */
async function requirePerson(request: FastifyRequest): Promise<void> {
  if (identityOf(request).permissions.has('actions:manage')) return
  throw new ApiError('FORBIDDEN', 'only owners and admins can do this, in the dashboard')
}

const VERDICTS = {
  approve: {
    decide: approveAction,
    summary: 'Approve an action',
    about: 'Nobody approves what they asked for themselves. ',
    shows: ACTION_SHOWN.approved,
  },
  reject: {
    decide: rejectAction,
    summary: 'Reject an action',
    about: '',
    shows: ACTION_SHOWN.rejected,
  },
} as const

function verdictRoute(server: Server, context: Context, verb: keyof typeof VERDICTS): void {
  const { decide, summary, about, shows } = VERDICTS[verb]
  server.post(
    `/v1/actions/:id/${verb}`,
    {
      onRequest: requirePerson,
      ...operation('actions:execute', {
        tags,
        summary,
        description:
          `For owners and admins in the dashboard, by their session; no key and no app can. ${about}` +
          'The body may be left out.',
        params: ActionParams,
        body: ActionVerdict,
        body_optional: true,
        session_only: true,
        response: { 200: Action },
        shows,
        repeatable: true,
        errors: {
          409: {
            says: 'It does not wait for approval.',
            message: 'the action is rejected, not awaiting_approval',
          },
        },
      }),
    },
    (request, reply) =>
      answerOnce(context, request, reply, async (tx, asked) => {
        const body = await decide(tx, asked, request.params.id, request.body.note ?? '')
        return { status: 200, body, about: [body.employee_id] }
      }),
  )
}
