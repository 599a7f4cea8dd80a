// Retraction: the event stays in the log, its shares end, and the score follows from then on.
import { removeShare, type State } from '../../../scoring/state.ts'
import { MANUAL_EVENT_TYPE, STREAK_EVENT_TYPE } from '../../../scoring/streak.ts'
import type { Asked } from '../accounts/identity.ts'
import { requireStill } from '../accounts/require-still.ts'
import { decideActions } from '../actions/decide-actions.ts'
import { settleChanges } from '../actions/settle-changes.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { type Standing, scoringTime, stateAt, takeStep } from '../employees/standing.ts'
import { lockStandings } from '../employees/standings.queries.ts'
import { actorText } from '../platform/actor.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { conflict, notFound } from '../platform/errors.ts'
import { readScoringBasis, type ScoringBasis } from '../tenants/scoring-basis.ts'
import { advanceStandings } from './apply-due-changes.job.ts'
import { countEvents } from './event-counts.queries.ts'
import { findEvent } from './events.queries.ts'
import { markChanged } from './marks.queries.ts'
import { type MergedCounts, mergeCounts } from './merge-counts.ts'
import {
  findEmployeeOf,
  findRetractable,
  lastNegatives,
  markRetracted,
  type Retractable,
} from './retract.queries.ts'
import { eventView, type Share } from './scored-event.ts'
import { type EndedShare, endShares, readSharesOf } from './shares.queries.ts'

/**
 * Once only: a retracted event is 409. Nobody reported a streak, so nobody can take it back; an adjustment is taken
 * back by whom `requireAdjuster` does not refuse.
 */
export async function retractEvent(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  event_id: string,
  reason: string,
  requireAdjuster: () => void,
) {
  const employee_id = await findEmployeeOf(tx, tenant_id, event_id)
  if (employee_id === undefined) throw notFound('event')
  const [standings, basis, event] = await Promise.all([
    lockStandings(tx, tenant_id, [employee_id]),
    readScoringBasis(tx, tenant_id),
    findRetractable(tx, tenant_id, event_id),
  ])
  const standing = standings.get(employee_id)
  if (!event || !standing) throw notFound('event')
  if (event.type === STREAK_EVENT_TYPE) {
    throw conflict('a clean streak is made by the service itself and cannot be retracted')
  }
  if (event.type === MANUAL_EVENT_TYPE) {
    requireAdjuster()
    await requireStill(tx, tenant_id, origin, 'scores:adjust')
  }
  if (event.retracted_at) throw conflict('this event has been retracted already')
  await advanceStandings(tx, tenant_id, [standing], basis, now)
  const score_before = standing.score
  const cause = { reason, actor: actorText(origin.actor) }
  await retractTogether(tx, tenant_id, standings, [[event]], basis, now, cause)
  const row = (await findEvent(tx, tenant_id, event_id))!
  const subject = { subject_kind: 'event', subject_id: event_id, employee_id }
  const before = { impact: event.impact, score: score_before }
  const after = { impact: 0, score: standing.score, reason }
  await recordAudit(tx, tenant_id, now, origin, [
    { action: 'event.retracted', ...subject, before, after },
  ])
  const view = eventView(row, basis.settingsOf(standing.settings_version), now)
  return { ...view, reason, score_before, score_after: standing.score }
}

export type RetractionCause = { reason: string; actor: string }

/** What the retraction of some events takes from somebody, added up. */
export type Loss = {
  state: State
  /** The first event that had a share; of one alone the history names it. */
  first: Retractable
  isAlone: boolean
}

/**
 * Invariant: the caller holds the locks of the events' employees, has brought them up to now, and none of the events is
 * retracted. They may come in pages, those of a person in order. Returns how many scores changed.
 */
