// Runs the jobs of all tenants in turns: claims one of each lane, does a few pieces of it and gives it back.
import { type Instant, SECOND } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { wasTooSlow } from '../platform/database-errors.ts'
import { waitAtMost } from '../platform/deadline.ts'
import { isUnavailable } from '../platform/errors.ts'
import type { Job } from '../platform/jobs.ts'
import { step } from '../platform/steps.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { settingsWork } from './apply-settings.ts'
import { endIfAbandoned } from './end-abandoned-job.ts'
import type { JobWork } from './job-work.ts'
import {
  claimJob,
  type JobKind,
  type JobRow,
  listOpenJobs,
  lockHeldJob,
  releaseJob,
  saveJob,
  tenantsWithJobs,
} from './jobs.queries.ts'
import { leaveOut, tellOfFailure } from './leave-out.ts'
import { previewWork, recalculationWork } from './recalculate-employees.ts'
import { retractionWork } from './retract-by-filter.ts'
import { LEASE_MS, PACE, type Pace, runPieces, TooHeavy } from './run-pieces.ts'

type ReplayKind = Exclude<JobKind, 'erasure'>

const WORK: Readonly<Record<ReplayKind, JobWork>> = {
  recalculation: recalculationWork,
  preview: previewWork,
  settings: settingsWork,
  retraction: retractionWork,
}

/** Kinds whose work stands to the right of this slice; a turn of it ends by itself, and another goes on. */
export type OtherWork = {
  readonly erasure?: (context: Context, tenant_id: string, claimed: JobRow) => Promise<void>
}

/** Jobs of one lane follow one another; lanes run side by side. */
const LANE: Readonly<Record<JobKind, string>> = {
  recalculation: 'scores',
  settings: 'scores',
  preview: 'previews',
  retraction: 'retractions',
  erasure: 'erasures',
}

const MOST_FAILURES = 5
const REST_AFTER_FAILURE_MS = 2 * SECOND
/** No job is held, or rests, for longer. */
export const LONGEST_REST_MS = MOST_FAILURES * LEASE_MS

export function replayJobsJob(pace: Pace = PACE, others: OtherWork = {}): Job {
  const beside = createBeside(pace)
  return createTenantJob({
    name: 'replay-jobs',
    every_ms: SECOND,
    tenants: 16,
    find: ({ db }, after, limit, now) =>
      db.acrossTenants(tx => tenantsWithJobs(tx, new Date(now), after, limit)),
    work: (context, { tenant_id }) => beside(runApart(context, tenant_id, pace, others)),
  })
}

/** So long the others wait for a tenant's turn; one that takes longer goes on beside theirs. */
const LONG_TURN_MS = 15 * SECOND

/** One such turn at a time: the next is waited for again. Its job is held, so nobody begins it twice. */
function createBeside({ long_turn_ms = LONG_TURN_MS }: Pace) {
  let isBusy = false
  return async (turn: Promise<boolean>): Promise<boolean> => {
    if (isBusy) return turn
    let isOver = false
    const ended = turn.finally(() => {
      isOver = true
    })
    await waitAtMost(ended, long_turn_ms)
    if (isOver) return turn
    isBusy = true
    const free = () => {
      isBusy = false
    }
    // A database that is away is away for the next turn too, which says so.
    ended.then(free, free)
    return true
  }
}

/** What fails for one tenant keeps no other waiting. */
async function runApart(
  context: Context,
  tenant_id: string,
  pace: Pace,
  others: OtherWork,
): Promise<boolean> {
  try {
    return await runJobsOf(context, tenant_id, pace, others)
  } catch (error) {
    if (isUnavailable(error)) throw error
    context.log.error({ err: error, tenant_id }, 'the jobs of a tenant could not be run')
    return false
  }
}

/** A few pieces of each lane, so that a large tenant does not keep the others waiting. */
async function runJobsOf(
  context: Context,
  tenant_id: string,
  pace: Pace,
  others: OtherWork,
): Promise<boolean> {
  const all = await context.db.inTenant(tenant_id, tx => listOpenJobs(tx, tenant_id))
  const open = all.filter(({ kind }) => kind !== 'erasure' || others.erasure)
  let worked = false
  for (const job of nextOfEachLane(open, context.clock.now())) {
    const claimed = await claim(context, tenant_id, job, pace)
    if (!claimed) continue
    worked = true
    step('recalculation.claimed')
    await runAndRelease(context, tenant_id, claimed, pace, others)
  }
  return worked
}

