// Erasure: who somebody was is taken out of every table; the numbers stay, without a name.
import { eraseAnswers } from './access/person.queries.ts'
import { eraseActions, listActionIds } from './actions/person.queries.ts'
import { eraseValues, eraseValuesNaming } from './audit/audit.queries.ts'
import { recordAudit } from './audit/record-audit.ts'
import { emailKey } from './employees/email-address.ts'
import { findEmployee } from './employees/employees.queries.ts'
import { eraseProfile } from './employees/person.queries.ts'
import { lockStandings } from './employees/standings.queries.ts'
import { eraseEvents, eraseUnmatched, listEventIds } from './events/person.queries.ts'
import type { Origin } from './platform/actor.ts'
import type { Instant } from './platform/clock.ts'
import type { Tx } from './platform/database.ts'
import { notFound } from './platform/errors.ts'
import { eraseScopes } from './replays/person.queries.ts'
import { eraseMentions, eraseMessages } from './webhooks/person.queries.ts'

/**
 * May be repeated. Invariant: one transaction under the employee's lock, so that an event on its way either
 * is erased with the rest or no longer finds the person.
 */
export async function erasePerson(
  tx: Tx,
  tenant_id: string,
  origin: Origin,
  now: Instant,
  employee_id: string,
) {
  await lockStandings(tx, tenant_id, [employee_id])
  const employee = await findEmployee(tx, tenant_id, employee_id)
  if (!employee) throw notFound('employee')
  const { email } = employee
  const alias = aliasOf(employee_id)
  const at = new Date(now)
  const events = await listEventIds(tx, tenant_id, employee_id)
  const actions = await listActionIds(tx, tenant_id, employee_id)
  const erased_at = await eraseProfile(tx, tenant_id, employee_id, emailKey(email), alias, at)
  await eraseEvents(tx, tenant_id, employee_id)
  await eraseUnmatched(tx, tenant_id, emailKey(email))
  await eraseActions(tx, tenant_id, employee_id, at)
  await eraseMessages(tx, tenant_id, employee_id)
  await eraseMentions(tx, tenant_id, email, alias)
  await eraseAnswers(tx, tenant_id, email)
  await eraseScopes(tx, tenant_id, email)
  await eraseValues(tx, tenant_id, [employee_id, ...events, ...actions])
  await eraseValuesNaming(tx, tenant_id, email)
  await recordAudit(tx, tenant_id, now, origin, [
    { action: 'employee.erased', subject_kind: 'employee', subject_id: employee_id },
  ])
  return { id: employee_id, email: alias, erased_at }
}

/** An address that nobody can have, and no two people share. */
function aliasOf(employee_id: string): string {
  return `erased-${employee_id}@invalid`.toLowerCase()
}
