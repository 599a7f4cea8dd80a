// What a replay makes of one employee, and what of it differs from the record. Pure.
import { isDeepStrictEqual } from 'node:util'
import {
  type FiredShare,
  type LogEntry,
  type ReplayedEvent,
  type ReplayStart,
  replay,
} from '../../../scoring/replay.ts'
import type { Cooling, RuleBook } from '../../../scoring/rules.ts'
import { bandOf, decayTo, emptyState, type State, scoreAt } from '../../../scoring/state.ts'
import { type Standing, stateAt } from '../employees/standing.ts'
import type { Share } from '../events/scored-event.ts'
import type { Instant } from '../platform/clock.ts'
import type { ScoringBasis } from '../tenants/scoring-basis.ts'

/** An event of the log with what the latest scoring made of it; a manual adjustment's share is its impact. */
export type RecordedEvent = LogEntry & {
  department: string
  impact: number
  rules_matched: readonly string[]
  cooling: readonly Cooling[]
  /** Those that rules gave and that count. */
  shares: readonly FiredShare[]
}

/** A share of an event that is no longer in the log: it is part of the carried sums and stays as it is. */
export type FoldedShare = Pick<Share, 'event_id' | 'rule_id' | 'timestamp' | 'impact'>

export type Firing = Pick<Share, 'rule_id' | 'timestamp'>

export type Rescored = { event: RecordedEvent; impact: number; rules_matched: string[] } & {
  cooling: readonly Cooling[]
}

/** What differs from the record: of a log that comes in parts, of those that are not written yet. */
export type Changes = { ended: Share[]; given: Share[]; rescored: Rescored[] }

export type Revision = Changes & {
  state: State
  carried: State | null
  last_negative_at: Instant | null
  /** Whether any share has ended or was given. */
  isReshared: boolean
  /** From where the rest of the log goes on. */
  next: ReplayStart
}

/** Sums closer than this are the same. */
const SAME = 1e-9

/** Invariant: `at` is not before any receipt in the log. */
export function openRevision(
  standing: Standing,
  folded: readonly FoldedShare[],
  fixed: readonly Firing[],
  basis: ScoringBasis,
  at: Instant,
): Revision {
  const carried = carriedAt(standing, basis, at)
  return {
    state: emptyState(at),
    carried,
    last_negative_at: lastNegative(folded),
    isReshared: false,
    next: { carried, firings: firingsOf([...folded, ...fixed]) },
    ...noChanges(),
  }
}

export const noChanges = (): Changes => ({ ended: [], given: [], rescored: [] })

/** Replays the log, or the next part of it in order. */
export function revise(
  revision: Revision,
  { employee_id }: Standing,
  log: readonly RecordedEvent[],
  book: RuleBook,
  basis: ScoringBasis,
): void {
  const settings = basis.settingsOf(basis.settings_version)
  const { as_of } = revision.state
  const { state, firings, events } = replay(log, book, settings, as_of, revision.next)
  revision.state = state
  revision.next = { carried: state, firings }
  for (const scored of events) compare(revision, employee_id, scored)
  revision.isReshared ||= revision.ended.length > 0 || revision.given.length > 0
}

/** Carried sums decay with the old half-life up to here; the new one acts on them from here on. */
function carriedAt(standing: Standing, basis: ScoringBasis, at: Instant): State | null {
  const { carried, settings_version } = standing
  if (carried === null || settings_version === basis.settings_version) return carried
  return decayTo(carried, basis.settingsOf(settings_version), at)
}

function firingsOf(fired: readonly Firing[]): Map<string, number[]> {
  const firings = new Map<string, number[]>()
  for (const { rule_id, timestamp } of fired) {
    const known = firings.get(rule_id)
    if (known === undefined) firings.set(rule_id, [timestamp])
    else known.push(timestamp)
  }
  return firings
}

/** When the last event now removed had a negative impact. */
function lastNegative(folded: readonly FoldedShare[]): Instant | null {
  const impacts = new Map<string, { timestamp: Instant; impact: number }>()
  for (const { event_id, timestamp, impact } of folded) {
    const sum = impacts.get(event_id)?.impact ?? 0
    impacts.set(event_id, { timestamp, impact: sum + impact })
  }
  let last: Instant | null = null
  for (const { timestamp, impact } of impacts.values()) {
    if (impact < 0) last = Math.max(last ?? timestamp, timestamp)
  }
  return last
}

type Replayed = ReplayedEvent<RecordedEvent>

/** Notes what differs from the record. */
function compare(revision: Revision, employee_id: string, scored: Replayed): void {
  const { entry: event, fired } = scored
  const { timestamp, event_id, shares } = event
  if (scored.impact < 0) {
    revision.last_negative_at = Math.max(revision.last_negative_at ?? timestamp, timestamp)
  }
  for (const share of shares) {
    if (fired.some(one => isSame(one, share))) continue
    revision.ended.push({ employee_id, event_id, timestamp, ...share })
  }
  for (const share of fired) {
    if (shares.some(one => isSame(one, share))) continue
    revision.given.push({ employee_id, event_id, timestamp, ...share })
  }
  noteRescored(revision, scored)
}

function isSame(a: FiredShare, b: FiredShare): boolean {
  return a.rule_id === b.rule_id && a.impact === b.impact && a.dated_at === b.dated_at
}

function noteRescored(revision: Revision, scored: Replayed): void {
  const { entry: event, impact, fired, cooling } = scored
  const { rules_matched: before } = event
  const sameRules =
    before.length === fired.length && fired.every((share, i) => share.rule_id === before[i])
  if (sameRules && impact === event.impact && isSameCooling(cooling, event.cooling)) return
  const rules_matched = fired.map(share => share.rule_id)
  revision.rescored.push({ event, impact, rules_matched, cooling })
}

function isSameCooling(a: readonly Cooling[], b: readonly Cooling[]): boolean {
  return a.length === b.length && (a.length === 0 || isDeepStrictEqual(a, b))
}

/** Where the employee would stand; the score of an inactive one is frozen. */
export function place(standing: Standing, revision: Revision, basis: ScoringBasis) {
  const settings = basis.settingsOf(basis.settings_version)
  const score = standing.status === 'active' ? scoreAt(revision.state, settings) : standing.score
  return { score, band: bandOf(score, basis.edges) }
}

/** Whether anything a history row holds would change. */
export function isMoved(standing: Standing, revision: Revision, basis: ScoringBasis): boolean {
  if (standing.settings_version !== basis.settings_version) return true
  if (revision.isReshared) return true
  const { risk, recovery } = stateAt(standing, basis, revision.state.as_of)
  const { score, band } = place(standing, revision, basis)
  const isStill =
    Math.abs(risk - revision.state.risk) <= SAME &&
    Math.abs(recovery - revision.state.recovery) <= SAME
  return !isStill || score !== standing.score || band !== standing.band
}
