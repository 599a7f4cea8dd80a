// The delivery log of /v1/webhooks: what was sent, how it went, and sending it again.
import Type from 'typebox'
import { inTenantOf, readTenantOf } from '../accounts/identity.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { Context } from '../platform/context.ts'
import { readSpan } from '../platform/dates.ts'
import { notFound } from '../platform/errors.ts'
import type { Server } from '../platform/http.ts'
import { pageAnswer, readPage, totalOf } from '../platform/pagination.ts'
import { IdParams, operation } from '../platform/schemas.ts'
import { readSorting } from '../platform/sorting.ts'
import {
  Delivery,
  DeliveryDetail,
  DeliveryList,
  DeliveryQuery,
  NewRecovery,
  RECOVERY_SHOWN,
  Recovery,
  recoveryId,
  TEST_SHOWN,
} from './deliveries.schema.ts'
import { countDeliveries, listDeliveries } from './delivery-lists.queries.ts'
import {
  queueTest,
  readDelivery,
  redeliver,
  showRecovery,
  startRecovery,
} from './manage-deliveries.ts'
import { findRecovery, findWebhook } from './webhooks.queries.ts'
import { WebhookParams } from './webhooks.schema.ts'

const tags = ['Webhooks']
const DISABLED = {
  says: 'The webhook is disabled.',
  message: 'the webhook is disabled; enable it first',
}
const DeliveryParams = IdParams('delivery', 'dlv_0mm8o8c001q7xk3m2p5aw9')

export function deliveriesRoutes(server: Server, context: Context): void {
  readRoutes(server, context)
  sendRoutes(server, context)
  recoveryRoutes(server, context)
}

function readRoutes(server: Server, context: Context): void {
  server.get(
    '/v1/webhooks/:id/deliveries',
    operation('webhooks:read', {
      tags,
      summary: 'List deliveries',
      description:
        'What was and is to be sent to a subscription in the last 30 days; newest first unless asked otherwise.',
      params: WebhookParams,
      querystring: DeliveryQuery,
      response: { 200: DeliveryList },
    }),
    async request => {
      const { id } = request.params
      const page = readPage(request.query)
      const sorting = readSorting(request.query, 'created_at')
      return readTenantOf(context, request, async (tx, { tenant_id }) => {
        let counted: Promise<number> | undefined
        const count = () => (counted ??= countDeliveries(tx, tenant_id, id, request.query))
        const [webhook, rows] = await Promise.all([
          findWebhook(tx, tenant_id, id),
          listDeliveries(tx, tenant_id, id, request.query, sorting, page, count),
        ])
        if (!webhook) throw notFound('webhook')
        return pageAnswer(rows, page, await totalOf(rows, page, count))
      })
    },
  )
  server.get(
    '/v1/webhooks/deliveries/:id',
    operation('webhooks:read', {
      tags,
      summary: 'Get a delivery',
      description: 'One delivery with its request, and every attempt with timings and answer.',
      params: DeliveryParams,
      response: { 200: DeliveryDetail },
    }),
    request =>
      inTenantOf(context, request, (tx, { tenant_id }) =>
        readDelivery(tx, tenant_id, request.params.id),
      ),
  )
}

function sendRoutes(server: Server, context: Context): void {
  server.post(
    '/v1/webhooks/:id/test',
    operation('webhooks:write', {
      tags,
      summary: 'Send a test',
      description: 'Queues a message of kind `webhook.test`, logged and retried like any other.',
      params: WebhookParams,
      response: { 202: Delivery },
      shows: TEST_SHOWN,
      errors: { 409: DISABLED },
    }),
    async (request, reply) =>
      answerOnce(context, request, reply, async (tx, asked) => {
        const body = await queueTest(tx, asked, request.params.id)
        return { status: 202, body, location: `/v1/webhooks/deliveries/${body.id}` }
      }),
  )
  server.post(
    '/v1/webhooks/deliveries/:id/redeliver',
    operation('webhooks:write', {
      tags,
      summary: 'Redeliver',
      description:
        'Sends a delivery again at once, with the same id and the same bytes. It takes the place of a retry to ' +
        'come; a delivery that had ended begins a new round of five attempts.',
      params: DeliveryParams,
      response: { 202: Delivery },
      shows: { status: 'retrying', next_attempt_at: '2026-03-02T10:00:00.000Z' },
      errors: {
        409: { ...DISABLED, says: 'The webhook is disabled, or the person it told of was erased.' },
      },
    }),
    async (request, reply) =>
      answerOnce(context, request, reply, async (tx, asked) => {
        const body = await redeliver(tx, asked, request.params.id)
        return { status: 202, body, location: `/v1/webhooks/deliveries/${body.id}` }
      }),
  )
}

function recoveryRoutes(server: Server, context: Context): void {
  server.post(
    '/v1/webhooks/:id/recover',
    operation('webhooks:write', {
      tags,
      summary: 'Recover what was missed',
      description:
        'Sends again every skipped and failed delivery since an instant, oldest first. Poll the Location for ' +
        'its progress.',
      params: WebhookParams,
      body: NewRecovery,
      response: { 202: Recovery },
      shows: RECOVERY_SHOWN,
      errors: { 409: DISABLED },
    }),
    async (request, reply) =>
      answerOnce(context, request, reply, async (tx, asked) => {
        const { id } = request.params
        const since = readSpan('since', request.body.since).first
        const body = await startRecovery(tx, asked, id, since)
        return { status: 202, body, location: `/v1/webhooks/${id}/recover/${body.id}` }
      }),
  )
  server.get(
    '/v1/webhooks/:id/recover/:recovery_id',
    operation('webhooks:read', {
      tags,
      summary: 'Get a recovery',
      description: 'How far a recovery has come.',
      params: Type.Object({
        ...WebhookParams.properties,
        recovery_id: recoveryId,
      }),
      response: { 200: Recovery },
    }),
    async request => {
      const { id, recovery_id } = request.params
      const row = await inTenantOf(context, request, (tx, { tenant_id }) =>
        findRecovery(tx, tenant_id, id, recovery_id),
      )
      if (!row) throw notFound('recovery')
      return showRecovery(row)
    },
  )
}
