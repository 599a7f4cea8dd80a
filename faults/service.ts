// The service as the fault tests start it: the program's own parts, with a clock that can be set from outside, short
// leases, and a process that ends itself at a named step. What is planted comes in through plant.ts, never from here.
import pino from 'pino'
import { buildApp } from '../server/src/app.ts'
import { followConnections, watchSignals } from '../server/src/commands/drain.ts'
import { listen } from '../server/src/commands/listen.ts'
import { openContext } from '../server/src/commands/open-context.ts'
import { type Config, readConfig } from '../server/src/config.ts'
import { listJobs } from '../server/src/jobs.ts'
import type { Context } from '../server/src/platform/context.ts'
import { type Job, startWorker } from '../server/src/platform/jobs.ts'
import { type StepName, watchSteps } from '../server/src/platform/steps.ts'
import { PACE } from '../server/src/replays/run-pieces.ts'
import { replayJobsJob } from '../server/src/replays/run-replay-jobs.job.ts'
import { createDeliveryEngine } from '../server/src/webhooks/deliver-webhooks.job.ts'
import { DEADLINES, LEASE_MS, SECRET_KEY } from './timing.ts'

export type Task = {
  url: string
  serves: boolean
  works: boolean
  /** Of the clock, in milliseconds. */
  offset: number
  /** Ends itself the n-th time it comes to this step. */
  dies_at: { step: StepName; nth: number } | null
  plant: string | null
  /** Pieces of a recalculation are small, so that there are several. */
  small_pieces: boolean
}

const task = JSON.parse(process.argv[2]!) as Task
let { offset } = task
process.on('message', (said: { offset: number }) => {
  offset = said.offset
  process.send?.({ offset })
})
process.once('disconnect', () => process.exit(1))

function dieAt({ step, nth }: NonNullable<Task['dies_at']>): void {
  let seen = 0
  watchSteps(name => {
    if (name === step && ++seen === nth) process.kill(process.pid, 'SIGKILL')
  })
}

function jobs(): Job[] {
  const few = task.small_pieces ? { most_employees: 4, first_employees: 4 } : {}
  const replay = replayJobsJob({ ...PACE, lease_ms: LEASE_MS, ...few })
  return listJobs().map(job => (job.name === 'replay-jobs' ? replay : job))
}

const config: Config = {
  ...readConfig({}),
  port: 0,
  database_url: task.url,
  secret_key: SECRET_KEY,
  log_level: 'error',
  webhook_allow: ['127.0.0.0/8'],
  // What a password costs is not what is tested.
  password_cost: { memory_kib: 8, passes: 1 },
}
const { requested } = watchSignals()
const log = pino({ level: config.log_level }, pino.destination({ dest: 2, sync: true }))
const opened = await openContext(config, log)
const context: Context = { ...opened.context, clock: { now: () => Date.now() + offset } }
if (task.dies_at) dieAt(task.dies_at)
const closers: (() => Promise<unknown>)[] = []
if (task.works) {
  const worker = startWorker(context, jobs())
  const engine = createDeliveryEngine(context, { deadlines: DEADLINES, lease_ms: LEASE_MS })
  engine.start()
  closers.push(
    () => worker.stop(),
    () => engine.stop(),
  )
}
let port = 0
if (task.serves) {
  const app = buildApp(context)
  const drain = followConnections(app.server)
  closers.push(() => drain(app.close))
  await listen(app.server, config)
  port = (app.server.server.address() as { port: number }).port
}
process.send?.({ port })
await requested
await Promise.all(closers.map(close => close()))
await opened.close()
process.exit(0)
