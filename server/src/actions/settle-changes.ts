// Writes changes of standing with all that follows from them: history, messages, actions and notices.
import { describeStep, stepWrites } from '../employees/record-steps.ts'
import { countMoves } from '../employees/score-counts.queries.ts'
import type { Standing, Step } from '../employees/standing.ts'
import { addNotice, type Notice } from '../notifications/notifications.queries.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import { letSend } from '../platform/let-send.ts'
import { relaxCommit } from '../platform/relax-commit.ts'
import { step } from '../platform/steps.ts'
import { sendOff, type Write, writeTogether } from '../platform/write-together.ts'
import { type Audience, type Message, readAudience, tell } from '../webhooks/announce.ts'
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
  /** Who is told, where the caller has asked already. */
  audience?: Audience
  /** What else is written of these employees alone. */
  rows?: readonly (Write | null)[]
  /** Written last, because others may wait for these rows until we commit. */
  shared?: readonly (Write | null)[]
  /** Waited for before anything is written that others may wait for. */
  turn?: () => Promise<void>
  /** Work that is found and done again, with the same outcome, where a crash of the database takes it back. */
  redone?: boolean
}

/** So many messages take longer to make than a statement more takes to send. */
const MANY = 256

/**
 * Invariant: as for recordSteps. One statement writes everything, or several where there is a turn or much to tell;
 * the last is not waited for.
 */
export async function settleChanges(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  changes: Changes,
): Promise<void> {
  const { standings, steps, messages = steps.flatMap(describeStep), actions } = changes
  const told = [...messages, ...actions.flatMap(action => describeAction(action, now))]
  const audience = changes.audience ?? (await readAudience(tx, tenant_id, employeesOf(told)))
  // A message would otherwise be sent twice, under two ids: claiming it does not wait for the disk either.
  if (changes.redone && audience.listeners.length === 0) sendOff(relaxCommit(tx))
  const given = changes.rows ?? []
  const own = () => [
    insertActions(tx, tenant_id, actions),
    ...stepWrites(tx, tenant_id, standings, steps),
  ]
  // A tenant has one notice of each kind, so these rows too come late.
  const shared = () => [
    countMoves(tx, tenant_id, now, steps),
    ...noticesOf(tenant_id, now, steps, actions).map(notice => addNotice(tx, tenant_id, notice)),
    ...(changes.shared ?? []),
  ]
  const isMany = told.length > MANY
  if (isMany) {
    // PostgreSQL writes each while the next is made here.
    sendOff(writeTogether(tx, given))
    await letSend()
    sendOff(writeTogether(tx, own()))
    await letSend()
  }
  const first = isMany ? [] : [...given, ...own()]
  const { writes, wake } = tell(tx, tenant_id, now, told, audience)
  if (changes.turn) {
    await writeTogether(tx, [...first, ...writes])
    await changes.turn()
    sendOff(writeTogether(tx, shared(), wake))
  } else sendOff(writeTogether(tx, [...first, ...writes, ...shared()], wake))
  if (audience.listeners.length > 0) step('delivery.queued')
}

const employeesOf = (messages: readonly Message[]) => messages.map(one => one.employee_id)

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
