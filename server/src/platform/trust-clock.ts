// Which clock is wrong: ours, or that of whoever wrote what lies too far ahead.
import { readDatabaseClock } from './clock.queries.ts'
import { asInstant, MOST_AHEAD_MS } from './clock.ts'
import type { Context } from './context.ts'
import type { Job } from './jobs.ts'

/** A job that rests where our own clock may be the wrong one; it says so when it begins to. */
export function onlyIfTrusted(trusts: typeof trustClock, job: Job): Job {
  let rests = false
  return {
    ...job,
    async run(context) {
      const before = rests
      rests = !(await trusts(context))
      if (rests && !before) {
        context.log.warn({ job: job.name }, 'job rests: our clock is not that of the database')
      }
      return !rests && job.run(context)
    },
  }
}

/**
 * The database's clock decides: a process that disagrees with it would take right instants for too far ahead, and what is
 * still to be kept for old.
 */
export async function trustClock({ db, clock }: Context): Promise<boolean> {
  const seconds = await db.acrossTenants(readDatabaseClock)
  return Math.abs(clock.now() - asInstant(seconds)) <= MOST_AHEAD_MS
}
