// Where everyone stood at a past instant: the tenant's mark, and the rows between it and the instant.
import { DAY, dayOf, type Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { readScoringBasis } from '../tenants/scoring-basis.ts'
import { firstOpenDay, listOverdue, readKeptDays } from './counts.queries.ts'
import { type Tally, tallyOf } from './histogram.ts'
import { listPassages, type Mark, type Passage, readMark } from './past.queries.ts'
import { overdueScore } from './read-trends.ts'

/** How far back `trend` and `score_change_30d` look. */
export const PAST_MS = 30 * DAY

export type Past = {
  tally: Tally
  /** Employees whose kept past score may not be the one at the instant. */
  astray: string[]
}

/**
 * Exact however far the mark is behind or ahead of the instant; the cost follows the rows between them.
 * Invariant: a row written later for a day the mark has passed shows as an open day before the mark, and
 * the mark then counts only up to that day.
 */
export async function readPast(tx: Tx, tenant_id: string, at: Instant): Promise<Past> {
  return lookBack(tx, tenant_id, at, (mark, open) => trustedMark(tx, tenant_id, mark, open))
}

/** The tally alone: from the end of a closed day where the mark is further behind, as before its job first ran. */
export async function readPastTally(tx: Tx, tenant_id: string, at: Instant): Promise<Tally> {
  const { tally } = await lookBack(tx, tenant_id, at, async (mark, open) => {
    const closed = Math.min(lastDayEnd(at), beforeDay(open))
    if (mark.past_at < closed) return markAtDayEnd(tx, tenant_id, closed)
    return trustedMark(tx, tenant_id, mark, open)
  })
  return tally
}

type ChooseBase = (mark: Mark, open: string | null) => Promise<Mark>

async function lookBack(tx: Tx, tenant_id: string, at: Instant, choose: ChooseBase): Promise<Past> {
  const [basis, mark, open, overdue] = await Promise.all([
    readScoringBasis(tx, tenant_id),
    readMark(tx, tenant_id),
    firstOpenDay(tx, tenant_id),
    listOverdue(tx, tenant_id, null, at),
  ])
  const base = await choose(mark, open)
  const ahead = base.past_at > at
  const [from, to] = ahead ? [at, base.past_at] : [base.past_at, at]
  const passages = await listPassages(tx, tenant_id, from, to)
  const tally = passThrough(tallyOfMark(base), passages, ahead ? -1 : 1)
  for (const row of overdue) tally.points += overdueScore(row, basis, at) - row.score
  const astray = new Set([...passages, ...overdue].map(one => one.employee_id))
  return { tally, astray: [...astray] }
}

/** The last end of a day at or before an instant. */
function lastDayEnd(at: Instant): Instant {
  return Math.floor((at + 1) / DAY) * DAY - 1
}

/** Up to where nothing is open. */
function beforeDay(open: string | null): Instant {
  return open === null ? Infinity : Date.parse(open) - 1
}

function tallyOfMark({ past_people, past_points }: Mark): Tally {
  return { people: past_people, points: past_points }
}

export async function trustedMark(tx: Tx, tenant_id: string, mark: Mark, open: string | null) {
  const before = beforeDay(open)
  return before < mark.past_at ? markAtDayEnd(tx, tenant_id, before) : mark
}

/** Invariant: everything up to the end of that day is folded into its histogram. */
export async function markAtDayEnd(tx: Tx, tenant_id: string, end: Instant): Promise<Mark> {
  const [kept] = await readKeptDays(tx, tenant_id, null, [dayOf(end)])
  const { people, points } = kept ? tallyOf(kept.counts) : { people: 0, points: 0 }
  return { past_at: end, past_people: people, past_points: points }
}

/** The tally after the passages, or before them where the sign is -1. */
export function passThrough(tally: Tally, passages: readonly Passage[], sign: 1 | -1): Tally {
  const sum = { ...tally }
  const add = (status: string | null, score: number | null, n: number) => {
    if (status !== 'active') return
    sum.people += n
    sum.points += n * score!
  }
  for (const { score_before, status_before, score_after, status_after } of passages) {
    add(status_before, score_before, -sign)
    add(status_after, score_after, sign)
  }
  return sum
}
