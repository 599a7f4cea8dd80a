// When one rule fired for one employee, as a log that runs forward sees it: of the firings so far only the last can still
// cool anything. Those known beforehand, of which there may be very many, are gone through once, not for each event.

export type Firings = {
  last: number
  /** Known beforehand, in order of time; those before `next` have been passed. */
  readonly later: number[]
  next: number
  /** Until when each of them cools together with those that follow it closely; made when it is first asked for. */
  ends: readonly number[] | null
}

/** Known beforehand, in any order. */
export function openFirings(timestamps: readonly number[]): Firings {
  return { last: -Infinity, later: timestamps.toSorted((a, b) => a - b), next: 0, ends: null }
}

/** Invariant: at or behind all that was noted or asked for. */
export function noteFiring(firings: Firings, at: number): void {
  firings.last = Math.max(firings.last, at)
}

/** What `coolingUntil` says of all of them. Invariant: the cooldown is always the same. */
export function coolingAt(firings: Firings, cooldown_ms: number, at: number): number | null {
  pass(firings, at)
  const { last, later, next } = firings
  const until = at - last < cooldown_ms ? last + cooldown_ms : at
  const isReached = next < later.length && later[next]! - until < cooldown_ms
  if (!isReached) return until === at ? null : until
  firings.ends ??= endsOf(later, cooldown_ms)
  return firings.ends[next]!
}

/** Those that can cool something from here on. */
export function listFirings(firings: Firings, at: number): readonly number[] {
  pass(firings, at)
  const { last, later, next } = firings
  return [last].concat(later.slice(next))
}

function pass(firings: Firings, at: number): void {
  const { later } = firings
  for (; firings.next < later.length && later[firings.next]! <= at; firings.next++) {
    noteFiring(firings, later[firings.next]!)
  }
}

function endsOf(later: readonly number[], cooldown_ms: number): readonly number[] {
  const ends = later.map(timestamp => timestamp + cooldown_ms)
  for (let i = later.length - 2; i >= 0; i--) {
    if (later[i + 1]! - ends[i]! < cooldown_ms) ends[i] = ends[i + 1]!
  }
  return ends
}
