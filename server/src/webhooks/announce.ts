// The one door through which every change of score, band, employee and event is told to the outside.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { type Write, writeTogether } from '../platform/write-together.ts'
import type { EventKind } from './event-kinds.ts'
import { lastPositions, wakeWorkers } from './queue.queries.ts'
import { queueMessages } from './queue-messages.ts'
import { type Listener, listListeners } from './webhooks.queries.ts'

export type Message = {
  kind: EventKind
  at: Instant
  /** Messages about one employee keep their order. */
  employee_id: string
  /** Built only where somebody listens. */
  data: () => Record<string, unknown>
}

/** Who listens, and how far the messages about each employee have come. */
export type Audience = {
  readonly listeners: readonly Listener[]
  readonly positions: Map<string, number>
}

/** Invariant: the caller holds the locks of these employees. */
export async function readAudience(
  tx: Tx,
  tenant_id: string,
  employee_ids: Iterable<string>,
): Promise<Audience> {
  const listeners = await listListeners(tx, tenant_id)
  return findPositions(tx, tenant_id, listeners, employee_ids)
}

/** Invariant: as above, and the listeners were read in this transaction. */
export async function findPositions(
  tx: Tx,
  tenant_id: string,
  listeners: readonly Listener[],
  employee_ids: Iterable<string>,
): Promise<Audience> {
  if (listeners.length === 0) return { listeners, positions: new Map() }
  const webhook_ids = listeners.map(({ webhook_id }) => webhook_id)
  const positions = await lastPositions(tx, tenant_id, webhook_ids, [...new Set(employee_ids)])
  return { listeners, positions }
}

/** What the telling writes, and what wakes the workers afterwards. */
export type Telling = { writes: Write[]; wake: Write | null }

/** Invariant: written inside the transaction of the change, in the order of the changes. */
export function tell(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  messages: readonly Message[],
  { listeners, positions }: Audience,
): Telling {
  const { writes, deliveries } = queueMessages(
    tx,
    tenant_id,
    now,
    messages,
    positions,
    ({ kind }) => listeners.filter(({ events }) => events.includes(kind as EventKind)),
  )
  const isDue = deliveries.some(one => one.status === 'pending')
  return { writes, wake: isDue ? wakeWorkers(tx, tenant_id) : null }
}

/** Tells of a change that is written by itself. */
export async function announce(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  messages: readonly Message[],
): Promise<void> {
  if (messages.length === 0) return
  const audience = await readAudience(
    tx,
    tenant_id,
    messages.map(message => message.employee_id),
  )
  const { writes, wake } = tell(tx, tenant_id, now, messages, audience)
  await writeTogether(tx, writes, wake)
}
