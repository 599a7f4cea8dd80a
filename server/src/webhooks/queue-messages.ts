// Makes messages and their deliveries, to be written inside the transaction of what they tell of.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import type { Write } from '../platform/write-together.ts'
import type { SentKind } from './event-kinds.ts'
import {
  insertDeliveries,
  insertMessages,
  type NewDelivery,
  type NewMessage,
} from './queue.queries.ts'
import { MOST_ATTEMPTS } from './retry-schedule.ts'
import type { Listener } from './webhooks.queries.ts'

export type QueuedMessage = {
  kind: SentKind
  at: Instant
  employee_id: string
  event_id?: string
  data: () => Record<string, unknown>
}

/** Positions made from the clock leave room for a thousand messages in a millisecond. */
export const PER_MS = 1000

/**
 * Returns the deliveries in the order of the messages, and the statements that write both.
 * Invariant: the caller holds the lock of every employee named, so that positions follow the order of changes.
 */
export function queueMessages(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  messages: readonly QueuedMessage[],
  positions: Map<string, number>,
  listenersOf: (message: QueuedMessage) => readonly Listener[],
): { deliveries: NewDelivery[]; writes: Write[] } {
  const bodies: NewMessage[] = []
  const deliveries: NewDelivery[] = []
  for (const message of messages) {
    const listeners = listenersOf(message)
    if (listeners.length === 0) continue
    const { employee_id, event_id = null, kind } = message
    const message_id = newId('msg', now)
    const position = Math.max(now * PER_MS, (positions.get(employee_id) ?? 0) + 1)
    positions.set(employee_id, position)
    bodies.push({ message_id, body: writeBody(message) })
    // Invariant: what comes earlier for an employee is due earlier, also where clocks disagree.
    const created_at = new Date(Math.floor(position / PER_MS))
    const about = { message_id, event: kind, employee_id, event_id, position, created_at }
    for (const { webhook_id, status } of listeners) {
      const first = status === 'enabled' ? 'pending' : 'skipped'
      deliveries.push({ delivery_id: newId('dlv', now), webhook_id, ...about, status: first })
    }
  }
  if (bodies.length === 0) return { deliveries, writes: [] }
  const writes = [
    insertMessages(tx, tenant_id, bodies),
    insertDeliveries(tx, tenant_id, deliveries, MOST_ATTEMPTS),
  ]
  return { deliveries, writes }
}

/** The bytes as every attempt sends them. */
function writeBody({ kind, at, data }: QueuedMessage): string {
  return JSON.stringify({ event: kind, timestamp: new Date(at).toISOString(), data: data() })
}
