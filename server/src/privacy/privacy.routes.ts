// A person's rights: everything stored about them, and erasure.
import type { FastifyRequest } from 'fastify'
import { identityOf, originOf } from '../accounts/identity.ts'
import { findEmployee } from '../employees/employees.queries.ts'
import { EmployeeParams } from '../employees/employees.schema.ts'
import type { Context } from '../platform/context.ts'
import { invalid, notFound } from '../platform/errors.ts'
import type { Server } from '../platform/http.ts'
import { operation } from '../platform/schemas.ts'
import { eraseEmployee } from './erase-employee.ts'
import { exportPerson } from './export-person.ts'
import { ErasedPerson, Erasure, PersonExport } from './privacy.schema.ts'

const tags = ['Employees']
const reads = {
  scope: 'employees:read',
  also: ['events:read', 'actions:read'],
  fresh: true,
} as const
const erases = { scope: 'employees:write', fresh: true } as const

export function privacyRoutes(server: Server, context: Context): void {
  server.get(
    '/v1/employees/:id/export',
    operation(reads, {
      tags,
      summary: 'Export everything about an employee',
      description:
        'All that is stored about one person, events and actions included, in one object.',
      params: EmployeeParams,
      response: { 200: PersonExport },
    }),
    async (request, reply) => {
      const { tenant_id } = identityOf(request)
      const all = await exportPerson(context, tenant_id, originOf(request), request.params.id)
      return reply.type('application/json; charset=utf-8').send(all as never)
    },
  )
  server.post(
    '/v1/employees/:id/erase',
    operation(erases, {
      tags,
      summary: 'Erase an employee',
      description:
        'Empties, for good, every row that leads to the person by their id or address: name, address, details of ' +
        'events, messages, saved answers and values in the audit log. The person is inactive from then on; the numbers ' +
        'stay, without a name. Undelivered messages become `skipped`. What others wrote about the person in texts of ' +
        'their own stays; the details of one event are emptied by `POST /v1/events/{id}/redact`. Of somebody with very ' +
        'many rows the emptying goes on after the answer; the same call again tells whether it is over.',
      params: EmployeeParams,
      body: Erasure,
      body_optional: true,
      response: { 200: ErasedPerson },
      errors: {
        409: {
          says: 'The person has an account for the dashboard, which is removed first.',
          message: 'this person has an account for the dashboard; remove it under Users first',
        },
      },
    }),
    async request => {
      const { tenant_id } = identityOf(request)
      const { id } = request.params
      const found = await context.db.inTenant(tenant_id, tx => findEmployee(tx, tenant_id, id))
      if (!found) throw notFound('employee')
      requireConfirmation(request, request.body.confirm)
      return eraseEmployee(context, tenant_id, originOf(request), id)
    },
  )
}

function requireConfirmation(request: FastifyRequest, confirm: 'erase' | undefined): void {
  const isOwner = request.session !== null && identityOf(request).role === 'owner'
  if (isOwner || confirm === 'erase') return
  throw invalid([
    { path: 'confirm', message: 'must be "erase": what is erased does not come back' },
  ])
}
