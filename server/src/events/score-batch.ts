// Scores events in memory, one after the other, under the locks the ingestion holds. Pure: no I/O, no clock.
import { shareDate } from '../../../scoring/replay.ts'
import {
  type CompiledRule,
  coolingUntil,
  evaluate,
  placeBehind,
  type RuleBook,
} from '../../../scoring/rules.ts'
import { addShare, type State } from '../../../scoring/state.ts'
import { ENGINE_SOURCE, STREAK_EVENT_TYPE } from '../../../scoring/streak.ts'
import { describeStep } from '../employees/record-steps.ts'
import {
  dueStreak,
  MOST_SOURCES,
  nextDueAt,
  type Reason,
  type Standing,
  type Step,
  scoringTime,
  stateAt,
  takeStep,
} from '../employees/standing.ts'
import { actorText, ENGINE } from '../platform/actor.ts'
import type { Instant } from '../platform/clock.ts'
import { newId } from '../platform/ids.ts'
import type { ScoringBasis } from '../tenants/scoring-basis.ts'
import type { Message } from '../webhooks/announce.ts'
import {
  type EventRow,
  eventView,
  MANUAL_RULE,
  type ScoredEvent,
  type ShareRecord,
} from './scored-event.ts'

/** What a batch adds up to; written set by set in one transaction. */
export type Batch = {
  basis: ScoringBasis
  book: RuleBook
  now: Instant
  firings: Firings
  events: ScoredEvent[]
  shares: ShareRecord[]
  steps: Step[]
  messages: Message[]
  touched: Set<Standing>
}

/** Timestamps of firings by employee and rule. */
export type Firings = Map<string, Map<string, number[]>>

export function openBatch(basis: ScoringBasis, book: RuleBook, now: Instant): Batch {
  const firings: Firings = new Map()
  return {
    basis,
    book,
    now,
    firings,
    events: [],
    shares: [],
    steps: [],
    messages: [],
    touched: new Set(),
  }
}

export type Submitted = {
  type: string
  source: string
  timestamp: Instant
  details: Record<string, unknown>
  actor: string
  /** A manual adjustment's share; no rule touches such an event. */
  fixed_impact?: number
  /** The rules of the batch's book that mean it, where they are known already. */
  meant?: readonly CompiledRule[]
}

/** Scores one event for an employee whose due changes come first. */
export function scoreEvent(batch: Batch, standing: Standing, submitted: Submitted): ScoredEvent {
  const at = scoringTime(standing, batch.now)
  if (standing.status === 'active') advance(batch, standing, at)
  const event = draftEvent(standing, submitted, batch.now)
  if (standing.status === 'inactive') {
    event.inert = true
    return keep(batch, standing, event)
  }
  const shares = giveShares(batch, event, submitted)
  const reason: Reason = submitted.fixed_impact === undefined ? 'event' : 'adjustment'
  return settle(batch, standing, event, shares, scoringTime(standing, batch.now), reason)
}

/** Applies everything that fell due up to `until`, in order, each dated at its own instant. */
export function advance(batch: Batch, standing: Standing, until: Instant): void {
  for (let due = nextDueAt(standing); due !== null && due <= until; due = nextDueAt(standing)) {
    if (standing.next_change_at !== null && standing.next_change_at === due)
      decay(batch, standing, due)
    else applyStreak(batch, standing, due)
  }
}

/**
 * A changed streak period holds at once; what had fallen due before the change stays as it was.
 * Invariant: comes before the questions and before anything is scored.
 */
export function refreshStreaks(batch: Batch, standings: Iterable<Standing>): void {
  const { clean_streak_changed_at: changed_at } = batch.basis
  if (changed_at === null) return
  for (const standing of standings) {
    if (standing.streak_due_at === null || standing.streak_due_at <= changed_at) continue
    const due = dueStreak(standing, batch.basis)
    if (due === standing.streak_due_at) continue
    standing.streak_due_at = due
    batch.touched.add(standing)
  }
}

function decay(batch: Batch, standing: Standing, at: Instant): void {
  const actor = actorText(ENGINE)
  const cause = { reason: 'decay', trigger_event: 'decay', event_id: null, actor } as const
  const { streak_due_at } = standing
  const step = takeStep(standing, batch.basis, stateAt(standing, batch.basis, at), cause)
  // Nothing a streak counts from has changed; one that is overdue must not be moved by a new period.
  standing.streak_due_at = streak_due_at
  note(batch, standing, step)
}

/** A streak is an event of ours; its row of history is never dated before the employee's last one. */
function applyStreak(batch: Batch, standing: Standing, due: Instant): void {
  const submitted = {
    type: STREAK_EVENT_TYPE,
    source: ENGINE_SOURCE,
    timestamp: due,
    details: { days: batch.basis.clean_streak_days },
    actor: actorText(ENGINE),
  }
  const event = draftEvent(standing, submitted, Math.max(due, standing.state.as_of))
  standing.last_streak_at = due
  const shares = giveShares(batch, event, submitted)
  settle(batch, standing, event, shares, Math.max(due, standing.state.as_of), 'event')
}

