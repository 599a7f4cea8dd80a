// Closes the past of a tenant's events: announces how far, waits, keeps whole days, and builds what is in doubt.
import { DAY, dayOf, HOUR, type Instant, MINUTE } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import {
  addMarks,
  announce,
  type Cell,
  type Closing,
  close,
  countInBlocks,
  isWorthClosing,
  listFilledBlocks,
  type Mark,
  numberPeople,
  openClosing,
  type PeopleRow,
  readCells,
  readMarks,
  readPeople,
  removeMarks,
  replacePeople,
  replaceSums,
  takeClosing,
} from './close-events.queries.ts'
import { findFirstDay, moveDaysTo, replaceDays } from './kept-days.queries.ts'
import { type NamedLists, packLists, packNumbers, uniteLists, unpackLists } from './people-lists.ts'
import { BASE_MS, blockAt, HOUR_LEVEL, TOP_LEVEL } from './time-blocks.ts'

/** Events are seldom later than this; a later one only costs a mark. */
const LATE_MS = 2 * MINUTE
/**
 * Invariant: no transaction that writes lives this long. After it, all that read an earlier `closing_to` have ended:
 * their events are seen, and all others carry marks.
 */
export const WAIT_MS = 5 * MINUTE
/** Below it the rows are read as fast. */
export const LEAST_EVENTS = 1000

export type CloseOptions = {
  /** Fewer new events than this are left to be read as rows. */
  least?: number
  /** Whether past events are being changed one after the other: what is built meanwhile is in doubt again at once. */
  isReplaying?(tx: Tx, tenant_id: string): Promise<boolean>
}

export function closeLimit(now: Instant): Instant {
  return blockAt(now - LATE_MS) * BASE_MS
}

/** One step of one tenant, a transaction. False when nothing was to be done, or somebody else is at it. */
export async function closeEvents(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  { least = LEAST_EVENTS, isReplaying }: CloseOptions,
): Promise<boolean> {
  const closing = (await takeClosing(tx, tenant_id)) ?? (await openAndTake(tx, tenant_id))
  if (!closing) return false
  if (closing.closing_since !== null) {
    if (closing.closing_since.getTime() <= now - WAIT_MS) {
      await closeAnnounced(tx, tenant_id, closing)
      return true
    }
  } else if (await announceMore(tx, tenant_id, closing, now, least)) return true
  if (await keepMoreDays(tx, tenant_id, closing)) return true
  if (await isReplaying?.(tx, tenant_id)) return false
  return buildSome(tx, tenant_id, closing)
}

async function openAndTake(tx: Tx, tenant_id: string) {
  await openClosing(tx, tenant_id)
  return takeClosing(tx, tenant_id)
}

async function announceMore(
  tx: Tx,
  tenant_id: string,
  { closing_to }: Closing,
  now: Instant,
  least: number,
): Promise<boolean> {
  const limit = closeLimit(now)
  const from = closing_to?.getTime() ?? 0
  if (from >= limit || !(await isWorthClosing(tx, tenant_id, from, limit, least))) return false
  await announce(tx, tenant_id, limit, now)
  return true
}

/** What is closed by this is in doubt until it is built. */
async function closeAnnounced(tx: Tx, tenant_id: string, { closed_to, closing_to }: Closing) {
  const to = blockAt(closing_to!.getTime())
  // An hour that was begun by the last closing is whole only now.
  const from = Math.floor(closed_to / 8) * 8
  const filled = await listFilledBlocks(tx, tenant_id, from * BASE_MS, to * BASE_MS)
  const blocks = filled.filter(block => block >= closed_to)
  const hours = new Set(filled.map(block => Math.floor(block / 8)))
  await addMarks(tx, tenant_id, 'people', 0, blocks)
  await addMarks(tx, tenant_id, 'sums', HOUR_LEVEL, [...hours])
  await close(tx, tenant_id, to)
}

const DAYS_PIECE = 31

/** What is kept of a day that is in doubt is kept anew when its hours are built. */
async function keepMoreDays(
  tx: Tx,
  tenant_id: string,
  { closed_to, days_to }: Closing,
): Promise<boolean> {
  const closed = Math.floor((closed_to * BASE_MS) / DAY) * DAY
  if (closed <= Date.parse(days_to ?? dayOf(0))) return false
  const first = days_to ?? (await findFirstDay(tx, tenant_id)) ?? dayOf(closed)
  const from = Math.min(Date.parse(first), closed)
  const count = Math.min((closed - from) / DAY, DAYS_PIECE)
  const days = Array.from({ length: count }, (_, i) => dayOf(from + i * DAY))
  await replaceDays(tx, tenant_id, days)
  await moveDaysTo(tx, tenant_id, dayOf(from + count * DAY))
  return true
}

/** Blocks of one piece, by level: what is longer is larger. */
const PIECE = [64, 16, 4, 1, 1] as const
const HOURS_PIECE = 24
const EVENTS_PIECE = 50_000
/** Marks of one block by several writers are taken together. */
const MARKS_PER_BLOCK = 4

