// Time is passed in everywhere, so that tests move it and one request sees one instant.

/** Milliseconds since the epoch, always a whole number. */
export type Instant = number

export type Clock = { now(): Instant }

export const systemClock: Clock = { now: () => Date.now() }

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Processes' clocks may disagree by this much; one that is further ahead was wrong. */
export const MOST_AHEAD_MS = MINUTE

/** Days asked for before; nearly all calls ask for a few hundred. */
const knownDays = new Map<number, string>()
const MOST_DAYS = 5000

/** The UTC day of an instant as `YYYY-MM-DD`. */
export function dayOf(at: Instant): string {
  const day = Math.floor(at / DAY)
  const known = knownDays.get(day)
  if (known !== undefined) return known
  if (knownDays.size >= MOST_DAYS) knownDays.clear()
  const text = new Date(day * DAY).toISOString().slice(0, 10)
  knownDays.set(day, text)
  return text
}

const TWO_DIGITS = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'))
const THREE_DIGITS = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'))
const YEAR_10000 = Date.UTC(10_000, 0)

/** What `toISOString` gives, in a fifth of the time. */
export function isoOf(at: Instant): string {
  if (!(at >= 0 && at < YEAR_10000)) return new Date(at).toISOString()
  const rest = at % DAY
  const minutes = Math.floor(rest / MINUTE)
  const seconds = Math.floor((rest % MINUTE) / SECOND)
  const clock = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds]}`
  return `${dayOf(at)}T${clock}.${THREE_DIGITS[rest % SECOND]}Z`
}

/** Seconds as PostgreSQL writes them; instants are whole milliseconds. */
export function readEpoch(text: string): Instant {
  return asInstant(Number(text))
}

export function asInstant(seconds: number): Instant {
  return Math.round(seconds * 1000)
}
