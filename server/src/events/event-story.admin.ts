// The dashboard's route that tells what became of one event.
import { identityOf } from '../accounts/identity.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { hiddenById } from '../platform/schemas.ts'
import { readEventStory } from './read-event-story.ts'

export function eventStoryAdmin(server: Server, { db }: Context): void {
  server.get(
    '/admin/events/:id/story',
    { config: { session: 'member' }, schema: hiddenById },
    async request => {
      const { tenant_id } = identityOf(request)
      return db.inTenant(tenant_id, tx => readEventStory(tx, tenant_id, request.params.id))
    },
  )
}
