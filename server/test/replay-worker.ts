// A worker in a process of its own that runs replay jobs in small pieces and kills itself in the middle of the fourth.
import pino from 'pino'
import type { Context } from '../src/platform/context.ts'
import { openDatabase } from '../src/platform/database.ts'
import { watchSteps } from '../src/platform/steps.ts'
import { replayJobsJob } from '../src/replays/run-replay-jobs.job.ts'

const { address, now } = JSON.parse(process.argv[2]!)
const db = openDatabase({ address, pool: 2, prepare: true })
const context = { db, clock: { now: () => now }, log: pino({ level: 'silent' }) }
const job = replayJobsJob({ pieces: 1, events: 1, most_employees: 1, first_employees: 1 })

let written = 0
watchSteps(step => {
  if (step === 'recalculation.written' && ++written === 4) process.kill(process.pid, 'SIGKILL')
})
while (await job.run(context as unknown as Context));
await db.close()
