// Reads a span of time in slices of about even size, however unevenly it is filled; the next while one is used.
import { asInstant, type Instant } from '../platform/clock.ts'
import { createPauses } from '../platform/in-pauses.ts'
import { letSend } from '../platform/let-send.ts'
import { BREAK, type Lists, type Slice, TIME_BYTES } from './dry-run.queries.ts'

const WANTED = 20_000
const MOST = 4 * WANTED
/** Rows of the first read, of which nobody knows yet how much they weigh: of an earlier release up to 1.5 MB each. */
const MOST_AT_FIRST = 100
/** Characters of a read; where rows weigh much there are fewer of them. */
const MOST_TEXT = 32 * 1024 * 1024
const FIRST_PARTS = 32
const FASTEST = 8
const EVERYTHING = 2_147_483_647

type Each = (employee_id: string, timestamp: Instant, dated_at: Instant, more: string) => void

/** The rows of a slice in order of time; where there are more than the limit, the first of them. */
type Read = (slice: Slice, limit: number) => Promise<Lists>

/** Calls back for every row, in the order read. */
export async function readSlices({ from, to }: Slice, read: Read, each: Each): Promise<void> {
  const width = Math.ceil((to - from + 1) / FIRST_PARTS)
  let asked: Asked | null = from > to ? null : ask(read, from, from + width - 1, to, MOST_AT_FIRST)
  while (asked) {
    const { slice, most, reading }: Asked = asked
    const lists = await reading
    const columns = split(lists)
    const end = endOfWhole(slice, columns, most)
    // What happened in a single millisecond cannot be split.
    const whole = end < slice.from ? split(await read(instant(slice.from), EVERYTHING)) : columns
    const done = Math.max(end, slice.from)
    const last = done + nextWidth(slice, done, whole)
    asked = done >= to ? null : ask(read, done + 1, last, to, nextMost(lists))
    await letSend()
    await use(whole, done, each)
  }
}

type Asked = { slice: Slice; most: number; reading: Promise<Lists> }

function ask(read: Read, from: Instant, to: Instant, last: Instant, most: number): Asked {
  const slice = { from, to: Math.min(to, last) }
  const reading = read(slice, most + 1)
  // Should using the rows before it fail, a read that nobody awaits must not end the process.
  reading.catch(() => {})
  return { slice, most, reading }
}

const instant = (at: Instant): Slice => ({ from: at, to: at })

/** Up to where every row was read: of a cut list the last instant may lack some. */
function endOfWhole(slice: Slice, { ids, times }: Columns, most: number): Instant {
  return ids.length > most ? timeAt(times, 2 * (ids.length - 1)) - 1 : slice.to
}

function nextWidth({ from }: Slice, done: Instant, { ids }: Columns): number {
  const growth = Math.min(FASTEST, WANTED / Math.max(1, ids.length))
  return Math.max(1, Math.ceil((done - from + 1) * growth))
}

/** How many rows the next read may have, judged by what those of this one weigh. */
function nextMost({ rows, more }: Lists): number {
  const each = Math.max(1, (more?.length ?? 0) / Math.max(1, rows))
  return Math.max(1, Math.min(MOST, Math.floor(MOST_TEXT / each)))
}

type Columns = { ids: string[]; times: Buffer; more: string[] | null }

function split({ ids, times, more }: Lists): Columns {
  if (ids === null) return { ids: [], times: Buffer.alloc(0), more: null }
  return { ids: ids.split(BREAK), times: times!, more: more?.split(BREAK) ?? null }
}

function timeAt(times: Buffer, place: number): Instant {
  return asInstant(times.readDoubleBE(place * TIME_BYTES))
}

async function use({ ids, times, more }: Columns, end: Instant, each: Each): Promise<void> {
  const pauses = createPauses()
  for (let i = 0; i < ids.length; i++) {
    const timestamp = timeAt(times, 2 * i)
    if (timestamp > end) return
    each(ids[i]!, timestamp, timeAt(times, 2 * i + 1), more === null ? '' : more[i]!)
    if (pauses.isDue()) await pauses.take()
  }
}
