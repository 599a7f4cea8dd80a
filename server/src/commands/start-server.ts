// What runs once the database is open: the API, its worker and its deliveries, and the words it starts with.
import { type App, buildApp } from '../app.ts'
import { openDemo } from '../demo/open-demo.ts'
import type { Demo } from '../demo/seed-demo.ts'
import { listJobs } from '../jobs.ts'
import type { Context } from '../platform/context.ts'
import { type Job, startWorker } from '../platform/jobs.ts'
import { publicUrl } from '../platform/public-url.ts'
import { countTenants } from '../tenants/tenants.queries.ts'
import { startDeliveryEngine } from '../webhooks/deliver-webhooks.job.ts'
import { followConnections } from './drain.ts'
import { listen } from './listen.ts'
import { print } from './print.ts'
import type { Life } from './serve.ts'

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
  const company = options.demo ? await openDemo(context) : null
  if (life.ending.aborted) return
  const app = buildApp(context)
  const drain = followConnections(app.server)
  const jobs = startWorker(context, [flushUse(app), ...(options.worker ? listJobs() : [])])
  const deliveries = options.worker ? startDeliveryEngine(context) : null
  life.atEnd(() => Promise.all([drain(app.close), jobs.stop(), deliveries?.stop()]))
  const unbuilt = await options.built
  if (unbuilt !== null) context.log.warn(`the dashboard could not be built: ${unbuilt}`)
  await listen(app.server, context.config)
  print(await describeStart(app, company))
}

export function startWorking(life: Life, context: Context): void {
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
