// /v1/webhooks: who is told of what, and the secrets with which it is signed.
import { inTenantOf } from '../accounts/identity.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { Context } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { Server } from '../platform/http.ts'
import { pageAnswer, readPage } from '../platform/pagination.ts'
import { NoBody, operation } from '../platform/schemas.ts'
import {
  activateSecret,
  changeWebhook,
  createWebhook,
  MOST_WEBHOOKS,
  removeWebhook,
  rotateSecret,
  showWebhook,
} from './manage-webhooks.ts'
import { findWebhook, listWebhooks } from './webhooks.queries.ts'
import {
  NewWebhook,
  PagedQuery,
  ROTATING,
  Webhook,
  WebhookChange,
  WebhookList,
  WebhookParams,
  WebhookWithSecret,
} from './webhooks.schema.ts'

const tags = ['Webhooks']
const proven = { scope: 'webhooks:write', fresh: true } as const

export function webhooksRoutes(server: Server, context: Context): void {
  readRoutes(server, context)
  createRoute(server, context)
  changeRoutes(server, context)
  secretRoutes(server, context)
}

function readRoutes(server: Server, context: Context): void {
  server.get(
    '/v1/webhooks',
    operation('webhooks:read', {
      tags,
      summary: 'List webhooks',
      description: 'The subscriptions of the tenant, oldest first, without their secrets.',
      querystring: PagedQuery,
      response: { 200: WebhookList },
    }),
    async request => {
      const page = readPage(request.query)
      const rows = await inTenantOf(context, request, (tx, { tenant_id }) =>
        listWebhooks(tx, tenant_id),
      )
      const shown = rows.slice(page.offset, page.offset + page.per_page)
      const now = context.clock.now()
      const data = shown.map(row => showWebhook(row, now))
      return pageAnswer(data, page, rows.length)
    },
  )
  server.get(
    '/v1/webhooks/:id',
    operation('webhooks:read', {
      tags,
      summary: 'Get a webhook',
      description: 'One subscription by its id, without its secret.',
      params: WebhookParams,
      response: { 200: Webhook },
    }),
    async request => {
      const row = await inTenantOf(context, request, (tx, { tenant_id }) =>
        findWebhook(tx, tenant_id, request.params.id),
      )
      if (!row) throw notFound('webhook')
      return showWebhook(row, context.clock.now())
    },
  )
}

function createRoute(server: Server, context: Context): void {
  server.post(
    '/v1/webhooks',
    operation('webhooks:write', {
      tags,
      summary: 'Create a webhook',
      description:
        'Messages about changes from now on are sent to the URL. The answer holds the signing secret, this once.',
      body: NewWebhook,
      response: { 201: WebhookWithSecret },
      errors: {
        409: {
          says: `The tenant has ${MOST_WEBHOOKS} webhooks already.`,
          message: `a tenant has at most ${MOST_WEBHOOKS} webhooks`,
        },
      },
    }),
    async (request, reply) =>
      answerOnce(
        context,
        request,
        reply,
        async (tx, asked) => {
          const body = await createWebhook(tx, asked, request.body, context)
          return { status: 201, body, location: `/v1/webhooks/${body.id}` }
        },
        { secret: true },
      ),
  )
}

function changeRoutes(server: Server, context: Context): void {
  server.patch(
    '/v1/webhooks/:id',
    operation('webhooks:write', {
      tags,
      summary: 'Change a webhook',
      description:
        'Changes where messages go and which. `status` disables and enables; enabling forgets the failures ' +
        'before it. What was skipped meanwhile can then be recovered. By an OAuth token only webhooks that were made ' +
        'through the same grant are changed, rotated or deleted; any other is 403.',
      params: WebhookParams,
      body: WebhookChange,
      response: { 200: Webhook },
    }),
    request =>
      inTenantOf(context, request, changeWebhook, request.params.id, request.body, context),
  )
  server.delete(
    '/v1/webhooks/:id',
    operation('webhooks:write', {
      tags,
      summary: 'Delete a webhook',
      description:
        'Nothing more is sent, also nothing that is due already. A request already under way is not called back, ' +
        'and what was taken for sending just before may still go out for up to a second.',
      params: WebhookParams,
      response: { 204: NoBody('Deleted.') },
    }),
    async (request, reply) => {
      await inTenantOf(context, request, removeWebhook, request.params.id)
      return reply.code(204).send(undefined)
    },
  )
}

function secretRoutes(server: Server, context: Context): void {
  server.post(
    '/v1/webhooks/:id/rotate-secret',
    operation(proven, {
      tags,
      summary: 'Rotate the secret',
      description:
        'Makes a new signing secret and shows it, this once. For 24 hours `webhook-signature` carries both; ' +
        '`X-Service-Signature` stays with the old one until the new one is activated, at the latest then.',
      params: WebhookParams,
      response: { 200: WebhookWithSecret },
      shows: ROTATING,
      repeatable: true,
    }),
    async (request, reply) =>
      answerOnce(
        context,
        request,
        reply,
        async (tx, asked) => ({
          status: 200,
          body: await rotateSecret(tx, asked, request.params.id, context),
        }),
        { secret: true },
      ),
  )
  server.post(
    '/v1/webhooks/:id/activate-secret',
    operation('webhooks:write', {
      tags,
      summary: 'Activate the new secret',
      description:
        'While the secret is being rotated: `X-Service-Signature` is made with the new one from now on.',
      params: WebhookParams,
      response: { 200: Webhook },
      shows: { ...ROTATING, new_secret_activated: true },
      errors: {
        409: {
          says: 'The secret is not being rotated.',
          message: 'the secret is not being rotated',
        },
      },
    }),
    request => inTenantOf(context, request, activateSecret, request.params.id),
  )
}
