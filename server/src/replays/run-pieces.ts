// Runs a job piece by piece: each piece is one transaction that also moves the cursor, so a kill loses nothing. Pieces
// overlap: only what they write beyond their own people, and the cursor, is written one after the other.
import { lockStandings } from '../employees/standings.queries.ts'
import { advanceStandings } from '../events/apply-due-changes.job.ts'
import { type Instant, MINUTE, SECOND } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { wasTooSlow } from '../platform/database-errors.ts'
import { step } from '../platform/steps.ts'
import { readScoringBasis } from '../tenants/scoring-basis.ts'
import type { JobWork, Piece } from './job-work.ts'
import { type JobRow, lockHeldJob, saveJob } from './jobs.queries.ts'
import { endJob, tellOfFailure } from './leave-out.ts'
import { countLogs, haveMoreEvents, type Selected } from './replays.queries.ts'

export const LEASE_MS = 60 * SECOND
/** A piece of one person with very many events may take longer than others, and so the job is held for longer. */
const HEAVY_MS = 4 * MINUTE
const HEAVY_LEASES = 5
/** Pieces under way at once. */
const UNDER_WAY = 3

/** How much is done at once: about as many events as a piece should read, and the most employees it locks. */
export type Pace = {
  /** How long a job stays with a process that is not heard of any more. */
  lease_ms?: number
  /** How long other tenants wait for the turn of one. */
  long_turn_ms?: number
  pieces: number
  events: number
  most_employees: number
  first_employees: number
}

export const PACE: Pace = { pieces: 16, events: 2500, most_employees: 250, first_employees: 100 }

/** A piece may have this many times the events it should: the first is of a size that nobody has judged yet. */
const SLACK = 4
/** Whoever has more is a piece alone. */
export const HEAVY_EVENTS = SLACK * PACE.events

/**
 * People chosen for a piece, and what the piece before them came to. Heavy: one person alone, with far more events than
 * a piece should read.
 */
type Chosen = {
  after: string
  people: readonly Selected[]
  isLast: boolean
  isHeavy: boolean
  before: Under
}
type Choice = Pick<Chosen, 'people' | 'isLast' | 'isHeavy'>
/** The job as the piece left it; null when it is no longer ours: cancelled, or taken over after its lease. */
type Done = Promise<JobRow | null>
/** A piece under way; `locked` is kept once it holds its people, or is over. */
type Under = { done: Done; locked: Promise<void> }

/** There was no time for all events of one person, who is a piece alone. */
export class TooHeavy extends Error {
  readonly employee_id: string

  constructor(employee_id: string, options: ErrorOptions) {
    super(`no time for all events of ${employee_id}`, options)
    this.employee_id = employee_id
  }
}

/** Invariant: on return and on failure no piece is under way any more. */
export async function runPieces(
  context: Context,
  tenant_id: string,
  claimed: JobRow,
  work: JobWork,
  pace: Pace,
): Promise<void> {
  const under: Done[] = []
  let known = claimed
  let after = claimed.cursor
  let before: Under = { done: Promise.resolve(claimed), locked: Promise.resolve() }
  try {
    for (let i = 0; i < pace.pieces; i++) {
      const chosen = await choosePeople(context, tenant_id, { ...known, cursor: after }, work, pace)
      before = startPiece(context, tenant_id, known, work, { ...chosen, after, before }, pace)
      under.push(before.done)
      // Nobody is locked only to wait until a heavy piece is over; and other tenants have waited long enough then.
      if (chosen.isLast || chosen.isHeavy) break
      after = chosen.people.at(-1)!.employee_id
      if (under.length < UNDER_WAY) continue
      const done = await under.shift()
      if (!done) break
      known = done
    }
    await Promise.all(under)
  } finally {
    await Promise.allSettled(under)
  }
}

/** What is due comes first, in a transaction of its own: it too ends with the counts. */
async function choosePeople(
  { db, clock }: Context,
  tenant_id: string,
  job: JobRow,
  work: JobWork,
  pace: Pace,
): Promise<Choice> {
  const now = clock.now()
  const limit = pieceSize(job, pace)
  const chosen = await db.inTenant(tenant_id, async tx => {
    const found = await work.select(tx, tenant_id, job, limit, now)
    const end = await findCut(tx, tenant_id, found, pace)
    const people = found.slice(0, Math.max(1, end))
    await bringUpToDate(tx, tenant_id, people, now)
    const isLast = found.length < limit && people.length === found.length
    return { people, isLast, isHeavy: found.length > 0 && end === 0 }
  })
  step('recalculation.selected')
  return chosen
}

/** As many of them as do not have far too many events together: whatever a piece does, it reads all of them. */
async function findCut(tx: Tx, tenant_id: string, people: readonly Selected[], pace: Pace) {
  const most = SLACK * pace.events
  const ids = people.map(one => one.employee_id)
  if (!(await haveMoreEvents(tx, tenant_id, ids, most))) return people.length
  const logs = await countLogs(tx, tenant_id, ids, most + 1)
  let events = 0
  const end = people.findIndex(({ employee_id }) => {
    events += logs.get(employee_id)!
    return events > most
  })
  return end < 0 ? people.length : end
}

/** The job was taken from us: nothing of the piece may be kept. */
const TAKEN = Symbol('taken')

