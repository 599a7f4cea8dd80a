// SQL of redaction: the messages about one event, and what receivers answered.
import type { Tx } from '../platform/database.ts'
import type { DeliveryKey } from './person.queries.ts'

type Found = DeliveryKey & { message_id: string; waits: boolean; body: string }

/** Held until commit. The key begins with the subscription, of which a tenant has few. */
export async function lockDeliveriesOf(
  tx: Tx,
  tenant_id: string,
  event_id: string,
  { from, until }: { from: string; until: string },
): Promise<Found[]> {
  return tx<Found[]>`
    SELECT d.webhook_id, d.delivery_id, d.message_id, d.next_attempt_at IS NOT NULL AS waits, m.body
    FROM webhooks w
    JOIN webhook_deliveries d ON d.tenant_id = w.tenant_id AND d.webhook_id = w.webhook_id
    JOIN webhook_messages m ON m.tenant_id = d.tenant_id AND m.message_id = d.message_id
    WHERE w.tenant_id = ${tenant_id} AND d.tenant_id = ${tenant_id} AND m.tenant_id = ${tenant_id}
      AND d.delivery_id >= ${from} AND d.delivery_id < ${until} AND d.event_id = ${event_id}
    ORDER BY d.webhook_id, d.delivery_id FOR UPDATE OF d`
}

export async function saveBodies(
  tx: Tx,
  tenant_id: string,
  rows: readonly { message_id: string; body: string }[],
): Promise<void> {
  await tx`UPDATE webhook_messages m SET body = u.body
    FROM unnest(${rows.map(row => row.message_id)}::text[], ${rows.map(row => row.body)}::text[])
      AS u(message_id, body)
    WHERE m.tenant_id = ${tenant_id} AND m.message_id = u.message_id`
}

/** What a receiver says may repeat what it was told. One that is being told now is told again, without it. */
export async function forgetAnswers(
  tx: Tx,
  tenant_id: string,
  rows: readonly DeliveryKey[],
): Promise<void> {
  const [webhooks, ids] = [rows.map(row => row.webhook_id), rows.map(row => row.delivery_id)]
  await tx`UPDATE webhook_deliveries d SET last_error = NULL, lease_until = NULL, fence = NULL
    FROM unnest(${webhooks}::text[], ${ids}::text[]) AS u(webhook_id, delivery_id)
    WHERE d.tenant_id = ${tenant_id} AND d.webhook_id = u.webhook_id AND d.delivery_id = u.delivery_id`
  await tx`UPDATE webhook_attempts a SET error = NULL, response_headers = NULL, response_body = NULL
    FROM unnest(${webhooks}::text[], ${ids}::text[]) AS u(webhook_id, delivery_id)
    WHERE a.tenant_id = ${tenant_id} AND a.webhook_id = u.webhook_id AND a.delivery_id = u.delivery_id`
}
