// Which clock is wrong: ours, or that of whoever wrote what lies too far ahead.
import { readDatabaseClock } from './clock.queries.ts'
import { asInstant, MOST_AHEAD_MS } from './clock.ts'
import type { Context } from './context.ts'
import type { Job } from './jobs.ts'

/** A job that rests where our own clock may be the wrong one. */
export function onlyIfTrusted(trusts: typeof trustClock, job: Job): Job {
  return { ...job, run: async context => (await trusts(context)) && job.run(context) }
}

/** The database's clock decides: a process that disagrees with it would take right instants for too far ahead. */
export async function trustClock({ db, clock }: Context): Promise<boolean> {
  const seconds = await db.acrossTenants(readDatabaseClock)
  return Math.abs(clock.now() - asInstant(seconds)) <= MOST_AHEAD_MS
}
