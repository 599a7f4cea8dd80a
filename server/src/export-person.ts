// Export: everything that is stored about somebody, as one JSON object.
import { exportActions, listActionIds } from './actions/person.queries.ts'
import { exportEntries } from './audit/audit.queries.ts'
import { recordAudit } from './audit/record-audit.ts'
import { emailKey } from './employees/email-address.ts'
import { exportHistory, exportProfile } from './employees/person.queries.ts'
import {
  exportEvents,
  exportShares,
  exportUnmatched,
  listEventIds,
} from './events/person.queries.ts'
import type { Origin } from './platform/actor.ts'
import type { Context } from './platform/context.ts'
import type { Tx } from './platform/database.ts'
import { notFound } from './platform/errors.ts'
import { exportMessages } from './webhooks/person.queries.ts'

export async function exportPerson(
  { db, clock }: Context,
  tenant_id: string,
  origin: Origin,
  employee_id: string,
) {
  const now = clock.now()
  const found = await db.readTenant(tenant_id, tx => collect(tx, tenant_id, employee_id))
  const subject = { subject_kind: 'employee', subject_id: employee_id }
  await db.inTenant(tenant_id, tx =>
    recordAudit(tx, tenant_id, now, origin, [{ action: 'employee.exported', ...subject }]),
  )
  return { exported_at: new Date(now), ...found }
}

/** Invariant: all of it is of one moment. */
async function collect(tx: Tx, tenant_id: string, employee_id: string) {
  const employee = await exportProfile(tx, tenant_id, employee_id)
  if (!employee) throw notFound('employee')
  const events = await listEventIds(tx, tenant_id, employee_id)
  const actions = await listActionIds(tx, tenant_id, employee_id)
  const entries = await exportEntries(tx, tenant_id, [employee_id, ...events, ...actions])
  return {
    employee,
    score_history: [...(await exportHistory(tx, tenant_id, employee_id))],
    events: [...(await exportEvents(tx, tenant_id, employee_id))],
    shares: [...(await exportShares(tx, tenant_id, employee_id))],
    actions: [...(await exportActions(tx, tenant_id, employee_id))],
    unmatched_events: [...(await exportUnmatched(tx, tenant_id, emailKey(employee.email)))],
    messages: [...(await exportMessages(tx, tenant_id, employee_id))],
    audit: entries.map(({ content, ...entry }) => ({ ...entry, ...readValues(content) })),
  }
}

/** Where somebody sat who changed the record is not about this person. */
function readValues(content: string | null) {
  const { before, after } = content === null ? { before: null, after: null } : JSON.parse(content)
  return { before, after }
}
