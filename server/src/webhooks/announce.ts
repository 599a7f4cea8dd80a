// The one door through which every change of score, band, employee and event is told to the outside.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import type { EventKind } from './event-kinds.ts'
import { queueMessages } from './queue-messages.ts'
import { listListeners } from './webhooks.queries.ts'

export type Message = {
  kind: EventKind
  at: Instant
  /** Messages about one employee keep their order. */
  employee_id: string
  /** Built only where somebody listens. */
  data: () => Record<string, unknown>
}

/** Invariant: called inside the transaction of the change, in the order of the changes. */
export async function announce(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  messages: readonly Message[],
): Promise<void> {
  if (messages.length === 0) return
  const listeners = await listListeners(tx, tenant_id)
  if (listeners.length === 0) return
  await queueMessages(tx, tenant_id, now, messages, ({ kind }) =>
    listeners.filter(({ events }) => events.includes(kind as EventKind)),
  )
}
