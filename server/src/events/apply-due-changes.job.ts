// Scores move with time: applies what fell due without an event, in order, dated at its own instant.
import { setTimeout as sleep } from 'node:timers/promises'
import { nextDueAt, type Standing } from '../employees/standing.ts'
import { lockDueStandings } from '../employees/standings.queries.ts'
import type { Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import type { Job } from '../platform/jobs.ts'
import { step } from '../platform/steps.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { readRuleBook } from '../rules/rule-book.ts'
import { readScoringBasis, type ScoringBasis } from '../tenants/scoring-basis.ts'
import { tenantsWithDue } from './due-changes.queries.ts'
import { streakQuestions } from './firing-questions.ts'
import { readFirings } from './ingest.queries.ts'
import { type WriteOptions, writeBatch } from './ingest-events.ts'
import { advance, openBatch, refreshStreaks } from './score-batch.ts'

/** How much is taken at once follows from how long its locks may be held. */
const HELD_MS = 20
const CHUNK = { least: 64, most: 256 }
/** After each chunk the machine is left to others for a part of the time it took. */
const RESTED = 0.1
/** People of one tenant in a turn, so that a large one does not keep the others waiting. */
const TURN = 1000
/** Chunks under way at once where there is a backlog. */
const LANES = 2

export function applyDueChangesJob(): Job {
  let chunk = CHUNK.least
  return createTenantJob({
    name: 'apply-due-changes',
    every_ms: 500,
    tenants: 200,
    find: ({ db }, after, limit, now) =>
      db.acrossTenants(tx => tenantsWithDue(tx, new Date(now), after, limit)),
    work: async (context, { tenant_id }, now) => {
      step('decay.found')
      const turn = await applyDueOfTenant(context, tenant_id, now, chunk)
      chunk = turn.chunk
      return turn.applied > 0
    },
  })
}

/** What the lanes of a turn share. */
type Turn = { applied: number; chunk: number }

/**
 * Chunk by chunk, each as large as the one before it took time. Where the first is full there is a backlog, and
 * several are under way at once: people in one are skipped by the others.
 */
async function applyDueOfTenant(
  context: Context,
  tenant_id: string,
  now: Instant,
  first: number,
): Promise<Turn> {
  const turn = { applied: 0, chunk: first }
  const from = await applyNext(context, tenant_id, now, turn, LONG_AGO)
  const applyLane = async () => {
    for (let next = from; next && turn.applied < TURN; ) {
      next = await applyNext(context, tenant_id, now, turn, next)
    }
  }
  await Promise.all(Array.from({ length: LANES }, applyLane))
  return turn
}

/** Where the next chunk begins, or null when nothing more is due. */
async function applyNext(
  context: Context,
  tenant_id: string,
  now: Instant,
  turn: Turn,
  from: Date,
): Promise<Date | null> {
  const { chunk } = turn
  const began = performance.now()
  const due = await applyChunk(context, tenant_id, { from, limit: chunk }, now)
  const held = performance.now() - began
  turn.applied += due.count
  if (due.count > 0) step('decay.committed')
  if (due.count < chunk) return null
  const fitting = Math.round((chunk * HELD_MS) / Math.max(1, held))
  turn.chunk = Math.min(CHUNK.most, Math.max(CHUNK.least, fitting))
  await sleep(held * RESTED)
  return due.last
}

const LONG_AGO = new Date(0)

/** How many of a chunk were due, and since when the last of them. */
type Due = { count: number; last: Date | null }

function lastDue(due: readonly Standing[]): Date | null {
  const last = due.at(-1)
  return last ? new Date(nextDueAt(last)!) : null
}

async function applyChunk(
  { db }: Context,
  tenant_id: string,
  { from, limit }: { from: Date; limit: number },
  now: Instant,
): Promise<Due> {
  return db.inTenant(tenant_id, async tx => {
    const [due, basis] = await Promise.all([
      lockDueStandings(tx, tenant_id, from, new Date(now), limit),
      readScoringBasis(tx, tenant_id),
    ])
    const found = { count: due.length, last: lastDue(due) }
    if (due.length === 0) return found
    step('decay.locked')
    await advanceStandings(tx, tenant_id, due, basis, now)
    step('decay.written')
    return found
  })
}

/** Invariant: the caller holds the locks. Brings the standings up to now and writes what that took. */
export async function advanceStandings(
  tx: Tx,
  tenant_id: string,
  standings: readonly Standing[],
  basis: ScoringBasis,
  now: Instant,
  along: Pick<WriteOptions, 'turn'> = {},
): Promise<void> {
  const book = await readRuleBook(tx, tenant_id, basis.rules_version)
  const batch = openBatch(basis, book, now)
  refreshStreaks(batch, standings)
  const questions = standings.flatMap(standing => streakQuestions(book, basis, standing, now))
  batch.firings = await readFirings(tx, tenant_id, questions)
  for (const standing of standings) advance(batch, standing, now)
  step('decay.advanced')
  if (batch.touched.size > 0) await writeBatch(tx, tenant_id, batch, along)
}
