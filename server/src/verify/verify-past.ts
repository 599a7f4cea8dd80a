// Proves the kept past: the ends of days and where everyone stood 30 days ago are what the history says.
import { DAY, type Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { countOf } from '../platform/counted.ts'
import type { Tx } from '../platform/database.ts'
import { firstOpenDay } from '../scores/counts.queries.ts'
import { instantOfRow, listPassages, readMark } from '../scores/past.queries.ts'
import { markAtDayEnd, PAST_MS, passThrough, trustedMark } from '../scores/read-past.ts'
import {
  findDays,
  findMisplacedPeople,
  findWrongPasts,
  findWrongRows,
} from './verify-past.queries.ts'

/** One picture for so many days or rows of history, a day at least, so that none is held for long. */
const PIECE = { ms: 7 * DAY, rows: 200_000 }

export async function verifyPast({ db }: Context, tenant_id: string): Promise<string[]> {
  const { days, faults } = await db.readTenant(tenant_id, async tx => ({
    days: await findDays(tx, tenant_id),
    faults: await verifyMark(tx, tenant_id),
  }))
  if (days === null) return faults
  let from = dayAt(days.first)
  while (from <= days.last) {
    const piece = await db.readTenant(tenant_id, tx => verifyPiece(tx, tenant_id, from))
    faults.push(...piece.faults)
    from = piece.to
  }
  return faults
}

const dayAt = (at: Instant): Instant => Math.floor(at / DAY) * DAY

async function verifyPiece(tx: Tx, tenant_id: string, from: Instant) {
  const since = new Date(from)
  const end = from + PIECE.ms
  const full = await instantOfRow(tx, tenant_id, from, end, PIECE.rows)
  const to = Math.max(from + DAY, dayAt(full ?? end))
  return { to, faults: await verifyDays(tx, tenant_id, since, new Date(to)) }
}

async function verifyDays(tx: Tx, tenant_id: string, from: Date, to: Date): Promise<string[]> {
  const rows = await findWrongRows(tx, tenant_id, from, to)
  const people = await findMisplacedPeople(tx, tenant_id, from, to)
  return [
    ...rows.map(
      one => `${one.employee_id}: score of history row ${one.version} is not of its sums`,
    ),
    ...people.map(
      one => `moves of day "${one.cell}": kept ${one.kept}, the history has ${one.counted}`,
    ),
  ]
}

/** The sums at the mark follow from the end of the day before it and the history since. */
async function verifyMark(tx: Tx, tenant_id: string): Promise<string[]> {
  const mark = await readTrustedMark(tx, tenant_id)
  const day = await markAtDayEnd(tx, tenant_id, dayAt(mark.past_at + 1) - 1)
  const passages = await listPassages(tx, tenant_id, day.past_at, mark.past_at)
  const sums = { people: day.past_people, points: day.past_points }
  const { people, points } = passThrough(sums, passages, 1)
  if (people === mark.past_people && points === mark.past_points) return []
  const kept = `${countOf(mark.past_people, 'person', 'people')} with ${countOf(mark.past_points, 'point')}`
  return [`at the mark are kept ${kept}, the history has ${people} with ${points}`]
}

/** Past scores of some employees, as far as readers rely on them. */
export async function verifyPastScores(
  tx: Tx,
  tenant_id: string,
  employee_ids: string[],
  now: Instant,
): Promise<string[]> {
  const { past_at } = await readTrustedMark(tx, tenant_id)
  const read_at = now - PAST_MS
  const span = [Math.min(past_at, read_at), Math.max(past_at, read_at)] as const
  const wrong = await findWrongPasts(tx, tenant_id, employee_ids, span)
  return wrong.map(
    one => `${one.employee_id}: past_score is ${one.past_score}, the history has ${one.score}`,
  )
}

async function readTrustedMark(tx: Tx, tenant_id: string) {
  const [mark, open] = await Promise.all([readMark(tx, tenant_id), firstOpenDay(tx, tenant_id)])
  return trustedMark(tx, tenant_id, mark, open)
}
