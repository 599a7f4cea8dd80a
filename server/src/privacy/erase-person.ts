// Erasure: who somebody was is taken out of every table; the numbers stay, without a name.
import { requireScopeStill } from '../access/judge-originator.ts'
import { findMemberByEmail } from '../accounts/find-member.ts'
import type { Asked } from '../accounts/identity.ts'
import { eraseActions } from '../actions/person.queries.ts'
import { eraseValues } from '../audit/audit.queries.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { aliasOf, emailKey } from '../employees/email-address.ts'
import { type EmployeeRow, findEmployee } from '../employees/employees.queries.ts'
import { eraseProfile, hasNamesake } from '../employees/person.queries.ts'
import { lockStandings } from '../employees/standings.queries.ts'
import {
  eraseEvents,
  eraseUnmatched,
  listEventIds,
  listExternalIds,
  listUnmatchedIds,
} from '../events/person.queries.ts'
import { eraseAnswersAbout } from '../idempotency/person.queries.ts'
import type { Origin } from '../platform/actor.ts'
import { MINUTE } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { conflict, notFound } from '../platform/errors.ts'
import type { Traces } from '../platform/mentions.ts'
import { stopMessages } from '../webhooks/person.queries.ts'
import {
  type ErasureRow,
  emptyEventsLater,
  findErasure,
  insertErasure,
  isEmptying,
} from './erasures.queries.ts'
import { sealTraces, sweepPerson } from './sweep-person.ts'

/** A shorter id of an event may mean anything. */
const LEAST_ID_LENGTH = 6
/** What a request looks through before the worker goes on: all of a small tenant. */
const ROWS_AT_ONCE = 20_000
/** Whoever has more is taken out at once, and their events are emptied page by page after it. */
const EVENTS_AT_ONCE = 5000
/** Time to look for all that names so many events. */
const OWN_MS = 2 * MINUTE

/**
 * May be repeated. First the person's own rows, in one transaction that also notes what to look for; then, in
 * pieces, messages about them, the events of somebody with very many, and what was written about others. A kill loses
 * nothing: the worker goes on from the note.
 */
export async function erasePerson(
  context: Context,
  tenant_id: string,
  origin: Origin,
  employee_id: string,
) {
  const { db, clock } = context
  const asked = { tenant_id, origin, now: clock.now() }
  const own = (tx: Tx) => eraseOwn(context, tx, asked, employee_id)
  const erased = await db.inTenant(tenant_id, own, OWN_MS)
  await sweepPerson(context, tenant_id, employee_id, ROWS_AT_ONCE)
  const left = await db.inTenant(tenant_id, tx => findErasure(tx, tenant_id, employee_id))
  return { ...erased, search: describeSearch(left, erased.erased_at) }
}

/** For people erased by a release that did not search yet, nothing is left to look for. */
function describeSearch(row: ErasureRow | undefined, erased_at: Date) {
  const none = { rows_read: 0, rows_changed: 0, finished_at: erased_at }
  const { rows_read, rows_changed, finished_at } = row ?? none
  // The release before knows nothing of what is emptied first, and may end a search before that.
  const isOver = finished_at !== null && !(row && isEmptying(row))
  const status = isOver ? ('completed' as const) : ('running' as const)
  return { status, rows_read, rows_changed, finished_at }
}

/**
 * Invariant: one transaction under the employee's lock, so that an event on its way either is erased with the
 * rest, or after it, or no longer finds the person.
 */
async function eraseOwn(context: Context, tx: Tx, asked: Asked, employee_id: string) {
  const { tenant_id, origin, now } = asked
  const standing = (await lockStandings(tx, tenant_id, [employee_id])).get(employee_id)
  await requireScopeStill(tx, asked, 'employees:write')
  const employee = await findEmployee(tx, tenant_id, employee_id)
  if (!employee || !standing) throw notFound('employee')
  const email_key = emailKey(employee.email)
  const alias = aliasOf(employee_id)
  const at = new Date(now)
  const unmatched = await listUnmatchedIds(tx, tenant_id, email_key)
  if (!standing.erased) await noteTraces(context, tx, asked, employee, unmatched)
  const events = await listEventIds(tx, tenant_id, employee_id)
  const erased_at = await eraseProfile(tx, tenant_id, employee_id, email_key, alias, at)
  if (events.length <= EVENTS_AT_ONCE) await eraseEvents(tx, tenant_id, events)
  else if (!standing.erased) await emptyEventsLater(tx, tenant_id, employee_id)
  await eraseUnmatched(tx, tenant_id, unmatched)
  await eraseActions(tx, tenant_id, employee_id, at)
  if (!standing.erased) await stopMessages(tx, tenant_id, employee_id)
  await eraseAnswersAbout(tx, tenant_id, employee_id)
  await eraseValues(tx, tenant_id, employee_id)
  const subject = { subject_kind: 'employee', subject_id: employee_id, employee_id }
  await recordAudit(tx, tenant_id, now, origin, [{ action: 'employee.erased', ...subject }])
  return { id: employee_id, email: alias, erased_at }
}

/** Sealed: the note is the last place that knows the name, and forgets it when all is looked through. */
async function noteTraces(
  context: Context,
  tx: Tx,
  { tenant_id, now }: Asked,
  employee: EmployeeRow,
  unmatched: string[],
): Promise<void> {
  const { id: employee_id, email, first_name, last_name } = employee
  if (await findMemberByEmail(tx, tenant_id, email)) {
    throw conflict('this person has an account for the dashboard; remove it under Users first')
  }
  const shared = first_name.trim() === '' || last_name.trim() === ''
  const traces: Traces = {
    email,
    name: shared || (await hasNamesake(tx, tenant_id, employee)) ? null : [first_name, last_name],
    ids: await listExternalIds(tx, tenant_id, employee_id, unmatched, LEAST_ID_LENGTH),
  }
  const sealed = sealTraces(context, tenant_id, employee_id, traces)
  const started_at = new Date(now)
  await insertErasure(tx, tenant_id, { employee_id, traces: sealed, started_at })
}
