// The dashboard's routes about the whole audit log: taking it along, and proving that nothing in it was altered.
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { hidden } from '../platform/schemas.ts'
import { writeHead } from './audit-chain.ts'
import { exportAudit, type StillReads } from './read-audit.ts'
import { proveAudit } from './verify-audit.ts'

const member = { session: 'member' } as const

/** Whose log a caller reads, and whether they still may. */
export type Reader = { tenant_id: string; stillReads: StillReads }

/** `readerOf` refuses callers who may not read the log. */
export function auditAdmin(
  server: Server,
  context: Context,
  readerOf: (request: FastifyRequest) => Reader,
): void {
  server.get('/admin/audit/verdict', { config: member, schema: hidden }, async (request, reply) => {
    const { tenant_id } = readerOf(request)
    const isAwaited = () => !reply.raw.destroyed
    const { verdict, head } = await proveAudit(context, tenant_id, null, isAwaited)
    const { entries, valid, fault = null } = verdict
    return { entries, valid, fault, head: writeHead(head) }
  })

  server.get('/admin/audit/export', { config: member, schema: hidden }, async (request, reply) => {
    const { tenant_id, stillReads } = readerOf(request)
    const day = new Date(context.clock.now()).toISOString().slice(0, 10)
    return reply
      .type('application/x-ndjson')
      .header('content-disposition', `attachment; filename="audit-${day}.ndjson"`)
      .send(Readable.from(exportAudit(context, tenant_id, stillReads)))
  })
}
