// Takes the details of one event out of the messages that hold them.
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { idFloor } from '../platform/ids.ts'
import { forgetAnswers, lockDeliveriesOf, saveBodies } from './redaction.queries.ts'

/**
 * What was sent loses its body; what is still to be sent goes out without the details. Invariant: the messages about an
 * event were made when it was received, so their ids lead to them.
 */
export async function redactMessages(
  tx: Tx,
  tenant_id: string,
  event_id: string,
  received_at: Instant,
): Promise<void> {
  const span = { from: idFloor('dlv', received_at), until: idFloor('dlv', received_at + 1) }
  const deliveries = await lockDeliveriesOf(tx, tenant_id, event_id, span)
  if (deliveries.length === 0) return
  const waiting = new Set(deliveries.filter(one => one.waits).map(one => one.message_id))
  const bodies = new Map(deliveries.map(one => [one.message_id, one.body]))
  const messages = [...bodies].map(([message_id, body]) => ({
    message_id,
    body: waiting.has(message_id) && body !== '' ? withoutDetails(body) : '',
  }))
  await saveBodies(tx, tenant_id, messages)
  await forgetAnswers(tx, tenant_id, deliveries)
}

function withoutDetails(body: string): string {
  const message = JSON.parse(body) as { data: Record<string, unknown> }
  return JSON.stringify({ ...message, data: { ...message.data, details: {} } })
}
