// Health checks: is the process alive, and can it serve.
import Type from 'typebox'
import type { Context } from './platform/context.ts'
import { unavailable } from './platform/errors.ts'
import type { Server } from './platform/http.ts'
import { isCurrent } from './platform/migrate.ts'
import { operation } from './platform/schemas.ts'

const tags = ['Health']
const gate = { unlimited: true }

const Healthy = ($id: string, status: string, description: string) =>
  Type.Object(
    { status: Type.String({ description: `\`${status}\`.`, examples: [status] }) },
    { $id, description },
  )

export function healthRoutes(server: Server, context: Context): void {
  const isReady = createReadiness(context)
  server.get(
    '/healthz',
    operation(gate, {
      tags,
      summary: 'Process',
      description: 'Answers as long as the process runs.',
      response: { 200: Healthy('Health', 'ok', 'The process answers.') },
    }),
    async () => ({ status: 'ok' }),
  )
  server.get(
    '/readyz',
    operation(gate, {
      tags,
      summary: 'Readiness',
      description:
        'Answers 200 when the database is reachable and its schema is current, else 503.',
      response: { 200: Healthy('Readiness', 'ready', 'The service can serve.') },
      errors: { 503: 'The database cannot be reached, or its schema is not current yet.' },
    }),
    async () => {
      if (!(await isReady())) throw unavailable()
      return { status: 'ready' }
    },
  )
}

/** No limit bounds how often it is asked: whoever asks while one looks hears what that one finds. */
function createReadiness({ db }: Context): () => Promise<boolean> {
  let looking: Promise<boolean> | null = null
  const look = () =>
    isCurrent(db)
      .catch(() => false)
      .finally(() => {
        looking = null
      })
  return () => {
    looking ??= look()
    return looking
  }
}
