// /v1/events/:id/redact: what the details of one event say is taken out.
import { inTenantOf } from '../accounts/identity.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { operation } from '../platform/schemas.ts'
import { Event, EventParams } from './events.schema.ts'
import { redactEvent } from './redact-event.ts'

export function redactRoutes(server: Server, context: Context): void {
  server.post(
    '/v1/events/:id/redact',
    operation('employees:write', {
      tags: ['Events'],
      summary: 'Redact an event',
      description:
        'Empties its details, for good, in the event and in what is kept of webhook messages about it; what is still ' +
        'to be sent goes out without them. The score stays: no recalculation or dry run judges the event anew. May be ' +
        'repeated.',
      params: EventParams,
      response: { 200: Event },
      shows: { details: {}, redacted_at: '2026-03-05T09:00:00.000Z' },
      errors: {
        409: {
          says: 'It is a clean streak, which says nothing of anybody.',
          message: 'a clean streak is made by the service itself and says nothing of anybody',
        },
      },
    }),
    request => inTenantOf(context, request, redactEvent, request.params.id),
  )
}
