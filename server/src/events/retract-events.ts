// Retraction: the event stays in the log, its shares end, and the score follows from then on.
import { removeShare, type State } from '../../../scoring/state.ts'
import { MANUAL_EVENT_TYPE, STREAK_EVENT_TYPE } from '../../../scoring/streak.ts'
import type { Asked } from '../accounts/identity.ts'
import { requireStill } from '../accounts/require-still.ts'
import { decideActions } from '../actions/decide-actions.ts'
import { settleChanges } from '../actions/settle-changes.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { type Standing, type Step, scoringTime, stateAt, takeStep } from '../employees/standing.ts'
import { lockStandings } from '../employees/standings.queries.ts'
import { actorText } from '../platform/actor.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { conflict, notFound } from '../platform/errors.ts'
import { readScoringBasis, type ScoringBasis } from '../tenants/scoring-basis.ts'
import { advanceStandings } from './apply-due-changes.job.ts'
import { findEvent } from './events.queries.ts'
import { countEvents } from './ingest.queries.ts'
import { markChanged } from './marks.queries.ts'
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
  await retractTogether(tx, tenant_id, standings, [event], basis, now, cause)
  const row = (await findEvent(tx, tenant_id, event_id))!
  const change = { action: 'event.retracted', subject_kind: 'event', subject_id: event_id }
  const before = { impact: event.impact, score: score_before }
  const after = { impact: 0, score: standing.score, reason }
  await recordAudit(tx, tenant_id, now, origin, [{ ...change, before, after }])
  const view = eventView(row, basis.settingsOf(standing.settings_version), now)
  return { ...view, reason, score_before, score_after: standing.score }
}

export type RetractionCause = { reason: string; actor: string }

/**
 * Invariant: the caller holds the locks of the events' employees, has brought them up to now, and
 * none of the events is retracted. Returns how many scores changed.
 */
export async function retractTogether(
  tx: Tx,
  tenant_id: string,
  standings: ReadonlyMap<string, Standing>,
  events: readonly Retractable[],
  basis: ScoringBasis,
  now: Instant,
  { reason, actor }: RetractionCause,
): Promise<number> {
  const ids = events.map(event => event.event_id)
  const [shares] = await Promise.all([
    readSharesOf(tx, tenant_id, ids),
    markRetracted(tx, tenant_id, ids, now, reason),
  ])
  await moveLastNegatives(tx, tenant_id, standings, events)
  const steps: Step[] = []
  const ended: EndedShare[] = []
  for (const [standing, lost] of byStanding(standings, shares)) {
    const state = stateWithout(standing, basis, lost, now)
    const step = takeStep(standing, basis, state, causeOf(lost, events, actor))
    steps.push(step)
    for (const share of lost) {
      ended.push({ ...share, to_version: step.version, ended_at: step.at })
    }
  }
  const moved = steps.map(step => standings.get(step.employee_id)!)
  const actions = await decideActions(tx, tenant_id, now, basis, moved, steps)
  const fewer = events.map(event => ({ ...event, events: 0, counted: -1 }))
  const shared = [
    markChanged(tx, tenant_id, basis.closing_to, events),
    countEvents(tx, tenant_id, fewer),
  ]
  await Promise.all([
    endShares(tx, tenant_id, ended, 'retraction'),
    settleChanges(tx, tenant_id, now, { standings: moved, steps, actions, shared }),
  ])
  return steps.filter(step => step.previous?.score !== step.score).length
}

/** The state as worth now without these shares. */
export function stateWithout(
  standing: Standing,
  basis: ScoringBasis,
  shares: readonly Share[],
  now: Instant,
): State {
  const at = scoringTime(standing, now)
  const settings = basis.settingsOf(standing.settings_version)
  let state = stateAt(standing, basis, at)
  for (const share of shares) state = removeShare(state, settings, share, at)
  return state
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

/**
 * Without its last negative event an employee has been clean for longer; a streak may be overdue.
 * Invariant: the events are marked as retracted already.
 */
async function moveLastNegatives(
  tx: Tx,
  tenant_id: string,
  standings: ReadonlyMap<string, Standing>,
  events: readonly Retractable[],
): Promise<void> {
  const concerned = events.filter(({ employee_id, impact, timestamp }) => {
    const last = standings.get(employee_id)?.last_negative_at ?? null
    return impact < 0 && last !== null && timestamp >= last
  })
  if (concerned.length === 0) return
  const employee_ids = [...new Set(concerned.map(event => event.employee_id))]
  const carrying = employee_ids.filter(id => standings.get(id)!.carried !== null)
  const left = await lastNegatives(tx, tenant_id, employee_ids, carrying)
  for (const id of employee_ids) standings.get(id)!.last_negative_at = left.get(id) ?? null
}

function causeOf(lost: readonly Share[], events: readonly Retractable[], actor: string) {
  const ids = new Set(lost.map(share => share.event_id))
  const first = events.find(event => ids.has(event.event_id))!
  // A row of history names one event; of several retracted together it names none.
  const event_id = ids.size === 1 ? first.event_id : null
  return { reason: 'retraction', trigger_event: first.type, event_id, actor } as const
}