/** What has begun goes before what waits; a lane whose job somebody holds is left alone. */
function nextOfEachLane(open: readonly JobRow[], now: Instant): JobRow[] {
  const begun = (job: JobRow) => (job.status === 'running' ? 0 : 1)
  const first = new Map<string, JobRow>()
  const isHeld = (job: JobRow) => (job.lease_until?.getTime() ?? 0) > now
  for (const job of open.toSorted((a, b) => begun(a) - begun(b))) {
    // Nobody's erasure waits for that of somebody else.
    if (job.kind === 'erasure' && isHeld(job)) continue
    if (!first.has(LANE[job.kind])) first.set(LANE[job.kind], job)
  }
  return [...first.values()].filter(job => !isHeld(job))
}

/** Whoever asked is looked up once for each claim, so at the latest after the few pieces of one turn. */
async function claim(
  { db, clock }: Context,
  tenant_id: string,
  job: JobRow,
  { lease_ms = LEASE_MS }: Pace,
) {
  const now = clock.now()
  return db.inTenant(tenant_id, async tx => {
    const until = new Date(now + lease_ms)
    const claimed = await claimJob(tx, tenant_id, job, new Date(now), until)
    step('recalculation.claiming')
    return claimed && !(await endIfAbandoned(tx, tenant_id, claimed, now)) ? claimed : undefined
  })
}

/** In a transaction of its own: where it fails, the claim stands and the failure is counted. */
async function countOnce(
  { db }: Context,
  tenant_id: string,
  claimed: JobRow,
  work: JobWork,
): Promise<void> {
  if (claimed.total !== null) return
  await db.inTenant(tenant_id, async tx => {
    const job = await lockHeldJob(tx, tenant_id, claimed.job_id, claimed.fence)
    if (!job) return
    claimed.total = await work.count(tx, tenant_id, job)
    await saveJob(tx, tenant_id, { ...job, total: claimed.total })
  })
}

async function runAndRelease(
  context: Context,
  tenant_id: string,
  claimed: JobRow,
  pace: Pace,
  others: OtherWork,
): Promise<void> {
  const { kind } = claimed
  try {
    if (kind === 'erasure') await others.erasure!(context, tenant_id, claimed)
    else {
      await countOnce(context, tenant_id, claimed, WORK[kind])
      await runPieces(context, tenant_id, claimed, WORK[kind], pace)
    }
  } catch (error) {
    const heavy = error instanceof TooHeavy ? error.employee_id : null
    const slow = heavy !== null || wasTooSlow(error)
    if (isUnavailable(error) && !slow) throw error
    context.log.error({ err: error, tenant_id, job_id: claimed.job_id }, 'a piece of a job failed')
    return noteFailure(context, tenant_id, claimed, slow, heavy)
  }
  await context.db.inTenant(tenant_id, tx => releaseJob(tx, tenant_id, claimed))
  step('recalculation.released')
}

/**
 * A piece that took too long is tried again with fewer people, after longer rests: the database may be busy with
 * something else. For that alone no change of settings is given up, for half a tenant must not keep the old ones. But
 * whoever has too many events for the time there is, the `heavy` one, is left out, and the job goes on behind them.
 */
async function noteFailure(
  { db, clock }: Context,
  tenant_id: string,
  { job_id, fence, kind }: JobRow,
  slow: boolean,
  heavy: string | null,
) {
  const now = clock.now()
  await db.inTenant(tenant_id, async tx => {
    const job = await lockHeldJob(tx, tenant_id, job_id, fence)
    if (!job) return
    const failures = job.failures + 1
    const rest = (slow ? LEASE_MS : REST_AFTER_FAILURE_MS) * Math.min(failures, MOST_FAILURES)
    const rested = { ...job, failures, lease_until: new Date(now + rest) }
    const isMany = failures >= MOST_FAILURES
    if (isMany && heavy !== null) {
      await saveJob(tx, tenant_id, leaveOut(rested, heavy))
      return
    }
    const error = slow
      ? 'the database took too long for a part of the job, again and again; what was done before it stays'
      : 'an internal error stopped the job; what was done before it stays'
    // What was asked to be erased never stays because something failed.
    const isOver = isMany && kind !== 'erasure' && !(slow && kind === 'settings')
    const given_up = { status: 'failed' as const, finished_at: new Date(now), error }
    await saveJob(tx, tenant_id, { ...rested, ...(isOver ? given_up : {}) })
    if (isOver) await tellOfFailure(tx, tenant_id, job, now)
  })
}
