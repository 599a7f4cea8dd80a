// Scores move with time: applies what fell due without an event, in order, dated at its own instant.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Standing } from '../employees/standing.ts'
import { listDue, lockDueStandings } from '../employees/standings.queries.ts'
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
/** People of one tenant in a turn, so that a large one does not keep the others waiting for long. */
const TURN = 5000
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
type Turn = { waiting: string[]; applied: number; chunk: number }

/**
 * Chunk by chunk, each as large as the one before it took time, several under way at once. In the order of their ids, in
 * which most rows and their entries in indexes lie: the rows of a chunk are then on few pages.
 */
async function applyDueOfTenant(
  context: Context,
  tenant_id: string,
  now: Instant,
  chunk: number,
): Promise<Turn> {
  const due = await context.db.inTenant(tenant_id, tx =>
    listDue(tx, tenant_id, new Date(now), TURN),
  )
  const turn: Turn = { waiting: due.sort(), applied: 0, chunk }
  const applyLane = async () => {
    while (turn.waiting.length > 0) await applyNext(context, tenant_id, now, turn)
  }
  try {
    await Promise.all(Array.from({ length: LANES }, applyLane))
  } finally {
    // Where one lane fails the others come to their end.
    turn.waiting.length = 0
  }
  return turn
}

async function applyNext(
  context: Context,
  tenant_id: string,
  now: Instant,
  turn: Turn,
): Promise<void> {
  const began = performance.now()
  const some = turn.waiting.splice(0, turn.chunk)
  const applied = await applyChunk(context, tenant_id, some, now)
  const held = performance.now() - began
  turn.applied += applied
  if (applied > 0) step('decay.committed')
  if (turn.waiting.length === 0) return
  const fitting = Math.round((some.length * HELD_MS) / Math.max(1, held))
  turn.chunk = Math.min(CHUNK.most, Math.max(CHUNK.least, fitting))
  await sleep(held * RESTED)
}

/** How many of them were due. */
async function applyChunk(
  { db }: Context,
  tenant_id: string,
  employee_ids: string[],
  now: Instant,
): Promise<number> {
  return db.inTenant(tenant_id, async tx => {
    const [due, basis] = await Promise.all([
      lockDueStandings(tx, tenant_id, employee_ids, new Date(now)),
      readScoringBasis(tx, tenant_id),
    ])
    if (due.length === 0) return 0
    step('decay.locked')
    await advanceStandings(tx, tenant_id, due, basis, now, { redone: true })
    step('decay.written')
    return due.length
  })
}

/** Invariant: the caller holds the locks. Brings the standings up to now and writes what that took. */
export async function advanceStandings(
  tx: Tx,
  tenant_id: string,
  standings: readonly Standing[],
  basis: ScoringBasis,
  now: Instant,
  along: Pick<WriteOptions, 'turn' | 'redone'> = {},
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
