// /v1/employees: who is scored, where they stand, and how that came to be.
import { type Access, drawMore } from '../access/guard.ts'
import { inTenantOf, readTenantOf } from '../accounts/identity.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import { MOST_IN_BATCH, requestsOf } from '../platform/batches.ts'
import type { Context } from '../platform/context.ts'
import { invalid } from '../platform/errors.ts'
import { BATCH_BODY_LIMIT, type Server } from '../platform/http.ts'
import { operation } from '../platform/schemas.ts'
import { changeEmployee, type Scoring } from './change-employee.ts'
import { createEmployee } from './create-employee.ts'
import { emailKey } from './email-address.ts'
import { findEmployee, findEmployeeByEmail } from './employees.queries.ts'
import {
  EmailParams,
  Employee,
  EmployeeChange,
  EmployeeList,
  EmployeeParams,
  EmployeeQuery,
  ScoreHistory,
  ScoreHistoryQuery,
} from './employees.schema.ts'
import { readEmployeePage } from './list-employees.ts'
import { EmployeeBatchResult, NewEmployee, NewEmployeeBatch } from './new-employees.schema.ts'
import { readOnlyFaults } from './person-faults.ts'
import { detailEmployee, readScoreHistory } from './read-employees.ts'
import { submitEmployees } from './submit-employees.ts'

const tags = ['Employees']

const batch = {
  scope: 'employees:write',
  items_apart: { list: 'employees', one: 'employee', most: MOST_IN_BATCH },
} as const

export function employeesRoutes(
  server: Server,
  context: Context,
  access: Access,
  scoring: Scoring,
): void {
  listRoute(server, context)
  detailRoutes(server, context)
  historyRoute(server, context)
  createRoute(server, context)
  batchRoute(server, context, access)
  changeRoute(server, context, scoring)
}

function listRoute(server: Server, context: Context): void {
  server.get(
    '/v1/employees',
    operation('employees:read', {
      tags,
      summary: 'List employees',
      description: 'A page of employees. An unknown department gives an empty list.',
      querystring: EmployeeQuery,
      response: { 200: EmployeeList },
    }),
    request =>
      readTenantOf(context, request, (tx, { tenant_id }) =>
        readEmployeePage(tx, tenant_id, request.query),
      ),
  )
}

function detailRoutes(server: Server, context: Context): void {
  server.get(
    '/v1/employees/:id',
    operation('employees:read', {
      tags,
      summary: 'Get an employee',
      description: 'One employee by id, with the score of the last 30 days.',
      params: EmployeeParams,
      response: { 200: Employee },
    }),
    request =>
      readTenantOf(context, request, async (tx, { tenant_id, now }) => {
        const row = await findEmployee(tx, tenant_id, request.params.id)
        return detailEmployee(tx, tenant_id, row, now)
      }),
  )
  server.get(
    '/v1/employees/by-email/:email',
    operation('employees:read', {
      tags,
      summary: 'Get an employee by email',
      description:
        'One employee by primary email address; upper and lower case are the same, and so is an accent however it ' +
        'is encoded.',
      params: EmailParams,
      response: { 200: Employee },
    }),
    request =>
      readTenantOf(context, request, async (tx, { tenant_id, now }) => {
        const row = await findEmployeeByEmail(tx, tenant_id, emailKey(request.params.email))
        return detailEmployee(tx, tenant_id, row, now)
      }),
  )
}

function historyRoute(server: Server, context: Context): void {
  server.get(
    '/v1/employees/:id/score-history',
    operation('employees:read', {
      tags,
      summary: 'Score history of an employee',
      description:
        'One point for each interval, measured at its last instant, the running one at now; at most ' +
        '1,000 points, none before the employee was created. Default: daily, 30 days.',
      params: EmployeeParams,
      querystring: ScoreHistoryQuery,
      response: { 200: ScoreHistory },
    }),
    async request => ({
      data: await readTenantOf(context, request, (tx, { tenant_id, now }) =>
        readScoreHistory(tx, tenant_id, request.params.id, request.query, now),
      ),
    }),
  )
}

function createRoute(server: Server, context: Context): void {
  server.post(
    '/v1/employees',
    operation('employees:write', {
      tags,
      summary: 'Create an employee',
      description:
        'Starts at the starting score. An email that is taken, in any case, is 409, and so is a department beyond 5,000.',
      body: NewEmployee,
      response: { 201: Employee },
      shows: { last_event_at: null, integrations: [] },
    }),
    async (request, reply) =>
      answerOnce(context, request, reply, async (tx, asked) => {
        const { tenant_id, now } = asked
        const id = await createEmployee(tx, asked, request.body)
        const row = await findEmployee(tx, tenant_id, id)
        const body = await detailEmployee(tx, tenant_id, row, now)
        return { status: 201, body, location: `/v1/employees/${id}`, about: [id] }
      }),
  )
}

function batchRoute(server: Server, context: Context, access: Access): void {
  server.post(
    '/v1/employees/batch',
    {
      bodyLimit: BATCH_BODY_LIMIT,
      ...operation(batch, {
        tags,
        summary: 'Create up to 1,000 employees',
        description:
          'One transaction; each employee answers for itself, in order. Draws one request for each 100 employees begun.',
        body: NewEmployeeBatch,
        response: { 207: EmployeeBatchResult },
      }),
    },
    async (request, reply) => {
      const { employees } = request.body
      await drawMore(access, request, reply, requestsOf(employees) - 1)
      return answerOnce(context, request, reply, async (tx, asked) => {
        const data = await submitEmployees(tx, asked, employees)
        const about = data.flatMap(one => ('employee' in one ? one.employee.id : []))
        return { status: 207, body: { data }, about }
      })
    },
  )
}

function changeRoute(server: Server, context: Context, scoring: Scoring) {
  server.patch(
    '/v1/employees/:id',
    {
      ...operation('employees:write', {
        tags,
        summary: 'Change an employee',
        description:
          'Department, title and status; the score cannot be changed here. Deactivating freezes the ' +
          'score; on reactivation it is computed anew.',
        params: EmployeeParams,
        body: EmployeeChange,
        response: { 200: Employee },
        shows: { status: 'inactive' },
        errors: {
          409: {
            says: 'The person was erased, or the tenant would have more than 5,000 departments.',
            message: 'this person was erased; only the numbers are left',
          },
        },
      }),
      // Before the schema, which would only say that the field is not known.
      preValidation: async request => {
        const faults = readOnlyFaults(request.body)
        if (faults.length > 0) throw invalid(faults)
      },
    },
    request => {
      const { params, body } = request
      return inTenantOf(context, request, async (tx, asked) => {
        const row = await changeEmployee(tx, asked, params.id, body, scoring)
        return detailEmployee(tx, asked.tenant_id, row, asked.now)
      })
    },
  )
}