function draftEvent(standing: Standing, submitted: Submitted, received_at: Instant): ScoredEvent {
  return {
    event_id: newId('evt', received_at),
    employee_id: standing.employee_id,
    employee_email: standing.email,
    department: standing.department,
    type: submitted.type,
    source: submitted.source,
    timestamp: submitted.timestamp,
    received_at,
    impact: 0,
    details: submitted.details,
    rules_matched: [],
    cooling: [],
    inert: false,
    actor: submitted.actor,
    score_before: standing.score,
    score_after: standing.score,
  }
}

type Given = { rule_id: string; impact: number }

function giveShares(
  batch: Batch,
  event: ScoredEvent,
  { fixed_impact: fixed, meant }: Submitted,
): Given[] {
  if (fixed !== undefined) {
    event.impact = fixed
    return [{ rule_id: MANUAL_RULE, impact: fixed }]
  }
  const known = batch.firings.get(event.employee_id)
  const coolsUntil = ({ id, cooldown_ms }: CompiledRule) =>
    coolingUntil(known?.get(id) ?? NONE, cooldown_ms, event.timestamp)
  const { fired, cooling } = evaluate(batch.book, event, coolsUntil, meant)
  event.cooling = cooling
  event.rules_matched = fired.map(rule => rule.id)
  event.impact = fired.reduce((sum, rule) => sum + rule.impact, 0)
  for (const rule of fired) if (rule.cooldown_ms > 0) noteFiring(batch, event, rule.id)
  return fired.map(rule => ({ rule_id: rule.id, impact: rule.impact }))
}

const NONE: readonly number[] = []

function noteFiring({ firings }: Batch, event: ScoredEvent, rule_id: string): void {
  const rules = firings.get(event.employee_id) ?? new Map<string, number[]>()
  firings.set(event.employee_id, rules)
  const known = rules.get(rule_id) ?? NONE
  const place = placeBehind(known, event.timestamp)
  rules.set(rule_id, known.toSpliced(place, 0, event.timestamp))
}

/** Adds the shares to the state and takes the step; an event without shares changes no score. */
function settle(
  batch: Batch,
  standing: Standing,
  event: ScoredEvent,
  given: readonly Given[],
  at: Instant,
  reason: Reason,
): ScoredEvent {
  if (event.impact < 0) {
    standing.last_negative_at = Math.max(
      standing.last_negative_at ?? event.timestamp,
      event.timestamp,
    )
  }
  if (given.length === 0) {
    if (event.type === STREAK_EVENT_TYPE) standing.streak_due_at = dueStreak(standing, batch.basis)
    return keep(batch, standing, event)
  }
  const settings = batch.basis.settingsOf(standing.settings_version)
  const dated_at = shareDate(event)
  let state: State = stateAt(standing, batch.basis, at)
  for (const { impact } of given) state = addShare(state, settings, { impact, dated_at }, at)
  const { event_id, type: trigger_event, actor } = event
  const step = takeStep(standing, batch.basis, state, { reason, trigger_event, event_id, actor })
  for (const { rule_id, impact } of given) {
    const { employee_id, timestamp } = event
    batch.shares.push({
      employee_id,
      rule_id,
      timestamp,
      event_id,
      from_version: step.version,
      impact,
      dated_at,
    })
  }
  event.score_after = standing.score
  keep(batch, standing, event)
  note(batch, standing, step)
  return event
}

function keep(batch: Batch, standing: Standing, event: ScoredEvent): ScoredEvent {
  standing.last_event_at = Math.max(standing.last_event_at ?? event.timestamp, event.timestamp)
  const { sources } = standing
  if (sources.length < MOST_SOURCES && !sources.includes(event.source))
    standing.sources = [...sources, event.source]
  batch.events.push(event)
  batch.touched.add(standing)
  // Only a clean streak that fell due before an erasure is of somebody erased.
  if (standing.erased) return event
  batch.messages.push({
    kind: 'event.ingested',
    at: event.received_at,
    employee_id: event.employee_id,
    event_id: event.event_id,
    data: () => eventView(asRow(event, standing), settingsOf(batch, standing), batch.now),
  })
  return event
}

function settingsOf(batch: Batch, standing: Standing) {
  return batch.basis.settingsOf(standing.settings_version)
}

function asRow(event: ScoredEvent, { settings_version }: Standing): EventRow {
  const { timestamp, received_at, ...rest } = event
  return {
    ...rest,
    timestamp: new Date(timestamp),
    received_at: new Date(received_at),
    retracted_at: null,
    redacted_at: null,
    settings_version,
  }
}

function note(batch: Batch, standing: Standing, step: Step): void {
  batch.steps.push(step)
  batch.touched.add(standing)
  batch.messages.push(...describeStep(step))
}
