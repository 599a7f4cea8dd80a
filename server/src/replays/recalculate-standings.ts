// Recalculation of a few employees at once: replays their logs and writes only what differs from the record.
import { decideActions } from '../actions/decide-actions.ts'
import { settleChanges } from '../actions/settle-changes.ts'
import { dueStreak, type Standing, type Step, takeStep } from '../employees/standing.ts'
import { countEvents, type EventCount } from '../events/event-counts.queries.ts'
import { insertShares } from '../events/ingest.queries.ts'
import { markChanged } from '../events/marks.queries.ts'
import { type MergedCounts, mergeCounts } from '../events/merge-counts.ts'
import type { ShareRecord } from '../events/scored-event.ts'
import { type EndedShare, endShares } from '../events/shares.queries.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { inParts, ROWS_AT_ONCE } from '../platform/in-parts.ts'
import { step } from '../platform/steps.ts'
import type { ScoringBasis } from '../tenants/scoring-basis.ts'
import { updateScoring } from './replays.queries.ts'
import { type Revised, reviseStandings, type TakePage } from './revise-standings.ts'
import { type Changes, isMoved, type Rescored } from './revision.ts'

/** What is written for all of them together. */
type Written = {
  touched: Standing[]
  steps: Step[]
  ended: EndedShare[]
  given: ShareRecord[]
  rescored: Rescored[]
  counts: EventCount[]
}

/** Other changes of standing that are written along, so that each table is written once. */
export type Beside = { touched: readonly Standing[]; steps: readonly Step[] }

export type Along = {
  beside?: Beside
  /** Waited for before anything is written that others may wait for. */
  turn?: () => Promise<void>
  redone?: boolean
}

/** Invariant: as above. Returns how many events were replayed and how many scores changed. */
export async function recalculateStandings(
  tx: Tx,
  tenant_id: string,
  standings: readonly Standing[],
  basis: ScoringBasis,
  now: Instant,
  actor: string,
  { beside = { touched: [], steps: [] }, turn, redone = false }: Along = {},
): Promise<{ events: number; changed: number }> {
  const merged: MergedCounts = new Map()
  const take = takePages(tx, tenant_id, merged)
  const { revised, events } = await reviseStandings(tx, tenant_id, standings, basis, now, take)
  const written: Written = {
    touched: [...beside.touched],
    steps: [...beside.steps],
    ended: [],
    given: [],
    rescored: [],
    counts: [],
  }
  step('recalculation.replayed')
  for (const one of revised) settle(written, one, basis, actor)
  const { touched, steps } = written
  const actions = await decideActions(tx, tenant_id, now, basis, touched, steps)
  // Nobody is affected by more or fewer events than before, only by others' impact.
  const counts = [...merged.values(), ...written.counts]
  const marks = markChanged(tx, tenant_id, basis.closing_to, counts, ['sums'])
  const { rescored, ended, given } = await writeMost(tx, tenant_id, written)
  const rows = [insertShares(tx, tenant_id, given)]
  const shared = [marks, countEvents(tx, tenant_id, now, counts)]
  await Promise.all([
    updateScoring(tx, tenant_id, rescored),
    endShares(tx, tenant_id, ended, 'recalculation'),
    settleChanges(tx, tenant_id, now, {
      standings: touched,
      steps,
      actions,
      rows,
      shared,
      ...(turn && { turn }),
      redone,
    }),
  ])
  step('recalculation.written')
  const changed = written.steps.filter(step => step.previous?.score !== step.score).length
  return { events, changed }
}

/** Of a log that is read in pages all but the last are written as they come: the step that follows has the next version. */
function takePages(tx: Tx, tenant_id: string, merged: MergedCounts): TakePage {
  return async (standing, as_of, changes) => {
    mergeCounts(merged, changes.rescored.flatMap(recount))
    const { rescored, ended, given } = dated(changes, standing.version + 1, as_of)
    for (const part of inParts(rescored)) await updateScoring(tx, tenant_id, part)
    for (const part of inParts(ended)) await endShares(tx, tenant_id, part, 'recalculation')
    for (const part of inParts(given)) await insertShares(tx, tenant_id, part)
  }
}

function dated({ rescored, ended, given }: Changes, version: number, at: Instant) {
  return {
    rescored,
    ended: ended.map(share => ({ ...share, to_version: version, ended_at: at })),
    given: given.map(share => ({ ...share, from_version: version })),
  }
}

/**
 * Of somebody with very many events most rows are written beforehand, part by part; gives what is left.
 * Invariant: shares end before others are given for the same events.
 */
async function writeMost(
  tx: Tx,
  tenant_id: string,
  { rescored, ended, given }: Pick<Written, 'rescored' | 'ended' | 'given'>,
) {
  const most = Math.max(rescored.length, ended.length, given.length)
  if (most <= ROWS_AT_ONCE) return { rescored, ended, given }
  const [last, ...parts] = inParts(rescored)
  for (const part of parts) await updateScoring(tx, tenant_id, part)
  for (const part of inParts(ended)) await endShares(tx, tenant_id, part, 'recalculation')
  const [lastGiven, ...partsGiven] = inParts(given)
  for (const part of partsGiven) await insertShares(tx, tenant_id, part)
  return { rescored: last ?? [], ended: [], given: lastGiven ?? [] }
}

function settle(
  written: Written,
  { standing, revision }: Revised,
  basis: ScoringBasis,
  actor: string,
) {
  written.rescored.push(...revision.rescored)
  written.counts.push(...revision.rescored.flatMap(recount))
  const isStill = !isMoved(standing, revision, basis)
  if (isStill && standing.last_negative_at === revision.last_negative_at) return
  standing.last_negative_at = revision.last_negative_at
  written.touched.push(standing)
  if (isStill) {
    standing.streak_due_at = dueStreak(standing, basis)
    return
  }
  standing.carried = revision.carried
  const reason = 'recalculation' as const
  const cause = { reason, trigger_event: reason, event_id: null, actor }
  const { settings_version } = basis
  const step = takeStep(standing, basis, revision.state, cause, { settings_version })
  written.steps.push(step)
  const { ended, given } = dated(revision, step.version, step.at)
  written.ended.push(...ended)
  written.given.push(...given)
}

/** The event leaves the cell of its old impact and enters that of the new one. */
function recount({ event, impact }: Rescored): EventCount[] {
  const { timestamp, type, source, department } = event
  if (impact === event.impact) return []
  const cell = { timestamp, type, source, department }
  return [
    { ...cell, impact: event.impact, events: -1, counted: -1 },
    { ...cell, impact, events: 1, counted: 1 },
  ]
}
