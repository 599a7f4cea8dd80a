// Public routes of the audit log. Who calls is known to a slice further right, so the tenant is read by an argument.
import type { FastifyRequest } from 'fastify'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { operation } from '../platform/schemas.ts'
import { AuditEntry, AuditList, AuditParams, AuditQuery } from './audit.schema.ts'
import { readAudit, readEntry } from './read-audit.ts'

export function auditRoutes(
  server: Server,
  context: Context,
  tenantOf: (request: FastifyRequest) => string,
): void {
  server.get(
    '/v1/audit',
    operation('audit:read', {
      tags: ['Audit'],
      summary: 'List the audit log',
      description:
        'Every change by a person, key, app or operator; newest first unless asked otherwise. Values longer than ' +
        '4 KB are left out (`truncated`); the entry by its number has them.',
      querystring: AuditQuery,
      response: { 200: AuditList },
    }),
    request => readAudit(context, tenantOf(request), request.query),
  )

  server.get(
    '/v1/audit/:seq',
    operation('audit:read', {
      tags: ['Audit'],
      summary: 'Show an entry of the audit log',
      description: 'All of it, however long its values are.',
      params: AuditParams,
      response: { 200: AuditEntry },
    }),
    request => readEntry(context, tenantOf(request), request.params.seq),
  )
}
