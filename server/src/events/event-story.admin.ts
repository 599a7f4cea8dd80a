// The dashboard's route that tells what became of one event.
import Type from 'typebox'
import { identityOf } from '../accounts/identity.ts'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { readEventStory } from './read-event-story.ts'

const hidden = {
  hidden: true,
  querystring: Type.Object({}, { additionalProperties: false }),
  params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
}

export function eventStoryAdmin(server: Server, { db }: Context): void {
  server.get(
    '/admin/events/:id/story',
    { config: { session: 'member' }, schema: hidden },
    async request => {
      const { tenant_id } = identityOf(request)
      return db.inTenant(tenant_id, tx => readEventStory(tx, tenant_id, request.params.id))
    },
  )
}
