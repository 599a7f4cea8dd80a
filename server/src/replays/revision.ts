// What a replay makes of one employee, and what of it differs from the record. Pure.
import { isDeepStrictEqual } from 'node:util'
import { type LogEntry, type ReplayedEvent, replay, shareDate } from '../../../scoring/replay.ts'
import type { Cooling, RuleBook } from '../../../scoring/rules.ts'
import { bandOf, decayTo, type State, scoreAt } from '../../../scoring/state.ts'
import { type Standing, scoringTime, stateAt } from '../employees/standing.ts'
import { MANUAL_RULE, type ShareRecord } from '../events/scored-event.ts'
import type { Instant } from '../platform/clock.ts'
import type { ScoringBasis } from '../tenants/scoring-basis.ts'

/** An event of the log with what the latest scoring made of it. */
export type RecordedEvent = LogEntry & {
  department: string
  impact: number
  rules_matched: readonly string[]
  cooling: readonly Cooling[]
}

/** A share that counts; folded ones are part of the carried sums and stay as they are. */
export type ShareInForce = ShareRecord & { folded: boolean }

export type Rescored = { event: RecordedEvent; impact: number; rules_matched: string[] } & {
  cooling: readonly Cooling[]
}

export type Revision = {
  state: State
  carried: State | null
  last_negative_at: Instant | null
  ended: ShareInForce[]
  given: Omit<ShareRecord, 'from_version'>[]
  rescored: Rescored[]
}

/** Sums closer than this are the same. */
const SAME = 1e-9

export function revise(
  standing: Standing,
  log: readonly RecordedEvent[],
  shares: readonly ShareInForce[],
  book: RuleBook,
  basis: ScoringBasis,
  now: Instant,
): Revision {
  const at = log.reduce((last, e) => Math.max(last, e.received_at), scoringTime(standing, now))
  const carried = carriedAt(standing, basis, at)
  const folded = shares.filter(share => share.folded)
  const settings = basis.settingsOf(basis.settings_version)
  const start = { carried, firings: firingsOf(folded) }
  const { state, events } = replay(log, book, settings, at, start)
  const revision: Revision = {
    state,
    carried,
    last_negative_at: lastNegative(folded),
    ended: [],
    given: [],
    rescored: [],
  }
  compare(revision, standing.employee_id, log, shares, events)
  return revision
}

/** Carried sums decay with the old half-life up to here; the new one acts on them from here on. */
function carriedAt(standing: Standing, basis: ScoringBasis, at: Instant): State | null {
  const { carried, settings_version } = standing
  if (carried === null || settings_version === basis.settings_version) return carried
  return decayTo(carried, basis.settingsOf(settings_version), at)
}

function firingsOf(folded: readonly ShareInForce[]): Map<string, number[]> {
  const firings = new Map<string, number[]>()
  for (const { rule_id, timestamp } of folded) {
    const known = firings.get(rule_id)
    if (known === undefined) firings.set(rule_id, [timestamp])
    else known.push(timestamp)
  }
  return firings
}

/** When the last event now removed had a negative impact. */
function lastNegative(folded: readonly ShareInForce[]): Instant | null {
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

function compare(
  revision: Revision,
  employee_id: string,
  log: readonly RecordedEvent[],
  shares: readonly ShareInForce[],
  replayed: readonly ReplayedEvent[],
): void {
  const recorded = new Map(log.map(event => [event.event_id, event]))
  const counting = groupByEvent(shares)
  for (const scored of replayed) {
    const event = recorded.get(scored.event_id)!
    const { timestamp, event_id } = event
    if (scored.impact < 0) {
      revision.last_negative_at = Math.max(revision.last_negative_at ?? timestamp, timestamp)
    }
    const wanted = sharesOf(event, scored)
    const present = counting.get(event_id)
    if (present !== undefined) counting.delete(event_id)
    for (const share of present ?? []) {
      if (!wanted.some(one => isSame(one, share))) revision.ended.push(share)
    }
    for (const share of wanted) {
      if (present?.some(one => isSame(one, share))) continue
      revision.given.push({ employee_id, event_id, timestamp, ...share })
    }
    noteRescored(revision, event, scored)
  }
  for (const left of counting.values()) revision.ended.push(...left)
}

function groupByEvent(shares: readonly ShareInForce[]): Map<string, ShareInForce[]> {
  const groups = new Map<string, ShareInForce[]>()
  for (const share of shares) {
    if (share.folded) continue
    const group = groups.get(share.event_id)
    if (group === undefined) groups.set(share.event_id, [share])
    else group.push(share)
  }
  return groups
}

type Given = { rule_id: string; impact: number; dated_at: Instant }

function sharesOf(event: RecordedEvent, scored: ReplayedEvent): readonly Given[] {
  if (event.fixed_impact === undefined || event.inert) return scored.fired
  return [{ rule_id: MANUAL_RULE, impact: scored.impact, dated_at: shareDate(event) }]
}

function isSame(a: Given, b: Given): boolean {
  return a.rule_id === b.rule_id && a.impact === b.impact && a.dated_at === b.dated_at
}

function noteRescored(revision: Revision, event: RecordedEvent, scored: ReplayedEvent): void {
  const { impact, fired, cooling } = scored
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
  if (revision.ended.length > 0 || revision.given.length > 0) return true
  const { risk, recovery } = stateAt(standing, basis, revision.state.as_of)
  const { score, band } = place(standing, revision, basis)
  const isStill =
    Math.abs(risk - revision.state.risk) <= SAME &&
    Math.abs(recovery - revision.state.recovery) <= SAME
  return !isStill || score !== standing.score || band !== standing.band
}
