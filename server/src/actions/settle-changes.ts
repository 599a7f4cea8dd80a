// Writes changes of standing with all that follows from them: history, messages, actions and notices.
import { describeStep, recordSteps } from '../employees/record-steps.ts'
import type { Standing, Step } from '../employees/standing.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import type { Message } from '../webhooks/announce.ts'
import { addNotice, type Notice } from '../webhooks/notifications.queries.ts'
import { type ActionRow, insertActions } from './actions.queries.ts'
import { describeAction } from './open-action.ts'
import { isWorse } from './policy.ts'

export type Changes = {
  standings: readonly Standing[]
  steps: readonly Step[]
  /** Told before what the actions tell; those of the steps unless given. */
  messages?: readonly Message[]
  /** Decided by decideActions before anything of this is written. */
  actions: readonly ActionRow[]
}

/** Invariant: as for recordSteps. Nothing is awaited before the statements are sent, so that they go together. */
export async function settleChanges(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  { standings, steps, messages = steps.flatMap(describeStep), actions }: Changes,
): Promise<void> {
  const told = [...messages, ...actions.flatMap(action => describeAction(action, now))]
  await Promise.all([
    insertActions(tx, tenant_id, actions),
    recordSteps(tx, tenant_id, now, standings, steps, told),
    // Last, because a tenant has one row of each kind and other writers wait for it until we commit.
    ...noticesOf(tenant_id, now, steps, actions).map(notice => addNotice(tx, tenant_id, notice)),
  ])
}

/** Two lines at most, however many people it concerns, and always in the same order. */
function noticesOf(
  tenant_id: string,
  now: Instant,
  steps: readonly Step[],
  actions: readonly ActionRow[],
): Notice[] {
  const waiting = actions.filter(action => action.status === 'awaiting_approval')
  const entries = steps.filter(
    ({ previous, status, band }) =>
      previous && status === 'active' && band === 'critical' && isWorse(band, previous.band),
  )
  return [...approvalNotice(tenant_id, now, waiting), ...criticalNotice(tenant_id, now, entries)]
}

export function approvalNotice(
  tenant_id: string,
  now: Instant,
  waiting: readonly ActionRow[],
): Notice[] {
  const last = waiting.at(-1)
  if (!last) return []
  const { id: action_id, type, employee_id } = last
  const data = { action_id, type, employee_id }
  return [tenantNotice(tenant_id, now, 'action.awaiting_approval', waiting.length, data)]
}

function criticalNotice(tenant_id: string, now: Instant, entries: readonly Step[]): Notice[] {
  const last = entries.at(-1)
  if (!last) return []
  const data = { employee_id: last.employee_id, score: last.score }
  return [tenantNotice(tenant_id, now, 'employee.critical', entries.length, data)]
}

function tenantNotice(
  tenant_id: string,
  now: Instant,
  kind: string,
  count: number,
  data: Record<string, unknown>,
): Notice {
  const subject = { subject_kind: 'tenant', subject_id: tenant_id }
  const notification_id = newId('ntf', now)
  return { notification_id, kind, ...subject, count, data, at: new Date(now), raise: true }
}
