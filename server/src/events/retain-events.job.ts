// Removes events older than their tenant keeps them, in small chunks; what they weigh is carried, no score moves.
import { MAX_COOLDOWN_MS } from '../../../scoring/durations.ts'
import { decayTo, emptyState, type Share, type State, shareValue } from '../../../scoring/state.ts'
import type { Standing } from '../employees/standing.ts'
import { lockStandings } from '../employees/standings.queries.ts'
import { DAY, dayOf, type Instant, MINUTE } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob, leaveHeld } from '../platform/tenant-turns.ts'
import { RETENTION_MONTHS } from '../tenants/retention.ts'
import { readScoringBasis, type ScoringBasis } from '../tenants/scoring-basis.ts'
import { lockTenant } from '../tenants/tenants.queries.ts'
import { addUpEvents, countEvents } from './event-counts.queries.ts'
import { oldestTimestamp } from './event-input.ts'
import { boundLocks } from './ingest.queries.ts'
import { markChanged } from './marks.queries.ts'
import {
  deleteEvents,
  deleteOldCounts,
  deleteOldFirings,
  type FoldedShare,
  foldShares,
  listGoneSources,
  listOldEvents,
  type RemovedEvent,
  type Term,
  tenantsWithOldEvents,
  updateCarried,
  updateSources,
} from './retention.queries.ts'

const CHUNK = 500
const CHUNKS_PER_TURN = 4
/** Entries of the counts that are added up at once. */
const ENTRIES = 500

export function retainEventsJob(chunk = CHUNK): Job {
  return createTenantJob({
    name: 'retain-events',
    every_ms: 10 * MINUTE,
    tenants: 50,
    find: ({ db }, after, limit, now) =>
      db.acrossTenants(tx => tenantsWithOldEvents(tx, listTerms(now), after, limit)),
    work: (context, { tenant_id, months }, now) =>
      leaveHeld(retainTenant(context, tenant_id, termOf(months, now), chunk)),
  })
}

function listTerms(now: Instant): Term[] {
  const { least, most } = RETENTION_MONTHS
  return Array.from({ length: most - least + 1 }, (_, i) => termOf(least + i, now))
}

function termOf(months: number, now: Instant): Term {
  const before = oldestTimestamp(now, months)
  return { months, before, forgotten: before - MAX_COOLDOWN_MS }
}

/** A few chunks of one tenant, so that a large one does not keep the others waiting. There may always be more. */
async function retainTenant({ db, clock }: Context, tenant_id: string, term: Term, chunk: number) {
  const now = clock.now()
  let found = chunk
  for (let i = 0; i < CHUNKS_PER_TURN && found === chunk; i++) {
    found = await db.inTenant(tenant_id, tx => removeChunk(tx, tenant_id, term, chunk, now))
  }
  if (found < chunk) await db.inTenant(tenant_id, tx => tidy(tx, tenant_id, term))
  return true
}

/**
 * Invariant: the state itself is not touched; carried sums hold at the instant of the state. A tenant that keeps its
 * events for another time by now is left to the next turn.
 */
async function removeChunk(
  tx: Tx,
  tenant_id: string,
  { months, before }: Term,
  chunk: number,
  now: Instant,
) {
  const old = await listOldEvents(tx, tenant_id, new Date(before), chunk)
  if (old.length === 0) return 0
  const employee_ids = [...new Set(old.map(event => event.employee_id))]
  await boundLocks(tx)
  const [standings, basis] = await Promise.all([
    lockStandings(tx, tenant_id, employee_ids),
    readScoringBasis(tx, tenant_id),
  ])
  if (basis.retention_months !== months) return 0
  const event_ids = old.map(event => event.event_id)
  const removed = await deleteEvents(tx, tenant_id, event_ids)
  // In order of their timestamps.
  const span = { from: old[0]!.timestamp, to: old.at(-1)!.timestamp }
  const folded = await foldShares(tx, tenant_id, employee_ids, event_ids, span)
  await updateCarried(tx, tenant_id, carry(standings, basis, folded))
  const counts = removed.map(({ timestamp, retracted_at, ...event }) => {
    return { ...event, timestamp: timestamp.getTime(), events: -1, counted: retracted_at ? 0 : -1 }
  })
  await dropGoneSources(tx, tenant_id, standings, removed)
  await markChanged(tx, tenant_id, basis.closing_to, counts)
  await countEvents(tx, tenant_id, now, counts)
  return old.length
}

/** An employee's integrations are the sources of the events that are kept. */
async function dropGoneSources(
  tx: Tx,
  tenant_id: string,
  standings: ReadonlyMap<string, Standing>,
  removed: readonly RemovedEvent[],
): Promise<void> {
  const gone = await listGoneSources(tx, tenant_id, removed)
  const rows = [...Map.groupBy(gone, one => one.employee_id)].map(([employee_id, lost]) => {
    const names = new Set(lost.map(one => one.source))
    const sources = standings.get(employee_id)!.sources.filter(source => !names.has(source))
    return { employee_id, sources }
  })
  await updateSources(tx, tenant_id, rows)
}

function carry(
  standings: ReadonlyMap<string, Standing>,
  basis: ScoringBasis,
  folded: readonly FoldedShare[],
) {
  const carried = new Map<string, State>()
  for (const { employee_id, impact, dated_at } of folded) {
    const standing = standings.get(employee_id)!
    const share = { impact, dated_at: dated_at.getTime() }
    const sums = carried.get(employee_id) ?? carriedAtState(standing, basis)
    carried.set(employee_id, addCarried(sums, share, standing, basis))
  }
  return [...carried].map(([employee_id, sums]) => ({ employee_id, carried: sums }))
}

function carriedAtState(
  { carried, state, settings_version }: Standing,
  basis: ScoringBasis,
): State {
  if (carried === null) return emptyState(state.as_of)
  return decayTo(carried, basis.settingsOf(settings_version), state.as_of)
}

function addCarried(sums: State, share: Share, standing: Standing, basis: ScoringBasis): State {
  const value = shareValue(share, basis.settingsOf(standing.settings_version), sums.as_of)
  if (value < 0) return { ...sums, risk: sums.risk + value }
  return { ...sums, recovery: sums.recovery + value }
}

const FIRINGS = 5000

async function tidy(tx: Tx, tenant_id: string, { months, before, forgotten }: Term): Promise<void> {
  const tenant = await lockTenant(tx, tenant_id)
  if (tenant?.retention_months !== months) return
  // A day earlier: an event that was just young enough may still be on its way into its day.
  const start = Math.floor((before - DAY) / DAY) * DAY
  while ((await addUpEvents(tx, tenant_id, ENTRIES, 'waited for')) === ENTRIES) {}
  await deleteOldCounts(tx, tenant_id, dayOf(start), new Date(start))
  await deleteOldFirings(tx, tenant_id, new Date(forgotten), FIRINGS)
}
