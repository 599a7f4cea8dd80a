// What one rule would have done to people in a window, with everything else as recorded. Pure.
import { coolingAt, type Firings, openFirings } from '../../../scoring/firings.ts'
import { type CompiledRule, coolingUntil } from '../../../scoring/rules.ts'
import type { ScoringSettings } from '../../../scoring/settings.ts'
import { addShare, removeShare, type Share, type State, scoreAt } from '../../../scoring/state.ts'
import type { Instant } from '../platform/clock.ts'

/**
 * The rule's firings and the shares they replace, by employee. Everyone has a number and every share a
 * place in a chain: a million people are a few long lists, not millions of small ones.
 */
export type Trials = {
  rule: Pick<CompiledRule, 'impact' | 'cooldown_ms'>
  numbers: Map<string, number>
  /** By number: the last firing, for it alone can still cool; and how often the rule fired. */
  cooling: Instant[]
  fired: number[]
  /** By number: the last share of each chain, or NONE. */
  given: number[]
  replaced: number[]
  /** Firings of removed events, which stay; few have any. */
  folded: Map<number, Firings>
  /** By place. */
  impact: number[]
  dated_at: Instant[]
  before: number[]
}

const NONE = -1

export function openTrials(rule: Trials['rule']): Trials {
  const lists = { cooling: [], fired: [], given: [], replaced: [], impact: [], dated_at: [] }
  return { rule, numbers: new Map(), ...lists, folded: new Map(), before: [] }
}

function numberOf(trials: Trials, employee_id: string): number {
  const known = trials.numbers.get(employee_id)
  if (known !== undefined) return known
  const number = trials.numbers.size
  trials.numbers.set(employee_id, number)
  trials.cooling.push(-Infinity)
  trials.fired.push(0)
  trials.given.push(NONE)
  trials.replaced.push(NONE)
  return number
}

function chain(trials: Trials, ends: number[], number: number, share: Share): void {
  trials.impact.push(share.impact)
  trials.dated_at.push(share.dated_at)
  trials.before.push(ends[number]!)
  ends[number] = trials.before.length - 1
}

/** A firing before the window: it stays and cools. */
export function noteEarlierFiring(trials: Trials, employee_id: string, at: Instant): void {
  const number = numberOf(trials, employee_id)
  trials.cooling[number] = Math.max(trials.cooling[number]!, at)
}

/** Invariant: called in order of time, before any match. */
export function noteFoldedFiring(trials: Trials, employee_id: string, at: Instant): void {
  const number = numberOf(trials, employee_id)
  const known = trials.folded.get(number)
  if (known === undefined) trials.folded.set(number, openFirings([at]))
  else known.later.push(at)
}

export function noteReplaced(trials: Trials, employee_id: string, share: Share): void {
  chain(trials, trials.replaced, numberOf(trials, employee_id), share)
}

/** An event that type and conditions match. Invariant: called in order of timestamp, then id. */
export function noteMatch(
  trials: Trials,
  employee_id: string,
  timestamp: Instant,
  dated_at: Instant,
): void {
  const number = numberOf(trials, employee_id)
  const { impact, cooldown_ms } = trials.rule
  if (cooldown_ms > 0) {
    if (coolingUntil([trials.cooling[number]!], cooldown_ms, timestamp) !== null) return
    const folded = trials.folded.get(number)
    if (folded && coolingAt(folded, cooldown_ms, timestamp) !== null) return
  }
  trials.cooling[number] = timestamp
  trials.fired[number]! += 1
  chain(trials, trials.given, number, { impact, dated_at })
}

/** Whom the rule touches or touched, in no order. */
export function listTouched({ numbers, given, replaced }: Trials): string[] {
  const touched: string[] = []
  for (const [employee_id, number] of numbers) {
    if (given[number] !== NONE || replaced[number] !== NONE) touched.push(employee_id)
  }
  return touched
}

/** Where an active employee stands. */
export type Place = {
  employee_id: string
  state: State
  /** Infinity for never. */
  next_change_at: Instant
}

export type Trial = { fired: number; projected_score: number }

/** Invariant: somebody the rule touches or touched. */
export function tryRule(
  trials: Trials,
  place: Place,
  settings: ScoringSettings,
  now: Instant,
): Trial {
  const at = instantOf(place, now)
  const number = trials.numbers.get(place.employee_id)!
  let { state } = place
  const shareOf = (at_: number): Share => {
    const dated_at = Math.min(trials.dated_at[at_]!, at)
    return { impact: trials.impact[at_]!, dated_at }
  }
  for (let i = trials.replaced[number]!; i !== NONE; i = trials.before[i]!) {
    state = removeShare(state, settings, shareOf(i), at)
  }
  for (let i = trials.given[number]!; i !== NONE; i = trials.before[i]!) {
    state = addShare(state, settings, shareOf(i), at)
  }
  return { fired: trials.fired[number]!, projected_score: scoreAt(state, settings, at) }
}

/** Now; or, where a change is overdue, the last instant at which the stored score was still right. */
function instantOf({ state, next_change_at }: Place, now: Instant): Instant {
  const at = next_change_at <= now ? next_change_at - 1 : now
  return Math.max(at, state.as_of)
}
