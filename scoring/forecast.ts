// Says how a score will move if nothing else happens: the same steps the service will take, in memory.

import { nextChangeAt } from './next-change.ts'
import { coolingUntil, evaluate, type RuleBook, type ScorableEvent } from './rules.ts'
import { BANDS, type Band, type BandEdges, type ScoringSettings } from './settings.ts'
import { addShare, bandOf, decayTo, type State, scoreAt } from './state.ts'
import { ENGINE_SOURCE, STREAK_EVENT_TYPE, type StreakFacts, streakDueAt } from './streak.ts'

/** Where an active employee stands, and what will act on them. */
export type ForecastStart = {
  state: State
  score: number
  band: Band
  settings: ScoringSettings
  edges: BandEdges
  streak: StreakFacts
  /** A streak that fell due before its period was changed, and is not applied yet: it keeps its instant. */
  overdue_streak_at?: number | null
  book: RuleBook
  /** Timestamps by rule of the firings that still cool. */
  firings: ReadonlyMap<string, readonly number[]>
}

export type ForecastReason = 'decay' | 'clean_streak' | 'event'

/** An instant at which the score or the band changes. */
export type ForecastChange = {
  at: number
  reason: ForecastReason
  previous_score: number
  score: number
  previous_band: Band
  band: Band
}

/** An event that will be, or is supposed to be; it may leave the score as it is. */
export type ForecastEvent = {
  at: number
  impact: number
  rules_matched: string[]
  score_before: number
  score_after: number
}

export type Forecast = {
  changes: ForecastChange[]
  streaks: ForecastEvent[]
  supposed: ForecastEvent | null
  /** The first instant in each better band, or beyond it; null where the time does not suffice. */
  returns: { band: Band; at: number | null }[]
}

type Course = Omit<ForecastStart, 'firings' | 'streak'> & {
  overdue_streak_at: number | null
  firings: Map<string, number[]>
  facts: StreakFacts
  changes: ForecastChange[]
  streaks: ForecastEvent[]
}

/**
 * Everything from the state's instant up to `until`, what is overdue included. A supposed event
 * comes at its own timestamp, after all that falls due before it.
 */
export function forecast(
  start: ForecastStart,
  until: number,
  supposed: ScorableEvent | null = null,
): Forecast {
  const { streak, firings, ...rest } = start
  const course: Course = {
    ...rest,
    overdue_streak_at: start.overdue_streak_at ?? null,
    facts: { ...streak },
    firings: new Map([...firings].map(([rule_id, timestamps]) => [rule_id, [...timestamps]])),
    changes: [],
    streaks: [],
  }
  let happened: ForecastEvent | null = null
  if (supposed !== null) {
    const at = Math.max(supposed.timestamp, course.state.as_of)
    run(course, at)
    happened = score(course, supposed, at, 'event')
  }
  const { band, changes, streaks } = course
  const passed = changes.length
  run(course, until)
  return { changes, streaks, supposed: happened, returns: listReturns(band, changes, passed) }
}

/** Invariant: the order of the service itself: of two things due at once, decay comes first. */
function run(course: Course, until: number): void {
  for (;;) {
    const change = nextChangeAt(course.state, course.settings) ?? Infinity
    const streak = course.overdue_streak_at ?? streakDueAt(course.facts)
    if (Math.min(change, streak) > until) return
    if (change <= streak) place(course, decayTo(course.state, course.settings, change), 'decay')
    else applyStreak(course, streak)
  }
}

function applyStreak(course: Course, due: number): void {
  const details = { days: course.facts.clean_streak_days }
  const event = { type: STREAK_EVENT_TYPE, source: ENGINE_SOURCE, timestamp: due, details }
  course.facts.last_streak_at = due
  course.overdue_streak_at = null
  const at = Math.max(due, course.state.as_of)
  course.streaks.push(score(course, event, at, 'clean_streak'))
}

function score(
  course: Course,
  event: ScorableEvent,
  at: number,
  reason: ForecastReason,
): ForecastEvent {
  const { settings, firings, facts } = course
  const score_before = course.score
  const { fired } = evaluate(course.book, event, ({ id, cooldown_ms }) =>
    coolingUntil(firings.get(id) ?? [], cooldown_ms, event.timestamp),
  )
  const impact = fired.reduce((sum, rule) => sum + rule.impact, 0)
  if (impact < 0) {
    facts.last_negative_at = Math.max(facts.last_negative_at ?? event.timestamp, event.timestamp)
  }
  let state = decayTo(course.state, settings, at)
  for (const rule of fired) {
    state = addShare(state, settings, { impact: rule.impact, dated_at: event.timestamp }, at)
    firings.set(rule.id, [...(firings.get(rule.id) ?? []), event.timestamp])
  }
  if (fired.length > 0) place(course, state, reason)
  const rules_matched = fired.map(rule => rule.id)
  return { at, impact, rules_matched, score_before, score_after: course.score }
}

function place(course: Course, state: State, reason: ForecastReason): void {
  const { score: previous_score, band: previous_band } = course
  course.state = state
  course.score = scoreAt(state, course.settings)
  course.band = bandOf(course.score, course.edges)
  if (course.score === previous_score && course.band === previous_band) return
  const now = { score: course.score, band: course.band }
  course.changes.push({ at: state.as_of, reason, previous_score, previous_band, ...now })
}

/** From the nearest better band to the best; BANDS begin with the best. */
function listReturns(band: Band, changes: readonly ForecastChange[], passed: number) {
  const later = changes.slice(passed)
  const better = BANDS.slice(0, BANDS.indexOf(band)).reverse()
  return better.map(target => {
    const reached = later.find(change => BANDS.indexOf(change.band) <= BANDS.indexOf(target))
    return { band: target, at: reached?.at ?? null }
  })
}
