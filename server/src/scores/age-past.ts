// Moves the past scores of one tenant on: as time goes by, 30 days ago is another instant.
import { boundLocks } from '../events/ingest.queries.ts'
import { DAY, type Instant, SECOND } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { firstOpenDay } from './counts.queries.ts'
import {
  earliestDue,
  instantOfRow,
  listPassages,
  lockMark,
  type Mark,
  moveMark,
  type Passage,
  setPastScores,
} from './past.queries.ts'
import { markAtDayEnd, PAST_MS, passThrough } from './read-past.ts'

const CHUNK = 2000
/** Changes that are overdue for so long go first: scores are late, the past is not. */
const BACKLOG_MS = 5 * SECOND

/**
 * Goes through the rows that have become 30 days old, in chunks. Never beyond an open day or something due:
 * so what is written later for the past is always seen as an open day before the mark.
 *
 * True when there may be more to do.
 */
export async function agePast(tx: Tx, tenant_id: string, now: Instant): Promise<boolean> {
  const mark = await lockMark(tx, tenant_id)
  if (!mark) return false
  const [open, due] = await Promise.all([firstOpenDay(tx, tenant_id), earliestDue(tx, tenant_id)])
  if (due !== null && due < now - BACKLOG_MS) return false
  const limit = Math.min(
    now - PAST_MS,
    (due ?? Infinity) - 1,
    (open === null ? Infinity : Date.parse(open)) - 1,
  )
  if (limit <= mark.past_at) return false
  const end = await chooseEnd(tx, tenant_id, mark.past_at, limit)
  const passages = await listPassages(tx, tenant_id, mark.past_at, end)
  await boundLocks(tx)
  await setPastScores(
    tx,
    tenant_id,
    passages.map(({ employee_id, score_after: score }) => ({ employee_id, score })),
  )
  await moveMark(tx, tenant_id, await nextMark(tx, tenant_id, mark, passages, end))
  return end < limit
}

/** A chunk ends at the end of a day where it crosses one: there the sum is known from the day itself. */
async function chooseEnd(tx: Tx, tenant_id: string, from: Instant, limit: Instant) {
  const end = (await instantOfRow(tx, tenant_id, from, limit, CHUNK)) ?? limit
  const dayEnd = Math.floor((end + 1) / DAY) * DAY - 1
  return dayEnd > from ? dayEnd : end
}

async function nextMark(
  tx: Tx,
  tenant_id: string,
  mark: Mark,
  passages: readonly Passage[],
  end: Instant,
): Promise<Mark> {
  if ((end + 1) % DAY === 0) return markAtDayEnd(tx, tenant_id, end)
  const before = { people: mark.past_people, points: mark.past_points }
  const { people, points } = passThrough(before, passages, 1)
  return { past_at: end, past_people: people, past_points: points }
}
