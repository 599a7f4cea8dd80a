// Scores move with time: applies what fell due without an event, in order, dated at its own instant.
import type { Standing } from '../employees/standing.ts'
import { lockStandings } from '../employees/standings.queries.ts'
import type { Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import type { Job } from '../platform/jobs.ts'
import { step } from '../platform/steps.ts'
import { readRuleBook } from '../rules/rule-book.ts'
import { readScoringBasis, type ScoringBasis } from '../tenants/scoring-basis.ts'
import { claimDue, tenantsWithDue } from './due-changes.queries.ts'
import { streakQuestions } from './firing-questions.ts'
import { readFirings } from './ingest.queries.ts'
import { writeBatch } from './ingest-events.ts'
import { advance, openBatch, refreshStreaks } from './score-batch.ts'

const CHUNK = 250
const CHUNKS_PER_TURN = 4
const TENANTS_PER_TURN = 200

export function applyDueChangesJob(): Job {
  let cursor = ''
  return {
    name: 'apply-due-changes',
    every_ms: 500,
    async run(context) {
      const now = context.clock.now()
      const tenants = await context.db.acrossTenants(tx =>
        tenantsWithDue(tx, new Date(now), cursor, TENANTS_PER_TURN),
      )
      if (tenants.length > 0) step('decay.found')
      let applied = 0
      for (const tenant_id of tenants) applied += await applyDueOfTenant(context, tenant_id, now)
      const full = tenants.length === TENANTS_PER_TURN
      cursor = full ? tenants.at(-1)! : ''
      return applied > 0 || full
    },
  }
}

/** A few chunks of one tenant, so that a large one does not keep the others waiting. */
async function applyDueOfTenant(context: Context, tenant_id: string, now: Instant) {
  let total = 0
  for (let chunk = 0; chunk < CHUNKS_PER_TURN; chunk++) {
    const applied = await context.db.inTenant(tenant_id, async tx => {
      const due = await claimDue(tx, tenant_id, new Date(now), CHUNK)
      if (due.length === 0) return 0
      const [standings, basis] = await Promise.all([
        lockStandings(tx, tenant_id, due),
        readScoringBasis(tx, tenant_id),
      ])
      step('decay.locked')
      await advanceStandings(tx, tenant_id, [...standings.values()], basis, now)
      step('decay.written')
      return due.length
    })
    if (applied > 0) step('decay.committed')
    total += applied
    if (applied < CHUNK) break
  }
  return total
}

/** Invariant: the caller holds the locks. Brings the standings up to now and writes what that took. */
export async function advanceStandings(
  tx: Tx,
  tenant_id: string,
  standings: readonly Standing[],
  basis: ScoringBasis,
  now: Instant,
): Promise<void> {
  const book = await readRuleBook(tx, tenant_id, basis.rules_version)
  const batch = openBatch(basis, book, now)
  refreshStreaks(batch, standings)
  const questions = standings.flatMap(standing => streakQuestions(book, standing, now))
  batch.firings = await readFirings(tx, tenant_id, questions)
  for (const standing of standings) advance(batch, standing, now)
  step('decay.advanced')
  if (batch.touched.size > 0) await writeBatch(tx, tenant_id, batch)
}
