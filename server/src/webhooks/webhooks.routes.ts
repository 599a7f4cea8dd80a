// /v1/webhooks: who is told of what, and the secrets with which it is signed.
import { answerOnce } from '../access/idempotency.ts'
import { identityOf, originOf } from '../accounts/identity.ts'
import type { Context } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { Server } from '../platform/http.ts'
import { pageAnswer, readPage } from '../platform/pagination.ts'
import { NoBody, NoQuery } from '../platform/schemas.ts'
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
  Webhook,
  WebhookChange,
  WebhookList,
  WebhookParams,
  WebhookWithSecret,
} from './webhooks.schema.ts'

const tags = ['Webhooks']

export function webhooksRoutes(server: Server, context: Context): void {
  readRoutes(server, context)
  createRoute(server, context)
  changeRoutes(server, context)
  secretRoutes(server, context)
}

function readRoutes(server: Server, { db, clock }: Context): void {
  server.get(
    '/v1/webhooks',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        tags,
        summary: 'List webhooks',
        description: 'The subscriptions of the tenant, oldest first, without their secrets.',
        querystring: PagedQuery,
        response: { 200: WebhookList },
      },
    },
    async request => {
      const { tenant_id } = identityOf(request)
      const page = readPage(request.query)
      const rows = await db.inTenant(tenant_id, tx => listWebhooks(tx, tenant_id))
      const shown = rows.slice(page.offset, page.offset + page.per_page)
      return pageAnswer(
        shown.map(row => showWebhook(row, clock.now())),
        page,
        rows.length,
      )
    },
  )
  server.get(
    '/v1/webhooks/:id',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        tags,
        summary: 'Get a webhook',
        description: 'One subscription by its id, without its secret.',
        params: WebhookParams,
        querystring: NoQuery,
        response: { 200: Webhook },
      },
    },
    async request => {
      const { tenant_id } = identityOf(request)
      const row = await db.inTenant(tenant_id, tx => findWebhook(tx, tenant_id, request.params.id))
      if (!row) throw notFound('webhook')
      return showWebhook(row, clock.now())
    },
  )
}

function createRoute(server: Server, context: Context): void {
  server.post(
    '/v1/webhooks',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        tags,
        summary: 'Create a webhook',
        description:
          'Messages about changes from now on are sent to the URL. The answer holds the signing secret, this once.',
        querystring: NoQuery,
        body: NewWebhook,
        response: { 201: WebhookWithSecret },
        errors: {
          409: {
            says: `The tenant has ${MOST_WEBHOOKS} webhooks already.`,
            message: `a tenant has at most ${MOST_WEBHOOKS} webhooks`,
          },
        },
      },
    },
    async (request, reply) =>
      answerOnce(
        context,
        request,
        reply,
        async tx => {
          const { tenant_id } = identityOf(request)
          const body = await createWebhook(context, tx, tenant_id, originOf(request), request.body)
          return { status: 201, body, location: `/v1/webhooks/${body.id}` }
        },
        { secret: true },
      ),
  )
}

function changeRoutes(server: Server, context: Context): void {
  server.patch(
    '/v1/webhooks/:id',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        tags,
        summary: 'Change a webhook',
        description:
          'Changes where messages go and which. `status` disables and enables; enabling forgets the failures ' +
          'before it. What was skipped meanwhile can then be recovered.',
        params: WebhookParams,
        querystring: NoQuery,
        body: WebhookChange,
        response: { 200: Webhook },
      },
    },
    async request => {
      const { tenant_id } = identityOf(request)
      const { id } = request.params
      return context.db.inTenant(tenant_id, tx =>
        changeWebhook(context, tx, tenant_id, originOf(request), id, request.body),
      )
    },
  )
  server.delete(
    '/v1/webhooks/:id',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        tags,
        summary: 'Delete a webhook',
        description: 'Nothing more is sent, also nothing that is due already.',
        params: WebhookParams,
        querystring: NoQuery,
        response: { 204: NoBody('Deleted.') },
      },
    },
    async (request, reply) => {
      const { tenant_id } = identityOf(request)
      await context.db.inTenant(tenant_id, tx =>
        removeWebhook(context, tx, tenant_id, originOf(request), request.params.id),
      )
      return reply.code(204).send(undefined)
    },
  )
}

function secretRoutes(server: Server, context: Context): void {
  server.post(
    '/v1/webhooks/:id/rotate-secret',
    {
      config: { scope: 'webhooks:write', fresh: true },
      schema: {
        tags,
        summary: 'Rotate the secret',
        description:
          'Makes a new signing secret and shows it, this once. For 24 hours `webhook-signature` carries both; ' +
          '`X-Service-Signature` stays with the old one until the new one is activated, at the latest then.',
        params: WebhookParams,
        querystring: NoQuery,
        response: { 200: WebhookWithSecret },
        repeatable: true,
      },
    },
    async (request, reply) =>
      answerOnce(
        context,
        request,
        reply,
        async tx => {
          const { tenant_id } = identityOf(request)
          const { id } = request.params
          return {
            status: 200,
            body: await rotateSecret(context, tx, tenant_id, originOf(request), id),
          }
        },
        { secret: true },
      ),
  )
  server.post(
    '/v1/webhooks/:id/activate-secret',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        tags,
        summary: 'Activate the new secret',
        description:
          'While the secret is being rotated: `X-Service-Signature` is made with the new one from now on.',
        params: WebhookParams,
        querystring: NoQuery,
        response: { 200: Webhook },
        errors: {
          409: {
            says: 'The secret is not being rotated.',
            message: 'the secret is not being rotated',
          },
        },
      },
    },
    async request => {
      const { tenant_id } = identityOf(request)
      return context.db.inTenant(tenant_id, tx =>
        activateSecret(context, tx, tenant_id, originOf(request), request.params.id),
      )
    },
  )
}
