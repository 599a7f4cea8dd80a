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

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** What a Retry-After header asks for, in milliseconds: seconds or a date; null when it says nothing usable. */
export function readRetryAfter(text: string | undefined, now: Instant): number | null {
  if (text === undefined) return null
  if (/^\d{1,10}$/.test(text.trim())) return Number(text) * SECOND
  const at = HTTP_DATE.test(text.trim()) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
