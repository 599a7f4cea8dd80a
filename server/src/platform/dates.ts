// Dates in requests: an ISO date (a whole UTC day) or a date-time with a zone, never a guess.
import { DAY, type Instant } from './clock.ts'
import { invalid } from './errors.ts'
import { patternSaid, wordsOf } from './say-fault.ts'

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const MOMENT =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,]\d{1,9})?)?([Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/

/** The form of a date of a query; which days there are, `parseSpan` knows. */
export const DATE_OR_MOMENT = patternSaid(
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:[Zz]|[+ -][0-9]{2}:?[0-9]{2}))?$',
  'must be an ISO 8601 date (2026-03-01) or date-time with zone (2026-03-01T09:00:00Z)',
)

/** The last of November is not the 31st, and whoever sent it has kept to the form. */
const NONE_SUCH = 'must be an ISO 8601 date or date-time that exists'

const NO_MOMENT = 'must be an ISO 8601 date-time with zone (2026-03-01T09:00:00Z)'
const NO_SUCH_MOMENT = 'must be an ISO 8601 date-time that exists'
const TOO_EARLY = 'must not be before 1970'

const YEAR_MIN = 1
const YEAR_MAX = 9999
const LAST_MOMENT = Date.UTC(YEAR_MAX + 1, 0, 1) - 1
/** A window that ends later means the same, and its last day has a day after it that PostgreSQL can read. */
const LAST_OF_WINDOWS = LAST_MOMENT - DAY

/** A date-time with a zone as an instant since 1970, or null; days that do not exist are refused. */
export function parseMoment(text: string): Instant | null {
  const at = readMoment(text)
  return at !== null && at >= 0 ? at : null
}

/** What is wrong with a text of which `parseMoment` gives null. */
export function sayNoMoment(text: string): string {
  if (readMoment(text) !== null) return TOO_EARLY
  const isOfForm = /^\S+[Tt]\S+$/.test(text) && new RegExp(DATE_OR_MOMENT).test(text)
  return isOfForm ? NO_SUCH_MOMENT : NO_MOMENT
}

function readMoment(text: string): Instant | null {
  const match = MOMENT.exec(text)
  if (!match || !existsInCalendar(match)) return null
  const at = Date.parse(normalise(text))
  // Also in UTC: the zone may move it out of the years that are known.
  return at <= LAST_MOMENT ? at : null
}

/** Date.parse knows neither a comma nor a zone without colon, nor more than milliseconds exactly. */
function normalise(text: string): string {
  return text
    .toUpperCase()
    .replace(',', '.')
    .replace(/\.(\d{3})\d+/, '.$1')
    .replace(/([+-]\d{2})(\d{2})$/, '$1:$2')
}

function existsInCalendar(match: RegExpExecArray): boolean {
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (year < YEAR_MIN || year > YEAR_MAX || month < 1 || month > 12 || day < 1) return false
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** The first and last millisecond that a query's date stands for, or null; they may be before 1970. */
export function parseSpan(text: string): { first: Instant; last: Instant } | null {
  const date = DATE.exec(text)
  if (date) {
    if (!existsInCalendar(date)) return null
    const first = Date.parse(`${text}T00:00:00Z`)
    return within({ first, last: first + DAY - 1 })
  }
  // A plus sign that is not percent-encoded arrives from a query string as a space.
  const at = readMoment(text.replace(/ (?=\d{2}:?\d{2}$)/, '+'))
  return at === null ? null : within({ first: at, last: at })
}

function within({ first, last }: { first: Instant; last: Instant }) {
  return { first: Math.min(first, LAST_OF_WINDOWS), last: Math.min(last, LAST_OF_WINDOWS) }
}

export type Window = { from: Instant | null; to: Instant | null }

/**
 * `from` and `to` of a query, both inclusive; `under` is what stands before their names in a body. A window that begins
 * before 1970 means the same as one that begins then.
 */
export function readWindow(query: { from?: string; to?: string }, under = ''): Window {
  const from =
    query.from === undefined ? null : Math.max(0, readSpan(`${under}from`, query.from).first)
  const to = query.to === undefined ? null : readSpan(`${under}to`, query.to).last
  if (to !== null && to < 0) {
    throw invalid([{ path: `${under}to`, message: TOO_EARLY }])
  }
  if (from !== null && to !== null && from > to) {
    throw invalid([{ path: `${under}from`, message: 'must not be after to' }])
  }
  return { from, to }
}

/** The same as `parseSpan`; what is no date is refused by its name. */
export function readSpan(path: string, text: string): { first: Instant; last: Instant } {
  const span = parseSpan(text)
  if (span) return span
  const message = new RegExp(DATE_OR_MOMENT).test(text) ? NONE_SUCH : wordsOf(DATE_OR_MOMENT)
  throw invalid([{ path, message }])
}

/** A window with both ends: `to` defaults to now, `from` to what goes with it, 30 days before unless told. */
export function readWindowWithDefaults(
  query: { from?: string; to?: string },
  now: Instant,
  fromOf = (to: Instant) => to - 30 * DAY,
): { from: Instant; to: Instant } {
  const { from, to } = readWindow(query)
  const end = to ?? now
  const start = from ?? fromOf(end)
  if (start > end) {
    throw invalid([{ path: 'from', message: 'must not be in the future unless to is given' }])
  }
  return { from: start, to: end }
}
