// The one door through which every change of score, band, employee and event is told to the outside.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { type Write, writeTogether } from '../platform/write-together.ts'
import type { EventKind } from './event-kinds.ts'
import {
  type ListenerRow,
  listListeners,
  listListenersByEmail,
  wakeWorkers,
} from './queue.queries.ts'
import { queueMessages } from './queue-messages.ts'
import type { Listener } from './webhooks.queries.ts'

export type Message = {
  kind: EventKind
  at: Instant
  /** Messages about one employee keep their order, and none is sent any more once they are erased. Empty: about nobody. */
  employee_id: string
  /** The event it holds in full. */
  event_id?: string
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
  return gather(await listListeners(tx, tenant_id, [...new Set(employee_ids)]))
}

/** Invariant: as above; their locks may be asked for just before it. */
export async function readAudienceByEmail(
  tx: Tx,
  tenant_id: string,
  email_keys: string[],
): Promise<Audience> {
  return gather(await listListenersByEmail(tx, tenant_id, email_keys))
}

function gather(listeners: readonly ListenerRow[]): Audience {
  const positions = new Map<string, number>()
  for (const { positions: waiting } of listeners) {
    for (const [employee_id, position] of Object.entries(waiting ?? {})) {
      positions.set(employee_id, Math.max(position, positions.get(employee_id) ?? 0))
    }
  }
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
