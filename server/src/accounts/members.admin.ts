// The dashboard's routes about the people of a tenant: for its owners, and what they are called for who reads the log.
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { canMail } from '../platform/mail.ts'
import { publicUrl } from '../platform/public-url.ts'
import { hidden, hiddenById } from '../platform/schemas.ts'
import { InviteBody, MemberBody, PolicyBody } from './accounts.schema.ts'
import { identityOf, inTenantOf, originOf } from './identity.ts'
import { inviteUser } from './invite-user.ts'
import {
  changeMember,
  listMembers,
  nameMembers,
  removeMember,
  setPolicy,
} from './manage-members.ts'
import { requiresSecondFactor } from './memberships.queries.ts'
import { requireScope } from './require-scope.ts'
import { dropSecondFactor, endSessionsOf, requireOwnUser, startReset } from './rescue-user.ts'

const manage = { session: 'users:manage', fresh: true } as const

export function membersAdmin(server: Server, context: Context): void {
  server.get(
    '/admin/users',
    { config: { session: 'users:manage' }, schema: hidden },
    async request => ({
      data: await listMembers(context, identityOf(request).tenant_id),
    }),
  )

  // The log tells these addresses already, to admins too: an invitation holds the one it went to.
  server.get(
    '/admin/users/names',
    { config: { session: 'member' }, schema: hidden },
    async request => {
      const { tenant_id } = requireScope(request, 'audit:read')
      return { data: await nameMembers(context, tenant_id) }
    },
  )

  server.post(
    '/admin/users',
    { config: manage, schema: { ...hidden, body: InviteBody } },
    async (request, reply) => {
      const { tenant_id } = identityOf(request)
      const base_url = publicUrl(context.config, server)
      const origin = originOf(request)
      const invited = await inviteUser(context, tenant_id, origin, base_url, request.body)
      const setup_url = shownLink(context, invited.setup_url)
      return reply.code(201).send({ ...invited, setup_url })
    },
  )

  server.patch(
    '/admin/users/:id',
    { config: manage, schema: { ...hiddenById, body: MemberBody } },
    async (request, reply) => {
      await inTenantOf(context, request, changeMember, request.params.id, request.body)
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/users/:id',
    { config: manage, schema: hiddenById },
    async (request, reply) => {
      const { tenant_id } = identityOf(request)
      await removeMember(context, tenant_id, originOf(request), request.params.id)
      return reply.code(204).send()
    },
  )

  rescueRoutes(server, context)
  policyRoutes(server, context)
}

/** Where mail is set up a link goes to its person alone: whoever else holds it could choose the password. */
function shownLink(context: Context, url: string): string | null {
  return canMail(context) ? null : url
}

function rescueRoutes(server: Server, context: Context): void {
  server.post(
    '/admin/users/:id/reset',
    { config: manage, schema: hiddenById },
    async (request, reply) => {
      const { tenant_id } = identityOf(request)
      const user = await requireOwnUser(context, tenant_id, request.params.id)
      const base_url = publicUrl(context.config, server)
      const sent = await startReset(context, originOf(request), base_url, user, tenant_id)
      const { url, expires_at } = sent
      return reply.code(201).send({ reset_url: shownLink(context, url), expires_at })
    },
  )

  server.delete(
    '/admin/users/:id/second-factor',
    { config: manage, schema: hiddenById },
    async (request, reply) => {
      const { tenant_id } = identityOf(request)
      const user = await requireOwnUser(context, tenant_id, request.params.id)
      await dropSecondFactor(context, originOf(request), user, tenant_id)
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/users/:id/sessions',
    { config: manage, schema: hiddenById },
    async (request, reply) => {
      const { tenant_id } = identityOf(request)
      const user = await requireOwnUser(context, tenant_id, request.params.id)
      await endSessionsOf(context, originOf(request), tenant_id, user)
      return reply.code(204).send()
    },
  )
}

function policyRoutes(server: Server, context: Context): void {
  server.get('/admin/policy', { config: { session: 'member' }, schema: hidden }, async request => {
    const require_second_factor = await inTenantOf(context, request, (tx, { tenant_id }) =>
      requiresSecondFactor(tx, tenant_id),
    )
    return { require_second_factor }
  })

  server.put(
    '/admin/policy',
    { config: manage, schema: { ...hidden, body: PolicyBody } },
    async request => {
      const { require_second_factor } = request.body
      await inTenantOf(context, request, setPolicy, require_second_factor)
      return { require_second_factor }
    },
  )
}
