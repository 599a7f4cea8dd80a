// Redaction: the details of one event go, everywhere; what it did to the score stays, and no replay judges it anew.
import { STREAK_EVENT_TYPE } from '../../../scoring/streak.ts'
import { requireScopeStill } from '../access/judge-originator.ts'
import type { Asked } from '../accounts/identity.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { lockStandings } from '../employees/standings.queries.ts'
import { emptyAnswers } from '../idempotency/answers.queries.ts'
import type { Tx } from '../platform/database.ts'
import { conflict, notFound } from '../platform/errors.ts'
import { readScoringBasis } from '../tenants/scoring-basis.ts'
import { redactMessages } from '../webhooks/redact-messages.ts'
import { findEvent } from './events.queries.ts'
import { findEmployeeOf, markRedacted } from './retract.queries.ts'
import { eventView } from './scored-event.ts'

/** May be repeated: what is redacted stays so. Invariant: under the lock that replays of the employee hold. */
export async function redactEvent(tx: Tx, asked: Asked, event_id: string) {
  const { tenant_id, origin, now } = asked
  const employee_id = await findEmployeeOf(tx, tenant_id, event_id)
  if (employee_id === undefined) throw notFound('event')
  const standing = (await lockStandings(tx, tenant_id, [employee_id])).get(employee_id)
  await requireScopeStill(tx, asked, 'employees:write')
  const [event, basis] = await Promise.all([
    findEvent(tx, tenant_id, event_id),
    readScoringBasis(tx, tenant_id),
  ])
  if (!event || !standing) throw notFound('event')
  if (event.type === STREAK_EVENT_TYPE) {
    throw conflict('a clean streak is made by the service itself and says nothing of anybody')
  }
  const settings = basis.settingsOf(standing.settings_version)
  if (event.redacted_at) return eventView(event, settings, now)
  const redacted_at = new Date(now)
  await markRedacted(tx, tenant_id, event_id, redacted_at)
  await redactMessages(tx, tenant_id, event_id, event.received_at.getTime())
  // Of all answers that are kept that of a retraction alone shows an event with its details.
  await emptyAnswers(tx, tenant_id, `POST /v1/events/${event_id}/retract `)
  const subject = { subject_kind: 'event', subject_id: event_id, employee_id }
  await recordAudit(tx, tenant_id, now, origin, [{ action: 'event.redacted', ...subject }])
  return eventView({ ...event, details: {}, redacted_at }, settings, now)
}
