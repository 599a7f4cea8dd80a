// An event as it is recorded and shown; its current impact follows from its shares and the clock. Pure.
import type { Cooling } from '../../../scoring/rules.ts'
import type { ScoringSettings } from '../../../scoring/settings.ts'
import { decayFactor } from '../../../scoring/state.ts'
import type { Instant } from '../platform/clock.ts'

export type ScoredEvent = {
  event_id: string
  employee_id: string
  employee_email: string
  department: string
  type: string
  source: string
  timestamp: Instant
  received_at: Instant
  impact: number
  details: Record<string, unknown>
  rules_matched: string[]
  cooling: Cooling[]
  /** Recorded while the employee was inactive: it counts for nothing in any replay. */
  inert: boolean
  actor: string
  score_before: number
  score_after: number
}

/** A share that counts. Invariant: an event has at most one of each rule. */
export type Share = {
  employee_id: string
  rule_id: string
  timestamp: Instant
  event_id: string
  impact: number
  dated_at: Instant
}

export type ShareRecord = Share & { from_version: number }

/** The rule id of a share that no rule gave. */
export const MANUAL_RULE = 'manual'

/** What POST /v1/events answers. */
export function eventAnswer(event: ScoredEvent) {
  return {
    id: event.event_id,
    type: event.type,
    employee_id: event.employee_id,
    impact: event.impact,
    rules_matched: event.rules_matched,
    score_before: event.score_before,
    score_after: event.score_after,
  }
}

export type EventAnswer = ReturnType<typeof eventAnswer>

export type EventRow = {
  event_id: string
  employee_id: string
  employee_email: string
  type: string
  source: string
  timestamp: Date
  received_at: Date
  impact: number
  details: Record<string, unknown>
  rules_matched: string[]
  retracted_at: Date | null
  redacted_at: Date | null
  settings_version: number
}

/** The Event of the contract. */
export function eventView(row: EventRow, settings: ScoringSettings, now: Instant) {
  const { event_id, type, source, employee_id, employee_email, impact, timestamp } = row
  return {
    id: event_id,
    type,
    source,
    employee_id,
    employee_email,
    impact,
    current_impact: row.retracted_at ? 0 : currentImpact(row, settings, now),
    timestamp,
    details: row.details,
    rules_matched: row.rules_matched,
    ...(row.retracted_at ? { retracted_at: row.retracted_at } : {}),
    ...(row.redacted_at ? { redacted_at: row.redacted_at } : {}),
  }
}

/** The sum of the event's shares as worth now, to 4 decimals; all of them bear the same date. */
function currentImpact(row: EventRow, settings: ScoringSettings, now: Instant): number {
  const dated_at = Math.min(row.timestamp.getTime(), row.received_at.getTime())
  const worth = row.impact * decayFactor(settings, dated_at, Math.max(now, dated_at))
  return Math.round(worth * 10_000) / 10_000 + 0
}
