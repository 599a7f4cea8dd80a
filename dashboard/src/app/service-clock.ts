// What time it is for the service. A viewer's clock may be wrong by hours; what is asked for and said must not be.

/** Clocks that disagree by less do little harm. */
const TOLERATED_MS = 5 * 60_000

let ahead_ms = 0

/** Learns it from the date of an answer, which was made between two instants of the viewer's clock. */
export function learnTime(date: string | null, asked_at: number, answered_at: number): void {
  const made_at = Date.parse(date ?? '')
  if (Number.isNaN(made_at)) return
  const within = Math.min(answered_at, Math.max(asked_at, made_at))
  ahead_ms = Math.abs(within - made_at) > TOLERATED_MS ? within - made_at : 0
}

export const serviceNow = (): number => Date.now() - ahead_ms

/** The day it is there in UTC, or was so many days ago. */
export const serviceDay = (days_ago = 0): string =>
  new Date(serviceNow() - days_ago * 86_400_000).toISOString().slice(0, 10)
