// An employee's standing as three numbers, and the score they make at an instant.

import { DAY_MS } from './durations.ts'
import type { Band, BandEdges, ScoringSettings } from './settings.ts'

/** The sums of negative (risk ≤ 0) and positive (recovery ≥ 0) shares, as worth at `as_of`. */
export type State = { risk: number; recovery: number; as_of: number }

/** What one firing of a rule gives. Invariant: never valued before `dated_at`. */
export type Share = { impact: number; dated_at: number }

// What floating point leaves behind when the last share of a sum is taken out again.
const RESIDUE = 1e-9

export function emptyState(at: number): State {
  return { risk: 0, recovery: 0, as_of: at }
}

export function decayFactor(settings: ScoringSettings, from: number, to: number): number {
  return 2 ** ((from - to) / (settings.half_life_days * DAY_MS))
}

export function shareValue(share: Share, settings: ScoringSettings, at: number): number {
  return share.impact * decayFactor(settings, share.dated_at, at)
}

/** Scoring time never runs back: an instant before `as_of` leaves the state as it is. */
export function decayTo(state: State, settings: ScoringSettings, at: number): State {
  if (at <= state.as_of) return state
  const factor = decayFactor(settings, state.as_of, at)
  // Adding 0 turns the -0 of an underflow into 0.
  return { risk: state.risk * factor + 0, recovery: state.recovery * factor, as_of: at }
}

export function addShare(state: State, settings: ScoringSettings, share: Share, at: number): State {
  const { risk, recovery, as_of } = decayTo(state, settings, at)
  const value = shareValue(share, settings, as_of)
  if (value < 0) return { risk: risk + value, recovery, as_of }
  return { risk, recovery: recovery + value, as_of }
}

export function removeShare(
  state: State,
  settings: ScoringSettings,
  share: Share,
  at: number,
): State {
  const { risk, recovery, as_of } = decayTo(state, settings, at)
  const value = shareValue(share, settings, as_of)
  if (value < 0) return { risk: 0 - withoutResidue(value - risk), recovery, as_of }
  return { risk, recovery: withoutResidue(recovery - value), as_of }
}

function withoutResidue(size: number): number {
  return size < RESIDUE ? 0 : size
}

/** The score before it is clamped and made whole. Before `as_of` it is the one at `as_of`. */
export function exactScore(
  state: State,
  settings: ScoringSettings,
  at: number = state.as_of,
): number {
  const factor = decayFactor(settings, state.as_of, Math.max(at, state.as_of))
  const recovery = Math.min(settings.recovery_cap, state.recovery * factor)
  const exact = settings.starting_score + recovery + state.risk * factor
  return Math.round(exact * 1e9) / 1e9 + 0
}

export function scoreAt(state: State, settings: ScoringSettings, at: number = state.as_of): number {
  // Math.round rounds halves up.
  return Math.round(Math.min(100, Math.max(0, exactScore(state, settings, at))))
}

export function bandOf(score: number, edges: BandEdges): Band {
  if (score >= edges.green) return 'green'
  if (score >= edges.yellow) return 'yellow'
  if (score >= edges.orange) return 'orange'
  return score >= edges.red ? 'red' : 'critical'
}
