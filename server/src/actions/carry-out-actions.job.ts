// Sends the mails of actions: at least once, each under its action's id, tried again with growing delay.
import { listAdminEmails } from '../accounts/memberships.queries.ts'
import { isAlias } from '../employees/email-address.ts'
import { findEmployee } from '../employees/employees.queries.ts'
import { lockStandings } from '../employees/standings.queries.ts'
import { actorText, ENGINE } from '../platform/actor.ts'
import { HOUR, type Instant, MINUTE } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import type { Job } from '../platform/jobs.ts'
import { canMail, deliverMail, isRefused, MAIL_MS, type Mail, mailFault } from '../platform/mail.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { findTenant } from '../tenants/tenants.queries.ts'
import { writeMail } from './action-mail.ts'
import { type ActionRow, findAction, lockAction, updateAction } from './actions.queries.ts'
import { claimMail, holdsClaim, tenantsWithDueMail } from './carry-out.queries.ts'
import { endAction, save } from './change-action.ts'
import { ERASED_OUTCOME } from './person.queries.ts'

const MAILS_PER_TURN = 25
/** For a mail that takes all its time, and what is read before it; one that a process leaves behind waits no longer. */
export const LEASE_MS = 2 * MAIL_MS
export const DELAYS: readonly Instant[] = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR]

export function carryOutActionsJob(): Job {
  return createTenantJob({
    name: 'carry-out-actions',
    every_ms: 1000,
    tenants: 200,
    find: ({ db }, after, limit, now) =>
      db.acrossTenants(tx => tenantsWithDueMail(tx, new Date(now), after, limit)),
    work: async (context, { tenant_id }) => (await sendDue(context, tenant_id)) > 0,
  })
}

/** One is claimed when the one before is sent: whatever ends the process, the others are nobody's. */
async function sendDue(context: Context, tenant_id: string): Promise<number> {
  for (let sent = 0; sent < MAILS_PER_TURN; sent++) {
    const now = context.clock.now()
    const fence = newId('req', now)
    const until = new Date(now + LEASE_MS)
    const action_id = await context.db.inTenant(tenant_id, tx =>
      claimMail(tx, tenant_id, fence, new Date(now), until),
    )
    if (action_id === undefined) return sent
    const outcome = await attempt(context, tenant_id, action_id)
    await record(context, tenant_id, action_id, fence, outcome)
  }
  return MAILS_PER_TURN
}

/** `again`: it may succeed later. */
type Outcome = { done: true } | { done: false; why: string; again: boolean }

const never = (why: string): Outcome => ({ done: false, why, again: false })

async function attempt(context: Context, tenant_id: string, action_id: string): Promise<Outcome> {
  const prepared = await context.db.readTenant(tenant_id, tx => prepare(tx, tenant_id, action_id))
  if (typeof prepared === 'string') return never(prepared)
  if (!canMail(context)) return never('no mail server is set up (BELLWETHER_SMTP_URL)')
  try {
    await deliverMail(context, prepared, action_id)
    return { done: true }
  } catch (error) {
    const why = mailFault(error)
    context.log.warn({ tenant_id, action_id, reason: why }, 'the mail of an action was not sent')
    return { done: false, why, again: !isRefused(error) }
  }
}

/** The mail as things stand now, or why there is none. */
async function prepare(tx: Tx, tenant_id: string, action_id: string): Promise<Mail | string> {
  const action = await findAction(tx, tenant_id, action_id)
  const employee = action && (await findEmployee(tx, tenant_id, action.employee_id))
  const tenant = await findTenant(tx, tenant_id)
  if (!action || !employee || !tenant) return 'the action no longer exists'
  // It ended after it was claimed, with the person it is about or by its time; what is recorded then stays.
  if (action.status !== 'triggered') return `the action is ${action.status}`
  if (isAlias(employee.email)) return ERASED_OUTCOME
  const to = await recipientsOf(tx, tenant_id, action, employee.manager_email)
  if (typeof to === 'string') return to
  return { to, ...writeMail(action, employee, tenant.name) }
}

async function recipientsOf(tx: Tx, tenant_id: string, { type }: ActionRow, manager: string) {
  if (type === 'notify_manager') {
    return manager === '' ? 'the employee has no manager_email' : [manager]
  }
  const admins = await listAdminEmails(tx, tenant_id)
  return admins.length === 0 ? 'there is no active owner or admin' : admins
}

async function record(
  { db, clock }: Context,
  tenant_id: string,
  action_id: string,
  fence: string,
  outcome: Outcome,
): Promise<void> {
  const now = clock.now()
  await db.inTenant(tenant_id, async tx => {
    const known = await findAction(tx, tenant_id, action_id)
    if (!known) return
    await lockStandings(tx, tenant_id, [known.employee_id])
    const action = await lockAction(tx, tenant_id, action_id)
    if (!action || !(await holdsClaim(tx, tenant_id, action_id, fence))) return
    const next = judge(action, outcome, now)
    // That it is to be carried out was told already.
    if (next.status === 'triggered') await updateAction(tx, tenant_id, next)
    else await save(tx, tenant_id, next, now)
  })
}

function judge(action: ActionRow, outcome: Outcome, now: Instant): ActionRow {
  const attempts = action.attempts + 1
  const finished_by = actorText(ENGINE)
  const next = { ...action, attempts, finished_by }
  if (outcome.done) return endAction(next, 'completed', now, { outcome: 'the mail was sent' })
  const delay = outcome.again ? DELAYS[attempts - 1] : undefined
  if (delay === undefined) return endAction(next, 'failed', now, { outcome: outcome.why })
  const next_attempt_at = new Date(now + delay)
  return { ...action, attempts, outcome: outcome.why, next_attempt_at }
}