function startPiece(
  context: Context,
  tenant_id: string,
  job: JobRow,
  work: JobWork,
  chosen: Chosen,
  pace: Pace,
): Under {
  const { promise: locked, resolve } = Promise.withResolvers<void>()
  const done = runPiece(context, tenant_id, job, work, chosen, pace, resolve).finally(resolve)
  // Whoever waits for it is told; a failure that is looked at later is no unhandled one.
  done.catch(() => {})
  return { done, locked }
}

/** A heavy piece is begun once those before it are over; false: the job is no longer ours. */
async function takeTime(
  { db, clock }: Context,
  tenant_id: string,
  { job_id, fence }: JobRow,
  { before }: Chosen,
  { lease_ms = LEASE_MS }: Pace,
): Promise<boolean> {
  if (!(await before.done)) return false
  return db.inTenant(tenant_id, async tx => {
    const job = await lockHeldJob(tx, tenant_id, job_id, fence)
    if (!job) return false
    const lease_until = new Date(clock.now() + HEAVY_LEASES * lease_ms)
    await saveJob(tx, tenant_id, { ...job, lease_until })
    return true
  })
}

async function runPiece(
  context: Context,
  tenant_id: string,
  job: JobRow,
  work: JobWork,
  chosen: Chosen,
  pace: Pace,
  noteLocked: () => void,
): Done {
  const { db, clock } = context
  const { isHeavy } = chosen
  await chosen.before.locked
  if (isHeavy && !(await takeTime(context, tenant_id, job, chosen, pace))) return null
  const now = clock.now()
  const ids = chosen.people.map(one => one.employee_id)
  try {
    const run = async (tx: Tx) => {
      const turn = takeTurn(tx, tenant_id, job, chosen)
      const wait = async () => {
        await turn()
      }
      const [standings, basis] = await Promise.all([
        lockStandings(tx, tenant_id, ids),
        readScoringBasis(tx, tenant_id),
      ])
      noteLocked()
      // A streak may fall due only here, by a period that was shortened: whether anything is due shows as it is applied.
      const along = { turn: wait, redone: true }
      await advanceStandings(tx, tenant_id, [...standings.values()], basis, now, along)
      const piece = await work.run(tx, tenant_id, job, standings, basis, now, wait)
      const lease_until = new Date(now + (pace.lease_ms ?? LEASE_MS))
      const next = moveOn({ ...(await turn()), lease_until }, piece, ids, now, chosen.isLast)
      await saveJob(tx, tenant_id, next)
      if (next.status === 'failed') await tellOfFailure(tx, tenant_id, next, now)
      step('recalculation.saved')
      return next
    }
    const next = await db.inTenant(tenant_id, run, isHeavy ? HEAVY_MS : undefined)
    step('recalculation.committed')
    return next
  } catch (error) {
    if (error === TAKEN) return null
    throw isHeavy && wasTooSlow(error) ? new TooHeavy(ids[0]!, { cause: error }) : error
  }
}

/**
 * Waits once until the piece before is committed, then holds the job's row until the end of the transaction.
 * Invariant: whoever waits here has locked people of its own piece alone, and the pieces before it had theirs by
 * then: none of them can wait for somebody who waits for us.
 */
function takeTurn(tx: Tx, tenant_id: string, { job_id, fence }: JobRow, chosen: Chosen) {
  let held: Promise<JobRow> | null = null
  const take = async (): Promise<JobRow> => {
    if (!(await chosen.before.done)) throw TAKEN
    const job = await lockHeldJob(tx, tenant_id, job_id, fence)
    if (!job || job.cursor !== chosen.after) throw TAKEN
    return job
  }
  return (): Promise<JobRow> => {
    held ??= take()
    return held
  }
}

async function bringUpToDate(
  tx: Tx,
  tenant_id: string,
  people: readonly Selected[],
  now: Instant,
): Promise<void> {
  const due = people.filter(one => one.due).map(one => one.employee_id)
  if (due.length === 0) return
  const [standings, basis] = await Promise.all([
    lockStandings(tx, tenant_id, due),
    readScoringBasis(tx, tenant_id),
  ])
  const standing = [...standings.values()]
  await advanceStandings(tx, tenant_id, standing, basis, now, { redone: true })
}

/**
 * As many employees as make a piece of even size, judged by those already done: memory stays flat. After each failure
 * in a row a quarter of them, down to one.
 */
function pieceSize({ processed, events, failures }: JobRow, pace: Pace): number {
  const each = Math.max(1, events / Math.max(1, processed))
  const even = Math.min(pace.most_employees, Math.floor(pace.events / each))
  const size = processed === 0 ? pace.first_employees : even
  return Math.max(1, Math.floor(size / 4 ** failures))
}

function moveOn(
  job: JobRow,
  piece: Piece,
  ids: readonly string[],
  now: Instant,
  isLast: boolean,
): JobRow {
  const processed = job.processed + ids.length
  const moved = {
    ...job,
    processed,
    // People come and go meanwhile; a job that is done has done all of its total.
    total: isLast ? processed : Math.max(job.total ?? 0, processed),
    changed: job.changed + piece.changed,
    events: job.events + piece.events,
    cursor: ids.at(-1) ?? job.cursor,
    result: piece.extend ? piece.extend(job.result) : job.result,
    failures: 0,
  }
  return isLast ? endJob(moved, now) : moved
}
