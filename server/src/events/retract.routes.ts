// /v1/events/:id/retract: one event that should not have counted.
import { identityOf } from '../accounts/identity.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { operation } from '../platform/schemas.ts'
import { EventParams } from './events.schema.ts'
import { RetractedEvent, Retraction } from './retract.schema.ts'
import { retractEvent } from './retract-events.ts'

export function retractRoutes(server: Server, context: Context): void {
  server.post(
    '/v1/events/:id/retract',
    operation('events:write', {
      tags: ['Events'],
      summary: 'Retract an event',
      description:
        'The event stays in the log, marked, and counts for nothing from now on. Events it had silenced by a ' +
        'cooldown stay as they were until a recalculation. Once only.',
      params: EventParams,
      body: Retraction,
      response: { 200: RetractedEvent },
      repeatable: true,
      errors: {
        409: {
          says: 'It is retracted already, or a clean streak, which cannot be.',
          message: 'this event has been retracted already',
        },
      },
    }),
    async (request, reply) =>
      answerOnce(context, request, reply, async (tx, asked) => {
        const { id } = request.params
        const { reason } = request.body
        const may = identityOf(request).permissions.has('scores:adjust')
        const body = await retractEvent(tx, asked, id, reason, may)
        return { status: 200, body }
      }),
  )
}
