// Which recorded firings have to be read before events can be scored under their cooldowns. Pure.
import { type CompiledRule, candidates, type RuleBook } from '../../../scoring/rules.ts'
import { ENGINE_SOURCE, STREAK_EVENT_TYPE } from '../../../scoring/streak.ts'
import { type Standing, scoringTime } from '../employees/standing.ts'
import type { Instant } from '../platform/clock.ts'
import type { ScoringBasis } from '../tenants/scoring-basis.ts'
import { MAX_FUTURE_MS } from './event-input.ts'

/**
 * Which firings decide whether a rule may fire, and when again: of this rule, for this employee, from one
 * cooldown before the event on. What fired later counts as well, for an event may be late.
 */
export type FiringQuestion = {
  /** An employee's id; their address, where that is all that is known yet. */
  who: string
  rule_id: string
  after: Instant
  before: Instant
  cooldown_ms: number
}

/** Of the rules that mean an event of this instant. */
export function firingQuestions(
  meant: readonly CompiledRule[],
  who: string,
  timestamp: Instant,
  now: Instant,
): FiringQuestion[] {
  // Nothing has fired later than an event may be dated.
  const last = Math.max(timestamp, now) + MAX_FUTURE_MS
  return meant
    .filter(rule => rule.cooldown_ms > 0)
    .map(rule => ({
      who,
      rule_id: rule.id,
      after: timestamp - rule.cooldown_ms,
      before: last + rule.cooldown_ms,
      cooldown_ms: rule.cooldown_ms,
    }))
}

/** One question for each rule and employee, so that many late events of one read their firings once. */
export function mergeQuestions(asked: readonly FiringQuestion[]): FiringQuestion[] {
  if (asked.length < 2) return [...asked]
  const merged = new Map<string, FiringQuestion>()
  for (const one of asked) {
    const key = `${one.who} ${one.rule_id}`
    const known = merged.get(key)
    if (!known) merged.set(key, { ...one })
    else {
      known.after = Math.min(known.after, one.after)
      known.before = Math.max(known.before, one.before)
    }
  }
  return [...merged.values()]
}

/** The same for streaks that will be applied on the way; there may be several up to the time of scoring. */
export function streakQuestions(
  book: RuleBook,
  { clean_streak_days: days }: Pick<ScoringBasis, 'clean_streak_days'>,
  standing: Standing,
  now: Instant,
): FiringQuestion[] {
  const due = standing.streak_due_at
  const until = scoringTime(standing, now)
  if (due === null || due > until) return []
  const streak = {
    type: STREAK_EVENT_TYPE,
    source: ENGINE_SOURCE,
    timestamp: due,
    details: { days },
  }
  return candidates(book, streak)
    .filter(rule => rule.cooldown_ms > 0)
    .map(rule => ({
      who: standing.employee_id,
      rule_id: rule.id,
      after: due - rule.cooldown_ms,
      before: until + rule.cooldown_ms,
      cooldown_ms: rule.cooldown_ms,
    }))
}
