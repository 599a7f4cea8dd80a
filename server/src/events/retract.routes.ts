// /v1/events/:id/retract: one event that should not have counted.
import type { FastifyRequest } from 'fastify'
import { type Asked, identityOf } from '../accounts/identity.ts'
import { requireFresh } from '../accounts/open-session.ts'
import { answerOnce } from '../idempotency/answer-once.ts'
import type { Context } from '../platform/context.ts'
import { ApiError } from '../platform/errors.ts'
import type { Server } from '../platform/http.ts'
import { operation } from '../platform/schemas.ts'
import { EventParams } from './events.schema.ts'
import { RetractedEvent, Retraction } from './retract.schema.ts'
import { retractEvent } from './retract-events.ts'

/** An adjustment is undone by those who may make one, as sure of who they are as then. */
function requireAdjuster(request: FastifyRequest, { now }: Asked): void {
  if (!request.session || !identityOf(request).permissions.has('scores:adjust')) {
    const who = 'owners and admins, in the dashboard'
    throw new ApiError('FORBIDDEN', `a manual adjustment is taken back only by ${who}`)
  }
  requireFresh(request.session, now)
}

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
        const body = await retractEvent(tx, asked, id, reason, () =>
          requireAdjuster(request, asked),
        )
        return { status: 200, body, about: [body.employee_id] }
      }),
  )
}
