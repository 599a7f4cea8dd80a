// The dashboard's routes about action policies.
import { identityOf, originOf } from '../accounts/identity.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { hidden, hiddenById } from '../platform/schemas.ts'
import { changePolicy, createPolicy, removePolicy } from './change-policies.ts'
import { listPolicies } from './policies.queries.ts'
import { NewPolicy, PolicyChange } from './policies.schema.ts'

const manage = { session: 'actions:manage' } as const

export function policiesAdmin(server: Server, { db, clock }: Context): void {
  server.get(
    '/admin/action-policies',
    { config: { session: 'member' }, schema: hidden },
    async request => {
      const { tenant_id } = identityOf(request)
      return { data: await db.inTenant(tenant_id, tx => listPolicies(tx, tenant_id)) }
    },
  )

  server.post(
    '/admin/action-policies',
    { config: manage, schema: { ...hidden, body: NewPolicy } },
    async (request, reply) => {
      const { tenant_id } = identityOf(request)
      const policy = await db.inTenant(tenant_id, tx =>
        createPolicy(tx, tenant_id, originOf(request), clock.now(), request.body),
      )
      return reply.code(201).send(policy)
    },
  )

  server.patch(
    '/admin/action-policies/:id',
    { config: manage, schema: { ...hiddenById, body: PolicyChange } },
    async request => {
      const { tenant_id } = identityOf(request)
      const { id } = request.params
      return db.inTenant(tenant_id, tx =>
        changePolicy(tx, tenant_id, originOf(request), clock.now(), id, request.body),
      )
    },
  )

  server.delete(
    '/admin/action-policies/:id',
    { config: manage, schema: hiddenById },
    async (request, reply) => {
      const { tenant_id } = identityOf(request)
      const { id } = request.params
      await db.inTenant(tenant_id, tx =>
        removePolicy(tx, tenant_id, originOf(request), clock.now(), id),
      )
      return reply.code(204).send()
    },
  )
}
