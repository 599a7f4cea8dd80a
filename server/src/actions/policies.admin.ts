// The dashboard's routes about action policies.
import { inTenantOf } from '../accounts/identity.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { hidden, hiddenById } from '../platform/schemas.ts'
import { changePolicy, createPolicy, removePolicy } from './change-policies.ts'
import { listPolicies } from './policies.queries.ts'
import { NewPolicy, PolicyChange } from './policies.schema.ts'

const manage = { session: 'actions:manage' } as const

export function policiesAdmin(server: Server, context: Context): void {
  server.get(
    '/admin/action-policies',
    { config: { session: 'member' }, schema: hidden },
    async request => ({
      data: await inTenantOf(context, request, (tx, { tenant_id }) => listPolicies(tx, tenant_id)),
    }),
  )

  server.post(
    '/admin/action-policies',
    { config: manage, schema: { ...hidden, body: NewPolicy } },
    (request, reply) =>
      answerOnce(context, request, reply, async (tx, asked) => {
        const body = await createPolicy(tx, asked, request.body)
        return { status: 201, body }
      }),
  )

  server.patch(
    '/admin/action-policies/:id',
    { config: manage, schema: { ...hiddenById, body: PolicyChange } },
    request => inTenantOf(context, request, changePolicy, request.params.id, request.body),
  )

  server.delete(
    '/admin/action-policies/:id',
    { config: manage, schema: hiddenById },
    async (request, reply) => {
      await inTenantOf(context, request, removePolicy, request.params.id)
      return reply.code(204).send()
    },
  )
}
