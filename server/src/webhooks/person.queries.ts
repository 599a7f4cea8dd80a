// SQL of a person's rights in this slice: messages about somebody, and emptying them.
import type { Tx } from '../platform/database.ts'

export type DeliveryKey = { webhook_id: string; delivery_id: string }

export async function listDeliveryKeys(tx: Tx, tenant_id: string, employee_id: string) {
  return tx<DeliveryKey[]>`
    SELECT webhook_id, delivery_id FROM webhook_deliveries
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id} ORDER BY delivery_id`
}

export async function exportMessages(tx: Tx, tenant_id: string, keys: readonly DeliveryKey[]) {
  return tx`
    SELECT d.delivery_id, d.webhook_id, d.event, d.status, d.attempts, d.created_at, m.body
    FROM unnest(${keys.map(key => key.webhook_id)}::text[], ${keys.map(key => key.delivery_id)}::text[])
      AS k(webhook_id, delivery_id)
    JOIN webhook_deliveries d ON d.tenant_id = ${tenant_id} AND d.webhook_id = k.webhook_id
      AND d.delivery_id = k.delivery_id
    JOIN webhook_messages m ON m.tenant_id = ${tenant_id} AND m.message_id = d.message_id
    ORDER BY d.delivery_id`
}

/**
 * Bodies and answers go; what was not delivered yet never will be. An empty body marks what was erased. No index leads
 * to all deliveries about somebody, so they are looked for once.
 */
export async function eraseMessages(tx: Tx, tenant_id: string, employee_id: string): Promise<void> {
  const rows = await tx<{ webhook_id: string; delivery_id: string; message_id: string }[]>`
    UPDATE webhook_deliveries SET
      status = CASE WHEN next_attempt_at IS NULL THEN status ELSE 'skipped' END,
      next_attempt_at = NULL, lease_until = NULL, fence = NULL, last_error = NULL
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id}
    RETURNING webhook_id, delivery_id, message_id`
  if (rows.length === 0) return
  await tx`UPDATE webhook_messages SET body = ''
    WHERE tenant_id = ${tenant_id} AND message_id = ANY(${rows.map(row => row.message_id)}::text[])`
  await tx`UPDATE webhook_attempts a SET response_body = NULL, response_headers = NULL, error = NULL
    FROM unnest(${rows.map(row => row.webhook_id)}::text[], ${rows.map(row => row.delivery_id)}::text[])
      AS d(webhook_id, delivery_id)
    WHERE a.tenant_id = ${tenant_id} AND a.webhook_id = d.webhook_id AND a.delivery_id = d.delivery_id`
}
