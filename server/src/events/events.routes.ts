// Public routes of events: submit, batch, inbound webhook, lists, statistics and the unmatched ones.
import { type Access, drawMore } from '../access/guard.ts'
import { identityOf } from '../accounts/identity.ts'
import { sendAnswer } from '../idempotency/answer-once.ts'
import { MOST_IN_BATCH, requestsOf } from '../platform/batches.ts'
import type { Context } from '../platform/context.ts'
import { BATCH_BODY_LIMIT, type Server } from '../platform/http.ts'
import { IdParams, operation } from '../platform/schemas.ts'
import {
  EmployeeEventsQuery,
  EventDetail,
  EventList,
  EventParams,
  EventStatistics,
  EventsQuery,
  StatisticsQuery,
} from './events.schema.ts'
import type { Ingest } from './ingest-queue.ts'
import {
  EventBatchResult,
  EventResult,
  INBOUND_SHOWN,
  InboundEvent,
  NewEvent,
  NewEventBatch,
} from './new-events.schema.ts'
import { readEmployeeEvents, readEvent, readEvents, readUnmatched } from './read-events.ts'
import { readEventStatistics } from './read-statistics.ts'
import { replayUnmatched, submitBatch, submitEvent, submitInbound } from './submit-events.ts'
import { UnmatchedList, UnmatchedQuery } from './unmatched.schema.ts'

const tags = ['Events']
const batch = {
  scope: 'events:write',
  items_apart: { list: 'events', one: 'event', most: MOST_IN_BATCH },
} as const
const inbound = { scope: 'events:write', buckets: ['inbound'] } as const
const NOBODY = 'no such employee with this email'

export function eventsRoutes(
  server: Server,
  context: Context,
  access: Access,
  ingest: Ingest,
): void {
  submitRoutes(server, context, access, ingest)
  readRoutes(server, context)
  unmatchedRoutes(server, context, ingest)
}

function submitRoutes(server: Server, context: Context, access: Access, ingest: Ingest): void {
  server.post(
    '/v1/events',
    operation('events:write', {
      tags,
      summary: 'Submit a custom event',
      description:
        'Scores the event against the rules; the answer shows the effect. A repeated external_id answers 200.',
      body: NewEvent,
      response: { 200: EventResult, 201: EventResult },
      errors: { 404: { says: 'Nobody has this address.', message: NOBODY } },
    }),
    async (request, reply) =>
      sendAnswer(reply, await submitEvent(context, ingest, request, request.body)),
  )
  server.post(
    '/v1/events/batch',
    {
      bodyLimit: BATCH_BODY_LIMIT,
      ...operation(batch, {
        tags,
        summary: 'Submit up to 1,000 custom events',
        description:
          'One transaction; each event answers for itself, in order. Draws one request for each 100 events begun.',
        body: NewEventBatch,
        response: { 207: EventBatchResult },
      }),
    },
    async (request, reply) => {
      const { events } = request.body
      await drawMore(access, request, reply, requestsOf(events) - 1)
      return sendAnswer(reply, await submitBatch(context, ingest, request, events))
    },
  )
  server.post(
    '/v1/events/webhook',
    operation(inbound, {
      tags,
      summary: 'Inbound webhook',
      description:
        'Takes an event of an integration. An address that matches nobody is 404 and the event is kept for replay.',
      body: InboundEvent,
      response: { 200: EventResult, 201: EventResult },
      shows: INBOUND_SHOWN,
      errors: {
        404: {
          says: 'Nobody has this address; the event is kept for replay.',
          message: `${NOBODY}; the event is kept for 30 days and can be replayed`,
        },
      },
    }),
    async (request, reply) =>
      sendAnswer(reply, await submitInbound(context, ingest, request, request.body)),
  )
}

function readRoutes(server: Server, context: Context): void {
  server.get(
    '/v1/events',
    operation('events:read', {
      tags,
      summary: 'List events',
      description: 'Newest first.',
      querystring: EventsQuery,
      response: { 200: EventList },
    }),
    request => readEvents(context, identityOf(request).tenant_id, request.query),
  )
  server.get(
    '/v1/events/statistics',
    operation('events:read', {
      tags,
      summary: 'Event statistics',
      description:
        'Counts, people and mean impact by type, source or department; default the last 30 days.',
      querystring: StatisticsQuery,
      response: { 200: EventStatistics },
    }),
    request => readEventStatistics(context, identityOf(request).tenant_id, request.query),
  )
  server.get(
    '/v1/events/:id',
    operation('events:read', {
      tags,
      summary: 'Get an event',
      description: 'The event with the rules that fired and those that were cooling down.',
      params: EventParams,
      response: { 200: EventDetail },
    }),
    request => readEvent(context, identityOf(request).tenant_id, request.params.id),
  )
  server.get(
    '/v1/employees/:id/events',
    operation('events:read', {
      tags,
      summary: "List an employee's events",
      description: 'Newest first.',
      params: IdParams('employee', 'emp_0mm9xk2ce12c3d4e5f6g7h'),
      querystring: EmployeeEventsQuery,
      response: { 200: EventList },
    }),
    request =>
      readEmployeeEvents(context, identityOf(request).tenant_id, request.params.id, request.query),
  )
}

function unmatchedRoutes(server: Server, context: Context, ingest: Ingest): void {
  server.get(
    '/v1/events/unmatched',
    operation('events:read', {
      tags,
      summary: 'List unmatched events',
      description: 'Inbound events of the last 30 days whose address matched nobody; newest first.',
      querystring: UnmatchedQuery,
      response: { 200: UnmatchedList },
    }),
    request => readUnmatched(context, identityOf(request).tenant_id, request.query),
  )
  server.post(
    '/v1/events/unmatched/:id/replay',
    operation('events:write', {
      tags,
      summary: 'Replay an unmatched event',
      description: 'Scores it once its employee exists; 404 while nobody has the address.',
      params: IdParams('unmatched event', 'unm_0mm9xk2ce12c3d4e5f6g7h'),
      response: { 200: EventResult, 201: EventResult },
      shows: INBOUND_SHOWN,
    }),
    async (request, reply) =>
      sendAnswer(reply, await replayUnmatched(context, ingest, request, request.params.id)),
  )
}
