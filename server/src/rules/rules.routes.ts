// /v1/rules: which events change a score, and by how much.
import { inTenantOf } from '../accounts/identity.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { Context } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import type { Server } from '../platform/http.ts'
import { pageAnswer, readPage } from '../platform/pagination.ts'
import { NoBody, operation } from '../platform/schemas.ts'
import { changeRule, createRule, MOST_RULES, removeRule, TOO_LARGE } from './change-rules.ts'
import { countRules, findRule, listRules } from './rules.queries.ts'
import { NewRule, Rule, RuleChange, RuleList, RuleParams, RuleQuery } from './rules.schema.ts'

const tags = ['Rules']

export function rulesRoutes(server: Server, context: Context): void {
  readRoutes(server, context)
  changeRoutes(server, context)
  removeRoute(server, context)
}

function readRoutes(server: Server, context: Context): void {
  server.get(
    '/v1/rules',
    operation('rules:read', {
      tags,
      summary: 'List rules',
      description: 'Rules in their order of evaluation: highest priority first, then the older.',
      querystring: RuleQuery,
      response: { 200: RuleList },
    }),
    async request => {
      const { category, status } = request.query
      const page = readPage(request.query)
      const [rules, total] = await inTenantOf(context, request, (tx, { tenant_id }) =>
        Promise.all([
          listRules(tx, tenant_id, { category, status }, page),
          countRules(tx, tenant_id, { category, status }),
        ]),
      )
      return pageAnswer(rules, page, total)
    },
  )
  server.get(
    '/v1/rules/:id',
    operation('rules:read', {
      tags,
      summary: 'Get a rule',
      description: 'One rule by its id.',
      params: RuleParams,
      response: { 200: Rule },
    }),
    async request => {
      const rule = await inTenantOf(context, request, (tx, { tenant_id }) =>
        findRule(tx, tenant_id, request.params.id),
      )
      if (!rule) throw notFound('rule')
      return rule
    },
  )
}

const TOO_MANY = {
  says: `The tenant has ${MOST_RULES} rules already, or their conditions would take more than 4 MiB.`,
  message: `a tenant has at most ${MOST_RULES} rules; delete one first`,
}
const TOO_MUCH = {
  says: 'The conditions of all rules would take more than 4 MiB.',
  message: TOO_LARGE,
}
const DEFAULT_RULE = {
  says: 'It is a default rule.',
  code: 'DEFAULT_RULE',
  message: 'a default rule cannot be deleted; deactivate it instead with PATCH and status inactive',
} as const

function changeRoutes(server: Server, context: Context): void {
  server.post(
    '/v1/rules',
    operation('rules:write', {
      tags,
      summary: 'Create a rule',
      description: 'The rule is active and applies to the next event; existing scores stay.',
      body: NewRule,
      response: { 201: Rule },
      errors: { 409: TOO_MANY },
    }),
    async (request, reply) =>
      answerOnce(context, request, reply, async (tx, asked) => {
        const rule = await createRule(tx, asked, request.body)
        return { status: 201, body: rule, location: `/v1/rules/${rule.id}` }
      }),
  )
  server.patch(
    '/v1/rules/:id',
    operation('rules:write', {
      tags,
      summary: 'Change a rule',
      description:
        'Takes effect with the next event; nothing is recalculated. `status` activates and deactivates.',
      params: RuleParams,
      body: RuleChange,
      response: { 200: Rule },
      shows: { impact: -30, cooldown: '48h' },
      errors: { 409: TOO_MUCH },
    }),
    request => inTenantOf(context, request, changeRule, request.params.id, request.body),
  )
}

function removeRoute(server: Server, context: Context): void {
  server.delete(
    '/v1/rules/:id',
    operation('rules:write', {
      tags,
      summary: 'Delete a rule',
      description: 'Recorded impacts stay. A default rule cannot be deleted; deactivate it.',
      params: RuleParams,
      response: { 204: NoBody('Deleted.') },
      errors: { 409: DEFAULT_RULE },
    }),
    async (request, reply) => {
      await inTenantOf(context, request, removeRule, request.params.id)
      return reply.code(204).send(undefined)
    },
  )
}
