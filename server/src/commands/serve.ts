// The processes that stay: the API with its worker, or the worker alone; how they start and how they end.
import { type App, buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { buildDashboard } from '../dashboard/build-dashboard.ts'
import { openDemo } from '../demo/open-demo.ts'
import type { Demo } from '../demo/seed-demo.ts'
import { listJobs } from '../jobs.ts'
import { type Job, startWorker } from '../platform/jobs.ts'
import { publicUrl } from '../platform/public-url.ts'
import { countTenants } from '../tenants/tenants.queries.ts'
import { startDeliveryEngine } from '../webhooks/deliver-webhooks.job.ts'
import { defineCommand } from './arguments.ts'
import { followConnections, watchSignals } from './drain.ts'
import { checkPort, listen } from './listen.ts'
import { openContext, openLog, requireSecretKey } from './open-context.ts'
import { print } from './print.ts'

const serveCommand = defineCommand({
  name: 'serve',
  about: 'Serves the API on HOST:PORT and runs the worker in the same process.',
  options: {
    demo: { about: 'fill an empty embedded database with a demo company; --no-demo: do not' },
    worker: { about: 'run the worker too, the default; --no-worker: leave it to other processes' },
  },
  run: values => stay(life => serve(life, values.demo ?? false, values.worker ?? true)),
})

const workerCommand = defineCommand({
  name: 'worker',
  about: 'Runs the worker alone: webhook deliveries, score changes that fall due and housekeeping.',
  options: {},
  run: () => stay(work),
})

export const commands = [serveCommand, workerCommand]

type Life = {
  readonly ending: AbortSignal
  /** Invariant: what was opened is closed in reverse order, also when the start fails half-way. */
  atEnd(close: () => Promise<unknown>): void
}

async function stay(start: (life: Life) => Promise<void>): Promise<void> {
  const { signal, requested } = watchSignals()
  const closers: (() => Promise<unknown>)[] = []
  try {
    await start({ ending: signal, atEnd: close => closers.unshift(close) })
    await requested
  } finally {
    for (const close of closers) await close()
  }
}

async function serve(life: Life, demo: boolean, worker: boolean): Promise<void> {
  const config = readConfig()
  requireSecretKey(config)
  await checkPort(config)
  const built = buildDashboard(print)
  const opened = await openContext(config, openLog(config))
  life.atEnd(opened.close)
  if (life.ending.aborted) return
  const { context } = opened
  const company = demo ? await openDemo(context) : null
  if (life.ending.aborted) return
  const app = buildApp(context)
  const drain = followConnections(app.server)
  const jobs = startWorker(context, [flushUse(app), ...(worker ? listJobs() : [])])
  const deliveries = worker ? startDeliveryEngine(context) : null
  life.atEnd(() => Promise.all([drain(app.close), jobs.stop(), deliveries?.stop()]))
  const unbuilt = await built
  if (unbuilt !== null) context.log.warn(`the dashboard could not be built: ${unbuilt}`)
  await listen(app.server, config)
  print(await describeStart(app, company))
}

async function work(life: Life): Promise<void> {
  const config = readConfig()
  requireSecretKey(config)
  const { context, close } = await openContext(config, openLog(config))
  life.atEnd(close)
  const jobs = startWorker(context, listJobs())
  const deliveries = startDeliveryEngine(context)
  life.atEnd(() => Promise.all([jobs.stop(), deliveries.stop()]))
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

async function describeStart({ server, context }: App, demo: Demo | null): Promise<string> {
  const url = publicUrl(context.config, server)
  const lines = [`Bellwether is ready: ${url}`]
  if (demo) {
    const request = `${url}/v1/employees?sort=score&per_page=5`
    lines.push(
      `Demo company: ${demo.name} (${demo.tenant_id})`,
      `API key:      ${demo.key}`,
      ...(demo.login
        ? [`Log in:       ${url}/login as ${demo.login.email}, ${demo.login.password}`]
        : []),
      'Try it:',
      `  curl -H 'Authorization: Bearer ${demo.key}' '${request}'`,
    )
  } else if ((await context.db.acrossTenants(countTenants)) === 0) {
    lines.push('There is no tenant yet. Open one, then give it a key:')
    lines.push(`  ${OPERATOR} tenant create --name Acme --plan professional`)
    lines.push(`  ${OPERATOR} key create --tenant <tenant_id> --name first --scopes all`)
  }
  return ['', ...lines, ''].join('\n')
}