export async function retractTogether(
  tx: Tx,
  tenant_id: string,
  standings: ReadonlyMap<string, Standing>,
  pages: AsyncIterable<readonly Retractable[]> | Iterable<readonly Retractable[]>,
  basis: ScoringBasis,
  now: Instant,
  { reason, actor }: RetractionCause,
): Promise<number> {
  const losses = new Map<Standing, Loss>()
  const cleaner = new Set<string>()
  const fewer: MergedCounts = new Map()
  for await (const events of pages) {
    const ids = events.map(event => event.event_id)
    const [shares] = await Promise.all([
      readSharesOf(tx, tenant_id, ids),
      markRetracted(tx, tenant_id, ids, now, reason),
    ])
    for (const id of losingLastNegative(standings, events)) cleaner.add(id)
    const ended = addLosses(losses, standings, events, shares, basis, now)
    await endShares(tx, tenant_id, ended, 'retraction')
    const changes = events.map(event => ({ ...event, events: 0, counted: -1 }))
    mergeCounts(fewer, changes)
  }
  if (fewer.size === 0) return 0
  await moveLastNegatives(tx, tenant_id, standings, [...cleaner])
  const steps = [...losses].map(([standing, loss]) =>
    takeStep(standing, basis, loss.state, causeOf(loss, actor)),
  )
  const moved = [...losses.keys()]
  const actions = await decideActions(tx, tenant_id, now, basis, moved, steps)
  const counts = [...fewer.values()]
  const shared = [
    markChanged(tx, tenant_id, basis.closing_to, counts),
    countEvents(tx, tenant_id, now, counts),
  ]
  await settleChanges(tx, tenant_id, now, { standings: moved, steps, actions, shared })
  return steps.filter(step => step.previous?.score !== step.score).length
}

/** Takes the shares of these events away from whoever had them; they end with the step that follows. */
export function addLosses(
  losses: Map<Standing, Loss>,
  standings: ReadonlyMap<string, Standing>,
  events: readonly Retractable[],
  shares: readonly Share[],
  basis: ScoringBasis,
  now: Instant,
): EndedShare[] {
  const places = new Map(events.map((event, i) => [event.event_id, i]))
  const ended: EndedShare[] = []
  for (const [standing, lost] of byStanding(standings, shares)) {
    const known = losses.get(standing)
    const at = scoringTime(standing, now)
    const settings = basis.settingsOf(standing.settings_version)
    let state = known?.state ?? stateAt(standing, basis, at)
    for (const share of lost) state = removeShare(state, settings, share, at)
    const first = lost.reduce(
      (least, { event_id }) => Math.min(least, places.get(event_id)!),
      Infinity,
    )
    const isAlone = !known && lost.every(({ event_id }) => event_id === lost[0]!.event_id)
    losses.set(standing, { state, first: known?.first ?? events[first]!, isAlone })
    const end = { to_version: standing.version + 1, ended_at: at }
    for (const share of lost) ended.push({ ...share, ...end })
  }
  return ended
}

export function byStanding(
  standings: ReadonlyMap<string, Standing>,
  shares: readonly Share[],
): Map<Standing, Share[]> {
  const groups = new Map<Standing, Share[]>()
  for (const share of shares) {
    const standing = standings.get(share.employee_id)
    if (!standing) continue
    const known = groups.get(standing)
    if (known) known.push(share)
    else groups.set(standing, [share])
  }
  return groups
}

/** Whose last negative event is among these: without it they have been clean for longer. */
function losingLastNegative(
  standings: ReadonlyMap<string, Standing>,
  events: readonly Retractable[],
): string[] {
  const concerned = events.filter(({ employee_id, impact, timestamp }) => {
    const last = standings.get(employee_id)?.last_negative_at ?? null
    return impact < 0 && last !== null && timestamp >= last
  })
  return concerned.map(event => event.employee_id)
}

/** A streak may be overdue then. Invariant: the events are marked as retracted already. */
async function moveLastNegatives(
  tx: Tx,
  tenant_id: string,
  standings: ReadonlyMap<string, Standing>,
  employee_ids: string[],
): Promise<void> {
  if (employee_ids.length === 0) return
  const carrying = employee_ids.filter(id => standings.get(id)!.carried !== null)
  const left = await lastNegatives(tx, tenant_id, employee_ids, carrying)
  for (const id of employee_ids) standings.get(id)!.last_negative_at = left.get(id) ?? null
}

/** A row of history names one event; of several retracted together it names none. */
function causeOf({ first, isAlone }: Loss, actor: string) {
  const event_id = isAlone ? first.event_id : null
  return { reason: 'retraction', trigger_event: first.type, event_id, actor } as const
}
