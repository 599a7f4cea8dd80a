// Closes days of one tenant: their moves become histograms, and the counts of the present stay few.
import { addUpScores, type CountedCell } from '../employees/score-counts.queries.ts'
import { DAY, dayOf, HOUR, type Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import {
  addToBase,
  type DepartmentDay,
  keepDays,
  keepDepartmentDays,
  readDaysFrom,
  readDepartmentDaysFrom,
  takeMoves,
} from './close-days.queries.ts'
import { firstOpenDay } from './counts.queries.ts'
import { foldMoves } from './fold-days.ts'
import { earliestDue, lockMark, type Mark, moveMark } from './past.queries.ts'
import { markAtDayEnd } from './read-past.ts'

/** Clocks of two processes differ by less, and no transaction takes as long. */
const SETTLED_MS = HOUR
const MOST_DAYS = 31
/** With more of them the rest of their days is closed in the next turn. */
const MOST_ENTRIES = 2000

/** The last day whose end is well past at an instant. */
export function lastSettledDay(now: Instant): Instant {
  return Math.floor((now - SETTLED_MS) / DAY) * DAY - DAY
}

/**
 * Invariant, at every commit: a day's end = the kept histogram at or before it + the moves up to it that
 * still stand in the counts; the present = all rows of the counts. Closing moves rows from one side of each
 * sum to the other in one transaction, so no reader sees a difference, and a move that arrives late for a
 * closed day is counted at once and folded in by the next turn.
 *
 * True when there may be more to close.
 */
export async function closeDays(tx: Tx, tenant_id: string, now: Instant): Promise<boolean> {
  const mark = await lockMark(tx, tenant_id)
  if (!mark) return false
  const [open, due] = await Promise.all([firstOpenDay(tx, tenant_id), earliestDue(tx, tenant_id)])
  if (open === null) return false
  const dueDay = due === null ? Infinity : Math.floor(due / DAY) * DAY - DAY
  const closable = Math.min(lastSettledDay(now), dueDay)
  const last = Math.min(closable, Date.parse(open) + (MOST_DAYS - 1) * DAY)
  if (last < Date.parse(open)) return false
  await addUpScores(tx, tenant_id, MOST_ENTRIES)
  const moves = await takeMoves(tx, tenant_id, dayOf(last))
  await addToBase(tx, tenant_id, moves)
  const first = firstDayOf(moves, open)
  await foldIn(tx, tenant_id, moves, first)
  await turnBackMark(tx, tenant_id, mark, first)
  return last < closable
}

/** A move that came for an earlier day since the first open one was looked up is taken along. */
function firstDayOf(moves: readonly CountedCell[], open: string): string {
  return [open, ...moves.map(({ day }) => day)].sort()[0]!
}

/** Inactive people count nowhere, but a department that only they had is known by its kept day. */
async function foldIn(tx: Tx, tenant_id: string, taken: readonly CountedCell[], first: string) {
  const moves = taken.filter(move => move.status === 'active')
  const counted = taken.map(move => (move.status === 'active' ? move : { ...move, people: 0 }))
  const byDepartment = Map.groupBy(counted, move => move.department)
  const names = [...byDepartment.keys()]
  const [days, departmentDays] = await Promise.all([
    readDaysFrom(tx, tenant_id, first),
    readDepartmentDaysFrom(tx, tenant_id, names, first),
  ])
  const kept = Map.groupBy(departmentDays, day => day.department)
  const folded = names.flatMap((department): DepartmentDay[] =>
    foldMoves(kept.get(department) ?? [], byDepartment.get(department)!).map(day => ({
      department,
      ...day,
    })),
  )
  await keepDays(tx, tenant_id, foldMoves(days, moves))
  await keepDepartmentDays(tx, tenant_id, folded)
}

/** What came late for a day the mark has passed is aged again from that day on. */
async function turnBackMark(tx: Tx, tenant_id: string, mark: Mark, first: string): Promise<void> {
  const before = Date.parse(first) - 1
  if (before < mark.past_at) {
    await moveMark(tx, tenant_id, await markAtDayEnd(tx, tenant_id, before))
  }
}
