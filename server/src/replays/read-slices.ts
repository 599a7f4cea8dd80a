// Reads a span of time in slices of about even size, however unevenly it is filled; the next while one is used.
import { asInstant, type Instant } from '../platform/clock.ts'
import { letSend } from '../platform/let-send.ts'
import { BREAK, type Lists, type Slice, TIME_BYTES } from './dry-run.queries.ts'

const WANTED = 20_000
const MOST = 4 * WANTED
const FIRST_PARTS = 32
const FASTEST = 8
const EVERYTHING = 2_147_483_647

type Each = (employee_id: string, timestamp: Instant, dated_at: Instant, more: string) => void

/** The rows of a slice in order of time; where there are more than the limit, the first of them. */
type Read = (slice: Slice, limit: number) => Promise<Lists>

/** Calls back for every row, in the order read. */
export async function readSlices({ from, to }: Slice, read: Read, each: Each): Promise<void> {
  const width = Math.ceil((to - from + 1) / FIRST_PARTS)
  let asked: Asked | null = from > to ? null : ask(read, from, from + width - 1, to)
  while (asked) {
    const { slice, reading }: Asked = asked
    const columns = split(await reading)
    const end = endOfWhole(slice, columns)
    // What happened in a single millisecond cannot be split.
    const whole = end < slice.from ? split(await read(instant(slice.from), EVERYTHING)) : columns
    const done = Math.max(end, slice.from)
    asked = done >= to ? null : ask(read, done + 1, done + nextWidth(slice, done, whole), to)
    await letSend()
    use(whole, done, each)
  }
}

type Asked = { slice: Slice; reading: Promise<Lists> }

function ask(read: Read, from: Instant, to: Instant, last: Instant): Asked {
  const slice = { from, to: Math.min(to, last) }
  const reading = read(slice, MOST + 1)
  // Should using the rows before it fail, a read that nobody awaits must not end the process.
  reading.catch(() => {})
  return { slice, reading }
}

const instant = (at: Instant): Slice => ({ from: at, to: at })

/** Up to where every row was read: of a cut list the last instant may lack some. */
function endOfWhole(slice: Slice, { ids, times }: Columns): Instant {
  return ids.length > MOST ? timeAt(times, 2 * (ids.length - 1)) - 1 : slice.to
}

function nextWidth({ from }: Slice, done: Instant, { ids }: Columns): number {
  const growth = Math.min(FASTEST, WANTED / Math.max(1, ids.length))
  return Math.max(1, Math.ceil((done - from + 1) * growth))
}

type Columns = { ids: string[]; times: Buffer; more: string[] | null }

function split({ ids, times, more }: Lists): Columns {
  if (ids === null) return { ids: [], times: Buffer.alloc(0), more: null }
  return { ids: ids.split(BREAK), times: times!, more: more?.split(BREAK) ?? null }
}

function timeAt(times: Buffer, place: number): Instant {
  return asInstant(times.readDoubleBE(place * TIME_BYTES))
}

function use({ ids, times, more }: Columns, end: Instant, each: Each): void {
  for (let i = 0; i < ids.length; i++) {
    const timestamp = timeAt(times, 2 * i)
    if (timestamp > end) return
    each(ids[i]!, timestamp, timeAt(times, 2 * i + 1), more === null ? '' : more[i]!)
  }
}
