// Whether the machine itself stood still: a copy of what was under way then is explained by it. Pure.
import type { Window } from './arrivals.ts'

/** Longer than a turn of a busy loop, shorter than any deadline of the fault tests. */
const STILL_MS = 1_000

/** To be asked many times a second; tells of the time since it was last asked, where that was long. */
export function watchForStalls(): (now: number) => Window | null {
  let last: number | null = null
  return now => {
    const began = last ?? now
    last = now
    if (now - began < STILL_MS) return null
    // Nobody could count what was in flight.
    const leased = Number.POSITIVE_INFINITY
    return { name: 'the machine stood still', began, ended: now, leased }
  }
}
