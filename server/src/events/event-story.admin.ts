// The dashboard's route that tells what became of one event.
import { inTenantOf } from '../accounts/identity.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { hiddenById } from '../platform/schemas.ts'
import { readEventStory } from './read-event-story.ts'

export function eventStoryAdmin(server: Server, context: Context): void {
  server.get(
    '/admin/events/:id/story',
    { config: { session: 'member' }, schema: hiddenById },
    request =>
      inTenantOf(context, request, (tx, { tenant_id }) =>
        readEventStory(tx, tenant_id, request.params.id),
      ),
  )
}
