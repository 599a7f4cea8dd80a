// /v1/scores: the organization, its departments, their course, and who needs attention.
import { readTenantOf } from '../accounts/identity.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { operation } from '../platform/schemas.ts'
import { readDepartments, readDistribution } from './read-present.ts'
import { readSummary } from './read-summary.ts'
import { readTopRisks } from './read-top-risks.ts'
import { readTrends } from './read-trends.ts'
import {
  DepartmentScores,
  DistributionQuery,
  ScoreDistribution,
  ScoreSummary,
  ScoreTrends,
  TopRisks,
  TopRisksQuery,
  TrendsQuery,
} from './scores.schema.ts'

const tags = ['Scores']
const gate = { scope: 'scores:read', buckets: ['scores'] } as const

export function scoresRoutes(server: Server, context: Context): void {
  presentRoutes(server, context)
  trendsRoute(server, context)
  topRisksRoute(server, context)
}

function presentRoutes(server: Server, context: Context): void {
  server.get(
    '/v1/scores/summary',
    operation(gate, {
      tags,
      summary: 'Summary of the organization',
      description: 'Average, median, bands, and the change of the average against 30 days ago.',
      response: { 200: ScoreSummary },
    }),
    request =>
      readTenantOf(context, request, (tx, { tenant_id, now }) => readSummary(tx, tenant_id, now)),
  )
  server.get(
    '/v1/scores/departments',
    operation(gate, {
      tags,
      summary: 'Scores by department',
      description:
        'Every department with active employees, by name; of more than 1,000 the largest, of equal ones the first by name.',
      response: { 200: DepartmentScores },
    }),
    request =>
      readTenantOf(context, request, (tx, { tenant_id }) => readDepartments(tx, tenant_id)),
  )
  server.get(
    '/v1/scores/distribution',
    operation(gate, {
      tags,
      summary: 'Distribution of scores',
      description: 'Active employees by bucket of whole scores, both ends included.',
      querystring: DistributionQuery,
      response: { 200: ScoreDistribution },
      errors: { 404: { says: 'There is no such department.', message: 'no such department' } },
    }),
    async request => {
      const { department = null, bucket_size = 5 } = request.query
      return readTenantOf(context, request, (tx, { tenant_id }) =>
        readDistribution(tx, tenant_id, department, bucket_size),
      )
    },
  )
}

function trendsRoute(server: Server, context: Context): void {
  server.get(
    '/v1/scores/trends',
    operation(gate, {
      tags,
      summary: 'Scores over time',
      description:
        'One point for every interval the window touches, measured at its last instant, the running ' +
        'one at now; at most 1,000. Employees count from creation. Default: daily, 30 days.',
      querystring: TrendsQuery,
      response: { 200: ScoreTrends },
      errors: { 404: { says: 'There is no such department.', message: 'no such department' } },
    }),
    async request => ({
      data: await readTenantOf(context, request, (tx, { tenant_id, now }) =>
        readTrends(tx, tenant_id, request.query, now),
      ),
    }),
  )
}

function topRisksRoute(server: Server, context: Context): void {
  server.get(
    '/v1/scores/top-risks',
    operation(gate, {
      tags,
      summary: 'Employees at risk',
      description: 'The lowest scores, or the biggest drops of the last 30 days; ties by id.',
      querystring: TopRisksQuery,
      response: { 200: TopRisks },
    }),
    async request => {
      const { sort = 'lowest_score', limit = 10, department } = request.query
      const data = await readTenantOf(context, request, (tx, { tenant_id, now }) =>
        readTopRisks(tx, tenant_id, { sort, limit, department }, now),
      )
      return { data }
    },
  )
}
