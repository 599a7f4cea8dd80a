// Which recorded firings have to be read before events can be scored under their cooldowns. Pure.
import { candidates, type RuleBook } from '../../../scoring/rules.ts'
import { ENGINE_SOURCE, STREAK_EVENT_TYPE } from '../../../scoring/streak.ts'
import type { Standing } from '../employees/standing.ts'
import type { Instant } from '../platform/clock.ts'
import type { Submitted } from './score-batch.ts'

/** Which firings decide whether a rule may fire: of this rule, for this employee, nearer than its cooldown. */
export type FiringQuestion = {
  employee_id: string
  rule_id: string
  after: Instant
  before: Instant
}

export function firingQuestions(
  book: RuleBook,
  standing: Standing,
  submitted: Submitted,
  now: Instant,
): FiringQuestion[] {
  const { employee_id } = standing
  const ask = (event: Submitted, last: Instant) =>
    candidates(book, event)
      .filter(rule => rule.cooldown_ms > 0)
      .map(rule => ({
        employee_id,
        rule_id: rule.id,
        after: event.timestamp - rule.cooldown_ms,
        before: last + rule.cooldown_ms,
      }))
  return [...ask(submitted, submitted.timestamp), ...streakQuestions(book, standing, now)]
}

/** The same for streaks that will be applied on the way; there may be several up to `now`. */
export function streakQuestions(
  book: RuleBook,
  standing: Standing,
  now: Instant,
): FiringQuestion[] {
  const due = standing.streak_due_at
  if (due === null || due > now) return []
  const streak = { type: STREAK_EVENT_TYPE, source: ENGINE_SOURCE, timestamp: due, details: {} }
  return candidates(book, streak)
    .filter(rule => rule.cooldown_ms > 0)
    .map(rule => ({
      employee_id: standing.employee_id,
      rule_id: rule.id,
      after: due - rule.cooldown_ms,
      before: now + rule.cooldown_ms,
    }))
}
