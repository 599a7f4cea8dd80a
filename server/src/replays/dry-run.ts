// What one rule would have done to one employee in a window, with everything else as recorded. Pure.
import type { RuleBook, ScorableEvent } from '../../../scoring/rules.ts'
import { evaluate } from '../../../scoring/rules.ts'
import type { ScoringSettings } from '../../../scoring/settings.ts'
import { addShare, removeShare, type Share, type State, scoreAt } from '../../../scoring/state.ts'
import type { Instant } from '../platform/clock.ts'

/** Everything of an active employee that a dry run looks at. */
export type Tried = {
  employee_id: string
  score: number
  state: State
  next_change_at: Instant | null
  /** Events of the rule's types in the window, in order of timestamp, then id. */
  log: readonly (ScorableEvent & { dated_at: Instant })[]
  /** The shares that the dry run replaces. */
  replaced: readonly Share[]
  /** Firings that stay and cool: the last one before the window, and those of removed events. */
  firings: readonly Instant[]
}

export type Trial = { fired: number; projected_score: number }

/** Null for somebody the rule neither touches nor touched. */
export function tryRule(
  tried: Tried,
  book: RuleBook,
  settings: ScoringSettings,
  now: Instant,
): Trial | null {
  const at = instantOf(tried, now)
  let { state } = tried
  let fired = 0
  for (const share of tried.replaced) state = removeShare(state, settings, datedBy(share, at), at)
  // The log runs forward, so of the rule's own firings in it only the last can cool.
  const cooling = [...tried.firings, -Infinity]
  for (const event of tried.log) {
    const [rule] = evaluate(book, event, () => cooling).fired
    if (rule === undefined) continue
    fired += 1
    cooling[cooling.length - 1] = event.timestamp
    const share = datedBy({ impact: rule.impact, dated_at: event.dated_at }, at)
    state = addShare(state, settings, share, at)
  }
  if (fired === 0 && tried.replaced.length === 0) return null
  return { fired, projected_score: scoreAt(state, settings, at) }
}

/** Now; or, where a change is overdue, the last instant at which the stored score was still right. */
function instantOf({ state, next_change_at }: Tried, now: Instant): Instant {
  const at = next_change_at !== null && next_change_at <= now ? next_change_at - 1 : now
  return Math.max(at, state.as_of)
}

function datedBy({ impact, dated_at }: Share, at: Instant): Share {
  return { impact, dated_at: Math.min(dated_at, at) }
}
