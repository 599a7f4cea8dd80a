// The dashboard's routes about OAuth apps and the grants given to them.
import Type from 'typebox'
import { ScopeNames } from '../accounts/accounts.schema.ts'
import { type Asked, identityOf, inTenantOf, sessionOf } from '../accounts/identity.ts'
import { requireOwnScopes } from '../accounts/require-scope.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import type { Server } from '../platform/http.ts'
import { hidden, hiddenById, Name } from '../platform/schemas.ts'
import { type ListedGrant, listApps, listGrants, MOST_GRANTS } from './apps.queries.ts'
import { endGrantById } from './end-grant.ts'
import { changeApp, createApp, removeApp, rotateSecret } from './manage-apps.ts'
import { MOST_REDIRECT_URIS } from './redirect-uris.ts'

const closed = { additionalProperties: false } as const
const manage = { session: 'apps:manage', fresh: true } as const

const fields = {
  name: Name({ minLength: 1, maxLength: 200 }),
  redirect_uris: Type.Array(Type.String({ maxLength: 2000 }), {
    minItems: 1,
    maxItems: MOST_REDIRECT_URIS,
  }),
  scopes: ScopeNames,
}
const AppBody = Type.Object(fields, closed)
const AppChange = Type.Partial(Type.Object(fields), { ...closed, minProperties: 1 })

export function appsAdmin(server: Server, context: Context): void {
  server.get(
    '/admin/apps',
    { config: { session: 'apps:manage' }, schema: hidden },
    async request => {
      const { tenant_id } = identityOf(request)
      const apps = await context.db.inTenant(tenant_id, tx => listApps(tx, tenant_id))
      return { data: apps.map(({ secret_hash: _, ...app }) => app) }
    },
  )

  server.post(
    '/admin/apps',
    { config: manage, schema: { ...hidden, body: AppBody } },
    async (request, reply) => {
      const { body } = request
      requireOwnScopes(identityOf(request), body.scopes)
      const make = async (tx: Tx, asked: Asked) => ({
        status: 201,
        body: await createApp(tx, asked, body),
      })
      return answerOnce(context, request, reply, make, { secret: true })
    },
  )

  server.patch(
    '/admin/apps/:id',
    { config: manage, schema: { ...hiddenById, body: AppChange } },
    async (request, reply) => {
      const { params, body } = request
      requireOwnScopes(identityOf(request), body.scopes)
      await inTenantOf(context, request, changeApp, params.id, body)
      return reply.code(204).send()
    },
  )

  server.post(
    '/admin/apps/:id/secret',
    { config: manage, schema: hiddenById },
    async (request, reply) => {
      const renew = async (tx: Tx, asked: Asked) => ({
        status: 200,
        body: await rotateSecret(tx, asked, request.params.id),
      })
      return answerOnce(context, request, reply, renew, { secret: true })
    },
  )

  server.delete(
    '/admin/apps/:id',
    { config: manage, schema: hiddenById },
    async (request, reply) => {
      await inTenantOf(context, request, removeApp, request.params.id)
      return reply.code(204).send()
    },
  )

  grantRoutes(server, context)
}

function grantRoutes(server: Server, context: Context): void {
  const list = async (tenant_id: string, user_id: string | null, client_id: string | null) => {
    const now = new Date(context.clock.now())
    const rows = await context.db.inTenant(tenant_id, tx =>
      listGrants(tx, tenant_id, { user_id, client_id }, now),
    )
    const data = rows.slice(0, MOST_GRANTS).map(showGrant)
    return rows.length > MOST_GRANTS ? { data, truncated: true } : { data }
  }

  server.get('/session/grants', { config: { session: 'member' }, schema: hidden }, async request =>
    list(identityOf(request).tenant_id, sessionOf(request).user_id, null),
  )

  server.delete(
    '/session/grants/:id',
    { config: { session: 'member' }, schema: hiddenById },
    async (request, reply) => {
      const { user_id } = sessionOf(request)
      await inTenantOf(context, request, endGrantById, request.params.id, user_id)
      return reply.code(204).send()
    },
  )

  server.get(
    '/admin/grants',
    { config: { session: 'apps:manage' }, schema: hidden },
    async request => list(identityOf(request).tenant_id, null, null),
  )

  server.get(
    '/admin/apps/:id/grants',
    { config: { session: 'apps:manage' }, schema: hiddenById },
    async request => list(identityOf(request).tenant_id, null, request.params.id),
  )

  server.delete(
    '/admin/grants/:id',
    { config: { session: 'apps:manage' }, schema: hiddenById },
    async (request, reply) => {
      await inTenantOf(context, request, endGrantById, request.params.id, null)
      return reply.code(204).send()
    },
  )
}

function showGrant(grant: ListedGrant) {
  const { grant_id, client_id, app_name, user_id, email, scopes, created_at, last_used_at } = grant
  return {
    id: grant_id,
    app: { client_id, name: app_name },
    user: { id: user_id, email },
    scopes,
    created_at,
    last_used_at,
    expires_at: grant.expires_at,
  }
}
