// Scores an employee's log from the start, as recalculation, dry runs and verification need it.

import { coolingAt, type Firings, listFirings, noteFiring, openFirings } from './firings.ts'
import type { CompiledRule, Cooling, RuleBook, ScorableEvent } from './rules.ts'
import { evaluate } from './rules.ts'
import type { ScoringSettings } from './settings.ts'
import { decayFactor, emptyState, type State } from './state.ts'

export type LogEntry = ScorableEvent & {
  event_id: string
  received_at: number
  /** A manual adjustment: this is its share, and no rule touches it. */
  fixed_impact?: number
  /** Its details are gone: this is what the rules made of it, and none touches it any more. */
  fixed?: { readonly fired: readonly FiredShare[]; readonly cooling: readonly Cooling[] }
  /** Recorded while the employee was inactive: gives nothing and fires nothing. */
  inert?: boolean
  /** The rules whose type and conditions hold, where they were judged before: its details are not kept then. */
  meant?: readonly CompiledRule[]
}

export type ReplayStart = {
  /** What the events removed by retention still weigh. */
  carried: State | null
  /** Timestamps by rule of the firings of events that are no longer in the log, and of those that are fixed. */
  firings: ReadonlyMap<string, readonly number[]>
}

export type FiredShare = { rule_id: string; impact: number; dated_at: number }

export type ReplayedEvent<Entry extends LogEntry = LogEntry> = {
  entry: Entry
  impact: number
  /** The shares rules gave. A manual adjustment has none here: its share is its impact. */
  fired: readonly FiredShare[]
  cooling: readonly Cooling[]
}

const NONE: readonly never[] = []

/**
 * Invariant: `at` is not before any receipt in the log, nor before `carried.as_of`. A long log may come in parts, in
 * order: the state and the firings after one are the start of the next.
 */
export function replay<Entry extends LogEntry>(
  log: readonly Entry[],
  book: RuleBook,
  settings: ScoringSettings,
  at: number,
  start: ReplayStart,
): { state: State; firings: ReplayStart['firings']; events: ReplayedEvent<Entry>[] } {
  const entries = log.toSorted(compareEntries)
  const known = [...start.firings].map(([id, times]) => [id, openFirings(times)] as const)
  const firings = new Map(known)
  const state = emptyState(at)
  if (start.carried !== null) {
    const factor = decayFactor(settings, start.carried.as_of, at)
    add(state, start.carried.risk * factor)
    add(state, start.carried.recovery * factor)
  }
  const events = entries.map(entry => {
    const scored = scoreEntry(entry, book, firings)
    weigh(state, scored, settings)
    for (const { rule_id } of scored.fired) {
      const known = firings.get(rule_id) ?? openFirings(NONE)
      noteFiring(known, entry.timestamp)
      firings.set(rule_id, known)
    }
    return scored
  })
  const end = entries.at(-1)?.timestamp ?? -Infinity
  const left = [...firings].map(([id, one]) => [id, listFirings(one, end)] as const)
  return { state, firings: new Map(left), events }
}

function compareEntries(a: LogEntry, b: LogEntry): number {
  return a.timestamp - b.timestamp || (a.event_id < b.event_id ? -1 : 1)
}

/** Shares are dated by the earlier of timestamp and receipt, the same in every replay. */
export function shareDate(event: { timestamp: number; received_at: number }): number {
  return Math.min(event.timestamp, event.received_at)
}

function scoreEntry<Entry extends LogEntry>(
  entry: Entry,
  book: RuleBook,
  firings: ReadonlyMap<string, Firings>,
): ReplayedEvent<Entry> {
  const { fixed_impact, fixed } = entry
  if (entry.inert) return { entry, impact: 0, fired: NONE, cooling: NONE }
  if (fixed_impact !== undefined) {
    return { entry, impact: fixed_impact, fired: NONE, cooling: NONE }
  }
  if (fixed !== undefined) return { entry, impact: sumOf(fixed.fired), ...fixed }
  const { fired, cooling } = evaluate(
    book,
    entry,
    ({ id, cooldown_ms }) => {
      const known = firings.get(id)
      return known === undefined ? null : coolingAt(known, cooldown_ms, entry.timestamp)
    },
    entry.meant,
  )
  if (fired.length === 0) return { entry, impact: 0, fired: NONE, cooling }
  const dated_at = shareDate(entry)
  const shares = fired.map(rule => ({ rule_id: rule.id, impact: rule.impact, dated_at }))
  return { entry, impact: sumOf(shares), fired: shares, cooling }
}

function sumOf(shares: readonly FiredShare[]): number {
  return shares.reduce((sum, share) => sum + share.impact, 0)
}

function weigh(state: State, scored: ReplayedEvent, settings: ScoringSettings): void {
  if (scored.fired.length === 0 && scored.impact === 0) return
  const factor = decayFactor(settings, shareDate(scored.entry), state.as_of)
  if (scored.fired.length === 0) add(state, scored.impact * factor)
  for (const share of scored.fired) add(state, share.impact * factor)
}

function add(state: State, value: number): void {
  if (value < 0) state.risk += value
  else state.recovery += value
}
