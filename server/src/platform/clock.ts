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

let knownDay = Number.NaN
let knownText = ''

/** The UTC day of an instant as `YYYY-MM-DD`; most calls ask for the same day as the last. */
export function dayOf(at: Instant): string {
  const day = Math.floor(at / DAY)
  if (day !== knownDay) {
    knownDay = day
    knownText = new Date(day * DAY).toISOString().slice(0, 10)
  }
  return knownText
}

/** Seconds as PostgreSQL writes them; instants are whole milliseconds. */
export function readEpoch(text: string): Instant {
  return asInstant(Number(text))
}

export function asInstant(seconds: number): Instant {
  return Math.round(seconds * 1000)
}