/** People before sums, the lowest level first, so that a block is built from what is beyond doubt. */
async function buildSome(tx: Tx, tenant_id: string, closing: Closing): Promise<boolean> {
  const { closed_to, people, days_to } = closing
  for (let level = 0; level <= TOP_LEVEL; level++) {
    const most = PIECE[level]! * MARKS_PER_BLOCK
    const found = await readMarks(tx, tenant_id, 'people', level, closed_to, most)
    if (found.length === 0) continue
    const marks = await boundPiece(tx, tenant_id, level, found, PIECE[level]!)
    if (level === 0) await buildBase(tx, tenant_id, blocksOf(marks), people)
    else await buildAbove(tx, tenant_id, level, blocksOf(marks), people)
    await removeMarks(tx, tenant_id, 'people', level, marks)
    await markParents(tx, tenant_id, level, blocksOf(marks))
    return true
  }
  const found = await readMarks(tx, tenant_id, 'sums', HOUR_LEVEL, closed_to, HOURS_PIECE * 4)
  if (found.length === 0) return false
  const marks = await boundPiece(tx, tenant_id, HOUR_LEVEL, found, HOURS_PIECE)
  await replaceSums(tx, tenant_id, blocksOf(marks))
  await replaceDays(tx, tenant_id, keptDaysOf(blocksOf(marks), days_to))
  await removeMarks(tx, tenant_id, 'sums', HOUR_LEVEL, marks)
  return true
}

function keptDaysOf(hours: readonly number[], days_to: string | null): string[] {
  const days = new Set(hours.map(hour => dayOf(hour * HOUR)))
  return [...days].filter(day => days_to !== null && day < days_to)
}

const blocksOf = (marks: readonly Mark[]) => [...new Set(marks.map(mark => mark.block))]

/** As many blocks as a piece may have and, where rows are read, as many events; at least one block. */
async function boundPiece(
  tx: Tx,
  tenant_id: string,
  level: number,
  marks: readonly Mark[],
  most: number,
): Promise<Mark[]> {
  const blocks = blocksOf(marks).slice(0, most)
  if (level > HOUR_LEVEL) return marks.filter(mark => blocks.includes(mark.block))
  const counts = await countInBlocks(
    tx,
    tenant_id,
    blocks.map(block => ({ level, block })),
  )
  let events = 0
  const taken = new Set(
    blocks.filter((_, i) => {
      events += counts[i]!
      return i === 0 || events <= EVENTS_PIECE
    }),
  )
  return marks.filter(mark => taken.has(mark.block))
}

async function markParents(tx: Tx, tenant_id: string, level: number, blocks: readonly number[]) {
  if (level === TOP_LEVEL) return
  const parents = new Set(blocks.map(block => Math.floor(block / 8)))
  await addMarks(tx, tenant_id, 'people', level + 1, [...parents])
}

async function buildBase(tx: Tx, tenant_id: string, ids: readonly number[], next: number) {
  const cells = await readCells(
    tx,
    tenant_id,
    ids.map(block => ({ level: 0, block })),
  )
  const given = new Map<string, number>()
  const numbered = cells.map(cell => ({ ...cell, numbers: giveNumbers(cell, given, next) }))
  const rows = [...Map.groupBy(numbered, cell => cell.block)].map(([block, own]) => ({
    block,
    by_type: listPeople(own, 'type'),
    by_source: listPeople(own, 'source'),
    by_department: listPeople(own, 'department'),
  }))
  await numberPeople(tx, tenant_id, [...given.keys()], next)
  await replacePeople(tx, tenant_id, 0, ids, rows)
}

/** Whoever has no number yet gets the next one. */
function giveNumbers({ people }: Cell, given: Map<string, number>, next: number): number[] {
  return people.split(',').map(one => {
    if (!one.startsWith('emp_')) return Number(one)
    const number = given.get(one) ?? next + given.size
    given.set(one, number)
    return number
  })
}

type Numbered = Cell & { numbers: readonly number[] }

function listPeople(cells: readonly Numbered[], by: 'type' | 'source' | 'department'): Buffer {
  const lists = [...Map.groupBy(cells, cell => cell[by])].map(([value, own]) => {
    const numbers = new Set(own.flatMap(cell => cell.numbers))
    return [value, packNumbers([...numbers].sort((a, b) => a - b))] as const
  })
  return packLists(new Map(lists))
}

async function buildAbove(
  tx: Tx,
  tenant_id: string,
  level: number,
  blocks: readonly number[],
  people: number,
): Promise<void> {
  const rows: PeopleRow[] = []
  for (const block of blocks) {
    const parts = await readPeople(tx, tenant_id, level - 1, block * 8, block * 8 + 8)
    if (parts.length > 0) rows.push({ block, ...unite(parts, people) })
  }
  await replacePeople(tx, tenant_id, level, blocks, rows)
}

function unite(parts: readonly PeopleRow[], people: number) {
  const together = (read: (row: PeopleRow) => Buffer) => {
    const lists: NamedLists[] = parts.map(row => unpackLists(read(row)))
    return packLists(uniteLists(lists, people))
  }
  return {
    by_type: together(row => row.by_type),
    by_source: together(row => row.by_source),
    by_department: together(row => row.by_department),
  }
}
