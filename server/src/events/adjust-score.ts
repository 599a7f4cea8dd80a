// Manual adjustment: an event whose share is the given number.
import { DASHBOARD_SOURCE, MANUAL_EVENT_TYPE } from '../../../scoring/streak.ts'
import type { Asked } from '../accounts/identity.ts'
import { requireStill } from '../accounts/require-still.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { lockStandings } from '../employees/standings.queries.ts'
import { actorText } from '../platform/actor.ts'
import type { Tx } from '../platform/database.ts'
import { conflict, invalid, notFound } from '../platform/errors.ts'
import { readRuleBook } from '../rules/rule-book.ts'
import { readScoringBasis } from '../tenants/scoring-basis.ts'
import { streakQuestions } from './firing-questions.ts'
import { readFirings } from './ingest.queries.ts'
import { writeBatch } from './ingest-events.ts'
import { openBatch, refreshStreaks, scoreEvent } from './score-batch.ts'
import { type EventAnswer, eventAnswer } from './scored-event.ts'

export type Adjustment = { employee_id: string; impact: number; reason: string }

/** Invariant: reached from a dashboard session only; the public API cannot change a score. */
export async function adjustScore(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  adjustment: Adjustment,
): Promise<EventAnswer> {
  const { employee_id, impact, reason } = adjustment
  if (impact === 0) throw invalid([{ path: 'impact', message: 'must not be 0' }])
  await requireStill(tx, tenant_id, origin, 'scores:adjust')
  const [standings, basis] = await Promise.all([
    lockStandings(tx, tenant_id, [employee_id]),
    readScoringBasis(tx, tenant_id),
  ])
  const standing = standings.get(employee_id)
  if (!standing) throw notFound('employee')
  if (standing.erased) throw conflict('this person was erased; only the numbers are left')
  if (standing.status === 'inactive') {
    throw conflict('the score of an inactive employee is frozen; reactivate the employee first')
  }
  const book = await readRuleBook(tx, tenant_id, basis.rules_version)
  const batch = openBatch(basis, book, now)
  refreshStreaks(batch, [standing])
  batch.firings = await readFirings(tx, tenant_id, streakQuestions(book, basis, standing, now))
  const actor = actorText(origin.actor)
  const scored = scoreEvent(batch, standing, {
    type: MANUAL_EVENT_TYPE,
    source: DASHBOARD_SOURCE,
    timestamp: now,
    details: { reason, author: actor },
    actor,
    fixed_impact: impact,
  })
  await writeBatch(tx, tenant_id, batch)
  const subject = { subject_kind: 'employee', subject_id: employee_id, employee_id }
  const answer = eventAnswer(scored)
  const before = { score: answer.score_before }
  const after = { event_id: scored.event_id, impact, reason, score: answer.score_after }
  await recordAudit(tx, tenant_id, now, origin, [
    { action: 'score.adjusted', ...subject, before, after },
  ])
  return answer
}
