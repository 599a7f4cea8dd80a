// The commands whose processes stay: the API with its worker, or the worker alone.
import { type Config, readConfig } from '../config.ts'
import { buildDashboard } from '../dashboard/build-dashboard.ts'
import { defineCommand } from './arguments.ts'
import { catchTheRest } from './last-resort.ts'
import { listWarnings } from './list-warnings.ts'
import { reservePort } from './listen.ts'
import { openContext, openLog, requireRights, requireSecretKey } from './open-context.ts'
import { print } from './print.ts'
import { type Life, stay } from './stay.ts'

const serveCommand = defineCommand({
  name: 'serve',
  about: 'Serves the API on HOST:PORT and runs the worker in the same process.',
  options: {
    demo: {
      about:
        'fill an empty embedded database with a demo company, if HOST is of this machine alone; --no-demo: do not',
    },
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

async function serve(life: Life, demo: boolean, worker: boolean): Promise<void> {
  const config = readConfig()
  requireSecretKey(config)
  const giveBack = await reservePort(config)
  const built = buildDashboard(print)
  const [context, { startServer }] = await open(life, config)
  if (!life.ending.aborted) await startServer(life, context, { demo, worker, built })
  giveBack()
}

async function work(life: Life): Promise<void> {
  const config = readConfig()
  requireSecretKey(config)
  const [context, { startWorking }] = await open(life, config)
  if (!life.ending.aborted) await startWorking(life, context)
}

/** The code of the server is loaded while the database starts; both take about a second. */
async function open(life: Life, config: Config) {
  const log = openLog(config)
  catchTheRest(log, life.end)
  for (const warning of listWarnings(config)) log.warn(warning)
  const opening = openContext(config, log)
  const loading = import('./start-server.ts')
  const opened = await opening
  life.atEnd(opened.close)
  await requireRights(opened)
  return [opened.context, await loading] as const
}
