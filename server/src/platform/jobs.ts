// Work without a request: each job is asked again and again, and never runs twice at once here.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from './context.ts'
import { waitAtMost } from './deadline.ts'
import { createCounter, createHistogram, LATENCIES } from './metrics.ts'
import { createOutageFilter } from './once-a-minute.ts'
import { endSpan, startSpan, within } from './trace.ts'

export type Job = {
  readonly name: string
  /** How long it rests when there was nothing to do. */
  readonly every_ms: number
  /** Does a bounded piece of work; true when there may be more at once. */
  run(context: Context): Promise<boolean>
}

export type Worker = {
  /** Lets what runs come to its end, for a while. */
  stop(): Promise<void>
}

const MOST_ROUNDS = 100_000
const REST_AFTER_FAILURE_MS = 1000
/** Supervisors give ten seconds; a mail server may be silent for longer, and a job cut short begins again. */
const STOP_MS = 5_000

const durations = createHistogram(
  'bellwether_job_seconds',
  'Time of one piece of work of a job.',
  ['job'],
  LATENCIES,
)
const failures = createCounter('bellwether_job_failures_total', 'Pieces of work that failed.', [
  'job',
])

/** Runs every job in its own loop until stopped; a job that fails is logged and tried again. */
export function startWorker(
  context: Context,
  jobs: readonly Job[],
  { stop_ms = STOP_MS }: { stop_ms?: number } = {},
): Worker {
  const stopping = new AbortController()
  const { signal } = stopping
  const isNews = createOutageFilter(context.clock)
  for (const job of jobs) failures.add([job.name], 0)
  const loops = jobs.map(job => loop(job))

  async function loop(job: Job): Promise<void> {
    while (!signal.aborted) {
      const rest = await runOnce(context, job, isNews)
      if (rest > 0) await sleep(rest, undefined, { signal }).catch(() => {})
    }
  }

  return {
    stop: async () => {
      stopping.abort()
      await waitAtMost(Promise.all(loops), stop_ms)
    },
  }
}

async function runOnce(
  context: Context,
  job: Job,
  isNews: (job: string, error: unknown) => boolean,
): Promise<number> {
  const began = performance.now()
  const span = startSpan(`job ${job.name}`, 'internal')
  let fault: string | undefined
  try {
    return (await within(span, () => job.run(context))) ? 0 : job.every_ms
  } catch (error) {
    failures.add([job.name])
    fault = 'it failed'
    if (isNews(job.name, error)) {
      context.log.error({ err: error, job: job.name }, 'job failed, will be tried again')
    }
    return Math.max(job.every_ms, REST_AFTER_FAILURE_MS)
  } finally {
    durations.observe([job.name], (performance.now() - began) / 1000)
    endSpan(span, {}, fault)
  }
}

/** Runs the jobs until none has anything left to do at the clock's instant; for tests and commands. */
export async function runDueJobs(context: Context, jobs: readonly Job[]): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    let more = false
    for (const job of jobs) more = (await job.run(context)) || more
    if (!more) return
  }
  throw new Error('jobs did not come to rest')
}
