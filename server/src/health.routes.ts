// Health checks: is the process alive, and can it serve.
import Type from 'typebox'
import { isReadOnly } from './health.queries.ts'
import type { Context } from './platform/context.ts'
import { withDeadline } from './platform/deadline.ts'
import { isUnavailable, unavailable } from './platform/errors.ts'
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

/** So long a look may take before the answer is 503. */
const PATIENCE_MS = 5_000

export function healthRoutes(server: Server, context: Context, patience_ms = PATIENCE_MS): void {
  const requireReady = createReadiness(context, patience_ms)
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
        'Answers 200 when the database answers within 5 seconds, can be written and has the current schema, else 503.',
      response: { 200: Healthy('Readiness', 'ready', 'The service can serve.') },
      errors: {
        503: 'The database cannot be reached or written, or its schema is not current yet.',
      },
    }),
    async () => {
      await requireReady()
      return { status: 'ready' }
    },
  )
}

/** No limit bounds how often it is asked: whoever asks while one looks hears what that one finds. */
function createReadiness(context: Context, patience_ms: number): () => Promise<void> {
  let looking: Promise<void> | null = null
  const look = () =>
    findFault(context).finally(() => {
      looking = null
    })
  return async () => {
    looking ??= look()
    // Who asks is better off with a no than with waiting for a database that stands still.
    await withDeadline(looking, patience_ms).catch(error => {
      throw isUnavailable(error) ? error : notReady(error)
    })
  }
}

async function findFault({ db }: Context): Promise<void> {
  if (!(await isCurrent(db))) throw notReady(new Error('the schema is not that of this release'))
  if (await db.acrossTenants(isReadOnly)) throw notReady({ code: '25006' })
}

function notReady(cause: unknown): Error {
  return Object.assign(unavailable(), { cause })
}
