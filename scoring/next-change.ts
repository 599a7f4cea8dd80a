// Finds when time alone next moves an integer score, so that stored scores can be kept true.

import { DAY_MS } from './durations.ts'
import type { ScoringSettings } from './settings.ts'
import { decayFactor, type State, scoreAt } from './state.ts'

// exactScore rounds to 9 decimals, so a half is reached this much early.
const ROUNDING = 0.5e-9

/**
 * The first millisecond after `as_of` whose integer score differs from the one at `as_of`, or null.
 *
 * The exact score is monotone on two pieces: while recovery is above its cap it rises as risk
 * fades; afterwards it goes straight toward the starting score.
 *
 * Invariant: start and cap are whole numbers, so at every half the fading part is at least 0.5 in
 * size and one millisecond moves it by far more than floating point error: scoreAt itself never
 * wavers around a change.
 */
export function nextChangeAt(state: State, settings: ScoringSettings): number | null {
  const before = scoreAt(state, settings)
  const start = settings.starting_score
  let from = state.as_of
  if (state.recovery > settings.recovery_cap) {
    const until = lastAboveCap(state, settings)
    if (scoreAt(state, settings, until) !== before) {
      const near = guess(state, settings, state.risk, before + 0.5 - start - settings.recovery_cap)
      return firstDiffering(state, settings, before, near, from, until)
    }
    if (until === Infinity) return null
    // Recovery meets its cap between two milliseconds: only here can the score rise, then fall.
    if (scoreAt(state, settings, until + 1) !== before) return until + 1
    from = until + 1
  }
  if (before === start) return null
  const edge = before < start ? before + 0.5 : before - 0.5
  const near = guess(state, settings, state.risk + state.recovery, edge - start)
  return firstDiffering(state, settings, before, near, from, Infinity)
}

/** The last millisecond at which exactScore still takes the cap for the recovery. */
function lastAboveCap(state: State, settings: ScoringSettings): number {
  const cap = settings.recovery_cap
  if (cap === 0) return Infinity
  const half_life = settings.half_life_days * DAY_MS
  let at = state.as_of + Math.floor(half_life * Math.log2(state.recovery / cap))
  const capped = (t: number) => state.recovery * decayFactor(settings, state.as_of, t) >= cap
  while (!capped(at)) at -= 1
  while (capped(at + 1)) at += 1
  return at
}

/** When a part worth `fading` at `as_of` has shrunk to `rest`, give or take floating point. */
function guess(state: State, settings: ScoringSettings, fading: number, rest: number): number {
  const half_lives = Math.log2(fading / (rest - ROUNDING))
  return state.as_of + Math.ceil(half_lives * settings.half_life_days * DAY_MS)
}

/**
 * Corrects `near`, at most a millisecond or two off, to the exact millisecond.
 * Invariant: the score is `before` at `from`, and leaves it once and for good at or before `to`.
 */
function firstDiffering(
  state: State,
  settings: ScoringSettings,
  before: number,
  near: number,
  from: number,
  to: number,
): number {
  const differs = (t: number) => scoreAt(state, settings, t) !== before
  let at = Math.min(to, Math.max(from + 1, near))
  while (!differs(at)) at += 1
  while (at - 1 > from && differs(at - 1)) at -= 1
  return at
}
