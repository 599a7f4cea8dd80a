// A worker in a process of its own, for tests that kill it: runs replay jobs slowly and says so after each piece.
import pino from 'pino'
import type { Context } from '../src/platform/context.ts'
import { openDatabase } from '../src/platform/database.ts'
import { replayJobsJob } from '../src/replays/run-replay-jobs.job.ts'

const { address, now } = JSON.parse(process.argv[2]!)
const db = openDatabase({ address, pool: 2, prepare: true })
const context = { db, clock: { now: () => now }, log: pino({ level: 'silent' }) }
const job = replayJobsJob({ pieces: 1, events: 1, most_employees: 1, first_employees: 1 })

while (await job.run(context as unknown as Context)) process.stdout.write('piece\n')
process.stdout.write('done\n')
await db.close()
