// What runs once the database is open: the API, its worker and its deliveries, and the words it starts with.
import type { FastifyRequest } from 'fastify'
import { type App, buildApp } from '../app.ts'
import { type OpenedDemo, openDemo, refuseDemo } from '../demo/open-demo.ts'
import { listJobs } from '../jobs.ts'
import type { Context } from '../platform/context.ts'
import { type Job, startWorker } from '../platform/jobs.ts'
import { publicUrl } from '../platform/public-url.ts'
import { countTenants } from '../tenants/tenants.queries.ts'
import { startDeliveryEngine } from '../webhooks/deliver-webhooks.job.ts'
import { followConnections } from './drain.ts'
import { listen } from './listen.ts'
import { startObserving } from './observe.ts'
import { print } from './print.ts'
import type { Life } from './stay.ts'

export type ServeOptions = {
  readonly demo: boolean
  readonly worker: boolean
  /** What went wrong in building the dashboard, or null. */
  readonly built: Promise<string | null>
}

export async function startServer(
  life: Life,
  context: Context,
  options: ServeOptions,
): Promise<void> {
  await startObserving(life, context)
  const company = options.demo ? await openDemo(context) : null
  if (life.ending.aborted) return
  const told = company?.told ?? Promise.resolve()
  const app = buildApp(context, company?.isNew ? waitFor(told) : undefined)
  const drain = followConnections(app.server)
  const parts: Part[] = [{ stop: () => drain(app.close) }]
  life.atEnd(() => stopAll(parts))
  const unbuilt = await options.built
  if (unbuilt !== null) context.log.warn(`the dashboard could not be built: ${unbuilt}`)
  await listen(app.server, context.config)
  // Invariant: no job before the demo company is complete; it would take an untold past for an empty one.
  life.need(
    told.then(() => void (life.ending.aborted || parts.push(...startJobs(app, options.worker)))),
  )
  const refusal = options.demo ? refuseDemo(context.config) : null
  print(await describeStart(app, company, refusal))
}

/**
 * Whoever asks while the demo company is being made waits for all of it, so that nobody sees half of it; pages and
 * health checks do not wait.
 */
function waitFor(told: Promise<void>): (request: FastifyRequest) => Promise<void> {
  let isTold = false
  told.then(
    () => {
      isTold = true
    },
    () => {},
  )
  return async request => {
    if (!isTold && !request.routeOptions.config.unlimited) await told
  }
}

type Part = { stop(): Promise<unknown> }

/** Where one fails the others still come to their end, for which they need the database. */
async function stopAll(parts: readonly Part[]): Promise<void> {
  const ends = await Promise.allSettled(parts.map(part => part.stop()))
  const failed = ends.find(end => end.status === 'rejected')
  if (failed) throw failed.reason
}

function startJobs(app: App, worker: boolean): Part[] {
  const own = [flushUse(app)]
  if (!worker) return [startWorker(app.context, own)]
  return [startWorker(app.context, [...own, ...listJobs()]), startDeliveryEngine(app.context)]
}

export async function startWorking(life: Life, context: Context): Promise<void> {
  await startObserving(life, context)
  const parts = [startWorker(context, listJobs()), startDeliveryEngine(context)]
  life.atEnd(() => stopAll(parts))
  print('The Bellwether worker runs.')
}

/** When keys were last used is known to the process that served them, so it writes it itself. */
function flushUse(app: App): Job {
  return {
    name: 'flush-key-use',
    every_ms: 60_000,
    run: async () => {
      await app.flush()
      return false
    },
  }
}

const OPERATOR = 'npm run --silent bellwether --'

async function describeStart(
  { server, context }: App,
  company: OpenedDemo | null,
  refusal: string | null,
): Promise<string> {
  const url = publicUrl(context.config, server)
  const lines = [`Bellwether is ready: ${url}`]
  if (company) {
    const { demo, isNew } = company
    const request = `${url}/v1/employees?sort=score&per_page=5`
    lines.push(
      `Demo company: ${demo.name} (${demo.tenant_id})${isNew ? ', complete in a few seconds' : ''}`,
      `API key:      ${demo.key}`,
      ...(demo.login
        ? [`Log in:       ${url}/login as ${demo.login.email}, ${demo.login.password}`]
        : []),
      'Try it:',
      `  curl -H 'Authorization: Bearer ${demo.key}' '${request}'`,
    )
  } else if ((await context.db.acrossTenants(countTenants)) === 0) {
    if (refusal !== null) lines.push(`No demo company was made: ${refusal}.`)
    lines.push('There is no tenant yet. Open one, then give it a key, and a person who logs in:')
    lines.push(`  ${OPERATOR} tenant create --name Acme --plan professional`)
    lines.push(`  ${OPERATOR} key create --tenant <tenant_id> --name first --scopes all`)
    lines.push(`  ${OPERATOR} user create --tenant <tenant_id> --email <address> --role owner`)
  }
  return ['', ...lines, ''].join('\n')
}
