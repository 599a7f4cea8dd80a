// Says when a clean streak falls due, and names the events the service itself makes.

import { DAY_MS } from './durations.ts'

export const STREAK_EVENT_TYPE = 'recovery.clean_streak'
export const MANUAL_EVENT_TYPE = 'manual.adjustment'
export const ENGINE_SOURCE = 'engine'
export const DASHBOARD_SOURCE = 'dashboard'

export type StreakFacts = {
  created_at: number
  reactivated_at: number | null
  last_negative_at: number | null
  last_streak_at: number | null
  /** When `clean_streak_days` was last changed. */
  changed_at: number | null
  clean_streak_days: number
}

export function streakDueAt(facts: StreakFacts): number {
  const clean_since = Math.max(
    facts.created_at,
    facts.reactivated_at ?? facts.created_at,
    facts.last_negative_at ?? facts.created_at,
    facts.last_streak_at ?? facts.created_at,
  )
  const due = clean_since + facts.clean_streak_days * DAY_MS
  // A shorter period acts from its change on: no streak falls due before it.
  return facts.changed_at === null ? due : Math.max(due, facts.changed_at)
}
