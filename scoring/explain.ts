// Takes a score apart into what made it, so that its parts can be added up by hand.

import type { ScoringSettings } from './settings.ts'
import { decayTo, exactScore, type Share, type State, scoreAt, shareValue } from './state.ts'

/** A share worth less than this is not named on its own. */
const SMALLEST_NAMED = 0.05

/** So many are named at most. */
export const MOST_NAMED = 1000

// Two states count as equal within this; anything above it is missing from the kept shares.
const EQUAL_WITHIN = 1e-6
const NANO = 1e9

/**
 * All numbers have 9 decimals.
 * Invariant: starting_score + every named share + rest + older_than_retention + cap + edges =
 * exact, to the last decimal, and exact rounds to the score.
 */
export type Explanation<S> = {
  starting_score: number
  /** Those worth at least 0.05 in size, largest first, at most 1,000. */
  named: { share: S; current_impact: number }[]
  /** Whether others are worth as much. */
  truncated: boolean
  /** The shares that are not named, and what rounding leaves. */
  rest: { count: number; current_impact: number }
  /** What the state holds beyond the shares still kept. */
  older_than_retention: number
  risk: number
  recovery: number
  /** What the cap takes from recovery: 0 or below. */
  cap: number
  /** What the edges 0 and 100 add or take. */
  edges: number
  exact: number
  score: number
}

/** Shares by their number and by what they are worth together. */
export type Others = { count: number; worth: number }

/**
 * Invariant: `shares`, more than can be named if there are, and `others`, of which none is larger, are those that counted in
 * `state`; `at` is not before its `as_of`.
 */
export function explain<S extends Share>(
  state: State,
  settings: ScoringSettings,
  at: number,
  shares: readonly S[],
  others: Others = { count: 0, worth: 0 },
): Explanation<S> {
  const { risk, recovery } = decayTo(state, settings, at)
  const worth = shares.map(share => ({ share, value: shareValue(share, settings, at) }))
  const large = worth.filter(({ value }) => Math.abs(value) >= SMALLEST_NAMED)
  large.sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
  const named = large.slice(0, MOST_NAMED)
  const known = worth.reduce((sum, { value }) => sum + value, others.worth)
  const older = nano(missing(known, risk, recovery))
  const cap = nano(Math.min(0, settings.recovery_cap - recovery))
  const unclamped = nano(exactScore(state, settings, at))
  const exact = Math.min(100 * NANO, Math.max(0, unclamped))
  const told = named.reduce((sum, { value }) => sum + nano(value), 0)
  const rest = unclamped - settings.starting_score * NANO - told - older - cap
  return {
    starting_score: settings.starting_score,
    named: named.map(({ share, value }) => ({ share, current_impact: nano(value) / NANO })),
    truncated: large.length > named.length,
    rest: {
      count: worth.length + others.count - named.length,
      current_impact: rest / NANO,
    },
    older_than_retention: older / NANO,
    risk: nano(risk) / NANO,
    recovery: nano(recovery) / NANO,
    cap: cap / NANO,
    edges: (exact - unclamped) / NANO,
    exact: exact / NANO,
    score: scoreAt(state, settings, at),
  }
}

/** Adding 0 turns -0 into 0. */
function nano(value: number): number {
  return Math.round(value * NANO) + 0
}

function missing(known: number, risk: number, recovery: number): number {
  const difference = risk + recovery - known
  return Math.abs(difference) < EQUAL_WITHIN ? 0 : difference
}
