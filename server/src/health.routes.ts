// Health checks: is the process alive, and can it serve.
import Type from 'typebox'
import type { Context } from './platform/context.ts'
import { unavailable } from './platform/errors.ts'
import type { Server } from './platform/http.ts'
import { isCurrent } from './platform/migrate.ts'
import { NoQuery } from './platform/schemas.ts'

const Health = Type.Object(
  { status: Type.String({ description: '`ok` or `ready`.', examples: ['ok'] }) },
  { $id: 'Health', description: 'The service answers.' },
)

export function healthRoutes(server: Server, context: Context): void {
  const schema = {
    tags: ['Health'],
    querystring: NoQuery,
    response: { 200: Health },
  }
  server.get(
    '/healthz',
    {
      config: { unlimited: true },
      schema: {
        ...schema,
        summary: 'Process',
        description: 'Answers as long as the process runs.',
      },
    },
    async () => ({ status: 'ok' }),
  )
  server.get(
    '/readyz',
    {
      config: { unlimited: true },
      schema: {
        ...schema,
        summary: 'Readiness',
        description:
          'Answers 200 when the database is reachable and its schema is current, else 503.',
        errors: { 503: 'The database cannot be reached, or its schema is not current yet.' },
      },
    },
    async () => {
      const current = await isCurrent(context.db).catch(() => false)
      if (!current) throw unavailable()
      return { status: 'ready' }
    },
  )
}
