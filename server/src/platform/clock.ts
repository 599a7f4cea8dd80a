// Time is passed in everywhere, so that tests move it and one request sees one instant.

/** Milliseconds since the epoch, always a whole number. */
export type Instant = number

export type Clock = { now(): Instant }

export const systemClock: Clock = { now: () => Date.now() }

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The UTC day of an instant as `YYYY-MM-DD`. */
export function dayOf(at: Instant): string {
  return new Date(at).toISOString().slice(0, 10)
}
