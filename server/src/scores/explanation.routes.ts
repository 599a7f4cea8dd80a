// Why an employee's score is what it is, and where it is going.
import { readTenantOf } from '../accounts/identity.ts'
import { EmployeeParams } from '../employees/employees.schema.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { operation } from '../platform/schemas.ts'
import { explainScore } from './explain-score.ts'
import {
  Explanation,
  ExplanationQuery,
  ForecastQuery,
  ScoreForecast,
} from './explanation.schema.ts'
import { forecastScore } from './forecast-score.ts'

const tags = ['Employees']

export function explanationRoutes(server: Server, context: Context): void {
  server.get(
    '/v1/employees/:id/explanation',
    operation('employees:read', {
      tags,
      summary: 'Explain a score',
      description:
        'The parts that make the score at any instant since creation, as it was recorded; they add up ' +
        'exactly. Without `at`: the present score.',
      params: EmployeeParams,
      querystring: ExplanationQuery,
      response: { 200: Explanation },
    }),
    request =>
      readTenantOf(context, request, (tx, { tenant_id, now }) =>
        explainScore(tx, tenant_id, request.params.id, request.query.at, now),
      ),
  )
  server.get(
    '/v1/employees/:id/forecast',
    operation('employees:read', {
      tags,
      summary: 'Forecast a score',
      description:
        'Every change of score and band to come if no event comes in, clean streaks included; `with` ' +
        'supposes an event now.',
      params: EmployeeParams,
      querystring: ForecastQuery,
      response: { 200: ScoreForecast },
    }),
    request =>
      readTenantOf(context, request, (tx, { tenant_id, now }) =>
        forecastScore(tx, tenant_id, request.params.id, request.query, now),
      ),
  )
}
