// Writes messages and their deliveries, inside the transaction of what they tell of, and wakes the worker.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import { step } from '../platform/steps.ts'
import type { SentKind } from './event-kinds.ts'
import {
  insertDeliveries,
  insertMessages,
  lastPositions,
  type NewDelivery,
  type NewMessage,
  wakeWorkers,
} from './queue.queries.ts'
import { MOST_ATTEMPTS } from './retry-schedule.ts'
import type { Listener } from './webhooks.queries.ts'

export type QueuedMessage = {
  kind: SentKind
  at: Instant
  employee_id: string
  data: () => Record<string, unknown>
}

/** Positions made from the clock leave room for a thousand messages in a millisecond. */
const PER_MS = 1000

/**
 * Returns the deliveries written, in the order of the messages.
 * Invariant: the caller holds the lock of every employee named, so that positions follow the order of changes.
 */
export async function queueMessages(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  messages: readonly QueuedMessage[],
  listenersOf: (message: QueuedMessage) => readonly Listener[],
): Promise<NewDelivery[]> {
  const addressed = messages
    .map(message => ({ message, listeners: listenersOf(message) }))
    .filter(({ listeners }) => listeners.length > 0)
  if (addressed.length === 0) return []
  const webhooks = new Set(
    addressed.flatMap(one => one.listeners.map(({ webhook_id }) => webhook_id)),
  )
  const employees = new Set(addressed.map(one => one.message.employee_id))
  const last = await lastPositions(tx, tenant_id, [...webhooks], [...employees])
  const bodies: NewMessage[] = []
  const deliveries: NewDelivery[] = []
  for (const { message, listeners } of addressed) {
    const { employee_id, kind } = message
    const message_id = newId('msg', now)
    const position = Math.max(now * PER_MS, (last.get(employee_id) ?? 0) + 1)
    last.set(employee_id, position)
    bodies.push({ message_id, body: writeBody(message) })
    // Invariant: what comes earlier for an employee is due earlier, also where clocks disagree.
    const created_at = new Date(Math.floor(position / PER_MS))
    const about = { message_id, event: kind, employee_id, position, created_at }
    for (const { webhook_id, status } of listeners) {
      const first = status === 'enabled' ? 'pending' : 'skipped'
      deliveries.push({ delivery_id: newId('dlv', now), webhook_id, ...about, status: first })
    }
  }
  await Promise.all([
    insertMessages(tx, tenant_id, bodies),
    insertDeliveries(tx, tenant_id, deliveries, MOST_ATTEMPTS),
    deliveries.some(one => one.status === 'pending') ? wakeWorkers(tx, tenant_id) : null,
  ])
  step('delivery.queued')
  return deliveries
}

/** The bytes as every attempt sends them. */
function writeBody({ kind, at, data }: QueuedMessage): string {
  return JSON.stringify({ event: kind, timestamp: new Date(at).toISOString(), data: data() })
}
