// Erasure by reference: what leads to a person is emptied, and nothing else is touched; the numbers stay, without a name.
import { requireScopeStill } from '../access/judge-originator.ts'
import { findMemberByEmail } from '../accounts/find-member.ts'
import { forgetOrphan } from '../accounts/forget-member.ts'
import type { Asked } from '../accounts/identity.ts'
import { endOpenActions } from '../actions/person.queries.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { aliasOf, emailKey } from '../employees/email-address.ts'
import { type EmployeeRow, findEmployee } from '../employees/employees.queries.ts'
import { hashAddress } from '../employees/forgotten-addresses.ts'
import { findErasedAt, markErased } from '../employees/person.queries.ts'
import { summarizeEmployee } from '../employees/read-employees.ts'
import { recordSteps } from '../employees/record-steps.ts'
import { type Standing, scoringTime, stateAt, takeStep } from '../employees/standing.ts'
import { lockStandings } from '../employees/standings.queries.ts'
import { advanceStandings } from '../events/apply-due-changes.job.ts'
import { actorText, type Origin } from '../platform/actor.ts'
import { SECOND } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { conflict, isUnavailable, notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { TABLES } from '../platform/tables.ts'
import { findJob, type JobRow, releaseJob } from '../replays/jobs.queries.ts'
import { LEASE_MS } from '../replays/run-pieces.ts'
import { readScoringBasis } from '../tenants/scoring-basis.ts'
import { announce } from '../webhooks/announce.ts'
import { lockPending, stopDeliveries } from '../webhooks/person.queries.ts'
import { emptyAddress, eraseRows, PAGE } from './erase-rows.ts'
import { cancelJobsOf, emptyRows, insertErasure, isOpenErasure } from './erasure.queries.ts'

/** How long the request goes on with the job itself: all of most people is done by then. */
const AT_ONCE_MS = 2 * SECOND

export type Bounds = { page: number; at_once_ms: number }

/**
 * May be repeated, and tells then how far it is. What makes the person nobody is one transaction; what is left is a job,
 * which the request begins and the worker ends, also after a kill.
 */
export async function eraseEmployee(
  context: Context,
  tenant_id: string,
  origin: Origin,
  employee_id: string,
  { page, at_once_ms }: Bounds = { page: PAGE, at_once_ms: AT_ONCE_MS },
) {
  const { db, clock } = context
  const until = clock.now() + at_once_ms
  const asked = { tenant_id, origin, now: clock.now() }
  await dropAccount(context, tenant_id, employee_id)
  const begun = await db.inTenant(tenant_id, tx => takeOut(context, tx, asked, employee_id, page))
  if (begun) await goOn(context, tenant_id, begun, until, page)
  return db.inTenant(tenant_id, async tx => ({
    id: employee_id,
    email: aliasOf(employee_id),
    erased_at: (await findErasedAt(tx, tenant_id, employee_id))!,
    status: (await isOpenErasure(tx, tenant_id, employee_id))
      ? ('running' as const)
      : ('completed' as const),
  }))
}

/**
 * An account for the dashboard that belongs to nobody's organization any more. Before the rest, as the address leads to
 * it; one that the operator has disabled stays, or the person could be let in anew.
 */
async function dropAccount(
  context: Context,
  tenant_id: string,
  employee_id: string,
): Promise<void> {
  const email = await context.db.inTenant(tenant_id, async tx => {
    const employee = await findEmployee(tx, tenant_id, employee_id)
    const isMember = employee && (await findMemberByEmail(tx, tenant_id, employee.email))
    return isMember ? undefined : employee?.email
  })
  if (email !== undefined) await forgetOrphan(context, tenant_id, email)
}

/** What fails here is tried again by the worker: the person is erased already. */
async function goOn(
  context: Context,
  tenant_id: string,
  job: JobRow,
  until: number,
  page: number,
): Promise<void> {
  const { db, log } = context
  try {
    const more = await eraseRows(context, tenant_id, job, until, page)
    if (more) await db.inTenant(tenant_id, tx => releaseJob(tx, tenant_id, job))
  } catch (error) {
    if (isUnavailable(error)) return
    log.error({ err: error, tenant_id, job_id: job.job_id }, 'an erasure is left to the worker')
  }
}

/**
 * Invariant: one transaction under the employee's lock, so that an event on its way either is there before it, and is
 * emptied with the rest, or no longer finds the person. No part of it takes longer the more there is about somebody.
 */
async function takeOut(
  context: Context,
  tx: Tx,
  asked: Asked,
  employee_id: string,
  page: number,
): Promise<JobRow | null> {
  const { tenant_id, origin, now } = asked
  const standing = (await lockStandings(tx, tenant_id, [employee_id])).get(employee_id)
  await requireScopeStill(tx, asked, 'employees:write')
  const employee = await findEmployee(tx, tenant_id, employee_id)
  if (!employee || !standing) throw notFound('employee')
  if (standing.erased) return null
  if (await findMemberByEmail(tx, tenant_id, employee.email)) {
    throw conflict('this person has an account for the dashboard; remove it under Users first')
  }
  const at = new Date(now)
  const email_key = emailKey(employee.email)
  await cancelJobsOf(tx, tenant_id, employee_id, at)
  await endOpenActions(tx, tenant_id, employee_id, at, page)
  await stopDeliveries(tx, tenant_id, await lockPending(tx, tenant_id, employee_id, page))
  await emptyProfile(tx, tenant_id, employee_id)
  await markErased(tx, tenant_id, employee_id, at)
  const addresses = (await emptyAddress(tx, tenant_id, email_key, page)) === page
  await deactivate(tx, asked, standing, employee)
  const job_id = newId('job', now)
  await insertErasure(tx, tenant_id, {
    job_id,
    employee_id,
    email_hash: hashAddress(context, tenant_id, email_key)[0]!,
    scope: { addresses },
    requested_by: actorText(origin.actor),
    now: at,
    lease_until: new Date(now + LEASE_MS),
  })
  const subject = { subject_kind: 'employee', subject_id: employee_id, employee_id }
  await recordAudit(tx, tenant_id, now, origin, [{ action: 'employee.erased', ...subject }])
  return (await findJob(tx, tenant_id, job_id))!
}

async function emptyProfile(tx: Tx, tenant_id: string, employee_id: string): Promise<void> {
  const { key: by, personal } = TABLES.employees!
  const profile = { table: 'employees', by, personal: personal! }
  await emptyRows(tx, tenant_id, profile, [{ employee_id }], aliasOf(employee_id))
}

/**
 * Views of the present no longer count somebody erased; the past stays as it was. What is told of it holds nobody, so
 * it is about nobody: it is sent although the person is erased.
 */
async function deactivate(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  standing: Standing,
  { id: employee_id }: EmployeeRow,
): Promise<void> {
  Object.assign(standing, { erased: true, email: aliasOf(employee_id) })
  if (standing.status === 'inactive') return
  const basis = await readScoringBasis(tx, tenant_id)
  await advanceStandings(tx, tenant_id, [standing], basis, now)
  const at = scoringTime(standing, now)
  const reason = 'deactivation' as const
  const cause = { reason, trigger_event: reason, event_id: null, actor: actorText(origin.actor) }
  const step = takeStep(standing, basis, stateAt(standing, basis, at), cause, {
    status: 'inactive',
  })
  await recordSteps(tx, tenant_id, now, [standing], [step])
  const left = (await findEmployee(tx, tenant_id, employee_id))!
  const data = () => summarizeEmployee(left)
  await announce(tx, tenant_id, now, [
    { kind: 'employee.deactivated', at: now, employee_id: '', data },
  ])
}
