// What becomes of an action: asked for, approved, rejected, completed, failed. Every other transition is refused.
import { isBehind, requireScopeStill } from '../access/judge-originator.ts'
import type { Asked } from '../accounts/identity.ts'
import { requireStill } from '../accounts/require-still.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { findEmployee } from '../employees/employees.queries.ts'
import { lockStandings } from '../employees/standings.queries.ts'
import { addNotice } from '../notifications/notifications.queries.ts'
import { actorText } from '../platform/actor.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { ApiError, conflict, invalid, notFound } from '../platform/errors.ts'
import { announce } from '../webhooks/announce.ts'
import { parameterFaults } from './action-parameters.ts'
import { ACTION_TYPES, type ActionStatus, type ActionType } from './action-types.ts'
import {
  type ActionRow,
  findAction,
  insertActions,
  lockAction,
  updateAction,
} from './actions.queries.ts'
import { actionView, describeAction, openAction, triggerAction } from './open-action.ts'
import { approvalNotice } from './settle-changes.ts'

const ERASED = 'this person was erased; there is nobody to act on'

export type ActionRequest = {
  employee_id: string
  type: ActionType
  parameters?: Record<string, unknown>
  note?: string
}

/** Types that ask first do so here too: then somebody else has to approve. */
export async function requestAction(
  tx: Tx,
  asked: Asked,
  { employee_id, type, parameters = {}, note = '' }: ActionRequest,
) {
  const { tenant_id, origin, now } = asked
  const faults = parameterFaults(type, parameters)
  if (faults.length > 0) throw invalid(faults)
  const standing = (await lockStandings(tx, tenant_id, [employee_id])).get(employee_id)
  await requireScopeStill(tx, asked, 'actions:execute')
  const employee = standing && (await findEmployee(tx, tenant_id, employee_id))
  if (!employee) throw notFound('employee')
  if (standing.erased) throw conflict(ERASED)
  const { score, band, email: employee_email } = employee
  const action = openAction(now, ACTION_TYPES[type].asks_first, {
    policy_id: '',
    employee_id,
    employee_email,
    type,
    parameters,
    note,
    transition: '',
    reason: 'manual',
    trigger_event: 'manual',
    event_id: null,
    previous_score: score,
    new_score: score,
    previous_band: band,
    new_band: band,
    requested_by: actorText(origin.actor),
    occurred_at: new Date(now),
  })
  const waiting = action.status === 'awaiting_approval' ? [action] : []
  for (const notice of approvalNotice(tenant_id, now, waiting)) {
    await addNotice(tx, tenant_id, notice)
  }
  await insertActions(tx, tenant_id, [action])
  await announce(tx, tenant_id, now, describeAction(action, now))
  const { id: subject_id, status } = action
  const after = { employee_id, type, parameters, note, status }
  const subject = { subject_kind: 'action', subject_id, employee_id }
  const change = { action: 'action.requested', ...subject, after }
  await recordAudit(tx, tenant_id, now, origin, [change])
  return actionView(action)
}

/** Invariant: only people approve, and nobody what they asked for, by themselves or by a key or an app of theirs. */
export async function approveAction(tx: Tx, asked: Asked, action_id: string, note: string) {
  await requireStill(tx, asked.tenant_id, asked.origin, 'actions:manage')
  const action = await holdAction(tx, asked, action_id, 'awaiting_approval')
  const decided_by = actorText(asked.origin.actor)
  if (await isBehind(tx, asked.tenant_id, asked.origin.actor, action.requested_by)) {
    throw new ApiError(
      'FORBIDDEN',
      'somebody else has to approve what you, a key you made or an app you let in asked for',
    )
  }
  const next = { ...triggerAction(action, asked.now), decided_by, outcome_note: note }
  return settle(tx, asked, action, next, { note }, 'action.approved')
}

export async function rejectAction(tx: Tx, asked: Asked, action_id: string, note: string) {
  await requireStill(tx, asked.tenant_id, asked.origin, 'actions:manage')
  const action = await holdAction(tx, asked, action_id, 'awaiting_approval')
  const decided_by = actorText(asked.origin.actor)
  const said = { outcome: 'rejected', note }
  const next = endAction({ ...action, decided_by }, 'rejected', asked.now, said)
  return settle(tx, asked, action, next, { note })
}

export type Report = { outcome?: string; note?: string }

/** The report of whoever carried it out; our own mails need none. */
export async function reportAction(
  tx: Tx,
  asked: Asked,
  action_id: string,
  status: 'completed' | 'failed',
  report: Report,
) {
  const action = await holdAction(tx, asked, action_id, 'triggered')
  await requireScopeStill(tx, asked, 'actions:execute')
  if (ACTION_TYPES[action.type].mail) {
    throw conflict('this service sends the mail itself and knows how it went')
  }
  const finished_by = actorText(asked.origin.actor)
  const next = endAction({ ...action, finished_by }, status, asked.now, report)
  return settle(tx, asked, action, next, report)
}

export function endAction(
  action: ActionRow,
  status: Exclude<ActionStatus, 'awaiting_approval' | 'triggered'>,
  now: Instant,
  { outcome = '', note = action.outcome_note }: Report,
): ActionRow {
  const over = { finished_at: new Date(now), expires_at: null, next_attempt_at: null }
  return { ...action, status, outcome, outcome_note: note, ...over }
}

/** Invariant: the employee is locked first, so that messages about one employee keep their order. */
async function holdAction(
  tx: Tx,
  { tenant_id, now }: Asked,
  action_id: string,
  wanted: 'awaiting_approval' | 'triggered',
): Promise<ActionRow> {
  const known = await findAction(tx, tenant_id, action_id)
  if (!known) throw notFound('action')
  const standings = await lockStandings(tx, tenant_id, [known.employee_id])
  const action = await lockAction(tx, tenant_id, action_id)
  if (!action) throw notFound('action')
  const isOver = action.expires_at !== null && action.expires_at.getTime() <= now
  const status = isOver ? 'expired' : action.status
  if (status !== wanted) throw conflict(`the action is ${status}, not ${wanted}`)
  // One of very many may not have been ended yet.
  if (standings.get(known.employee_id)?.erased) throw conflict(ERASED)
  return action
}

/** Writes the action and tells of it. Invariant: employee and action are locked. */
export async function save(tx: Tx, tenant_id: string, action: ActionRow, now: Instant) {
  await updateAction(tx, tenant_id, action)
  await announce(tx, tenant_id, now, describeAction(action, now))
}

async function settle(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  from: ActionRow,
  to: ActionRow,
  said: Report,
  action = `action.${to.status}`,
) {
  await save(tx, tenant_id, to, now)
  const before = { status: from.status }
  const after = { status: to.status, ...said }
  const { id: subject_id, employee_id } = to
  const change = { action, subject_kind: 'action', subject_id, employee_id, before, after }
  await recordAudit(tx, tenant_id, now, origin, [change])
  return actionView(to)
}
