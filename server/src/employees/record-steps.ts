// Writes changes of standing: the state, its history, the counts of people and what is told of it.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { type Write, writeTogether } from '../platform/write-together.ts'
import { type Message, readAudience, tell } from '../webhooks/announce.ts'
import { countMoves } from './score-counts.queries.ts'
import type { Standing, Step } from './standing.ts'
import { insertHistory, updateStandings } from './standings.queries.ts'

/** Invariant: the caller holds the lock of every standing, and `steps` are in the order they were taken. */
export async function recordSteps(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  standings: readonly Standing[],
  steps: readonly Step[],
): Promise<void> {
  const employee_ids = steps.map(step => step.employee_id)
  const audience = await readAudience(tx, tenant_id, employee_ids)
  const messages = steps.flatMap(describeStep)
  const { writes, wake } = tell(tx, tenant_id, now, messages, audience)
  const counts = countMoves(tx, tenant_id, now, steps)
  await writeTogether(tx, [...stepWrites(tx, tenant_id, standings, steps), ...writes, counts], wake)
}

/** The state and its history. */
export function stepWrites(
  tx: Tx,
  tenant_id: string,
  standings: readonly Standing[],
  steps: readonly Step[],
): (Write | null)[] {
  return [updateStandings(tx, tenant_id, standings), insertHistory(tx, tenant_id, steps)]
}

/** The messages of a step: only a changed number or band is told, and nothing of somebody erased. */
export function describeStep(step: Step): Message[] {
  const { previous, employee_id, email, at } = step
  if (!previous || step.erased) return []
  const messages: Message[] = []
  const base = { at, employee_id }
  const numbers = { employee_id, email, previous_score: previous.score, new_score: step.score }
  if (previous.score !== step.score) {
    const { reason, trigger_event } = step
    const change = step.score - previous.score
    const data = () => ({ ...numbers, change, reason, trigger_event })
    messages.push({ ...base, kind: 'score.updated', data })
  }
  if (previous.band !== step.band) {
    const bands = { previous_band: previous.band, new_band: step.band }
    const data = () => ({ ...numbers, ...bands, trigger_event: step.trigger_event })
    messages.push({ ...base, kind: 'score.band_changed', data })
  }
  return messages
}
