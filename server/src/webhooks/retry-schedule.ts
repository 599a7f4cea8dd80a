// When a delivery is tried again: the schedule of the contract, lengthened by Retry-After, never early.
import { HOUR, type Instant, MINUTE, SECOND } from '../platform/clock.ts'

/** Delays before each attempt, counted from the end of the one before. */
export const DELAYS: readonly number[] = [0, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR]
export const MOST_ATTEMPTS = DELAYS.length
const JITTER = 0.1

/**
 * The instant of the next attempt, or null when all are used up.
 * `made` counts the attempts of this round, `wait_ms` is what the receiver asked for, `random` is in [0, 1).
 */
export function nextAttemptAt(
  made: number,
  ended_at: Instant,
  wait_ms: number | null,
  random: number,
): Instant | null {
  const step = DELAYS[made]
  if (step === undefined) return null
  const asked = Math.max(step, wait_ms ?? 0)
  const delay = Math.min(asked + step * JITTER * random, 2 * step)
  return ended_at + Math.ceil(delay)
}

/** The date of HTTP, and the two that it had before and that are still to be read (RFC 9110, 5.6.7). */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
]

/** What a Retry-After header asks for, in milliseconds: seconds or a date; null when it says nothing usable. */
export function readRetryAfter(text: string | undefined, now: Instant): number | null {
  const asked = text?.trim() ?? ''
  if (/^\d+$/.test(asked)) return Number(asked) * SECOND
  const at = readHttpDate(asked, now)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

function readHttpDate(text: string, now: Instant): number {
  for (const form of HTTP_DATES) {
    const parts = form.exec(text)?.groups
    if (!parts) continue
    const { day, month, year, time } = parts
    return Date.parse(`${day} ${month} ${wholeYear(year!, now)} ${time} GMT`)
  }
  return Number.NaN
}

/** Of two digits: the year that ends so and is at most 50 years ahead. */
function wholeYear(year: string, now: Instant): string {
  if (year.length > 2) return year
  const latest = new Date(now).getUTCFullYear() + 50
  return String(latest - ((latest - Number(year)) % 100))
}
