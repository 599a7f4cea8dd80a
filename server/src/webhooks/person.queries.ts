// SQL of a person's rights in this slice: messages about somebody, and stopping them.
import type { Tx } from '../platform/database.ts'
import type { Write } from '../platform/write-together.ts'

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

/** The person it tells of is erased: its message may not be emptied yet. */
export function isErased(tx: Tx, tenant_id: string, delivery: Write) {
  return tx`EXISTS (SELECT 1 FROM employee_states x WHERE x.tenant_id = ${tenant_id}
    AND x.employee_id = ${delivery}.employee_id AND x.erased_at IS NOT NULL)`
}

/** What is still to be sent never will be, and what is being sent is not recorded. Nothing that has ended changes. */
export async function stopDeliveries(
  tx: Tx,
  tenant_id: string,
  keys: readonly DeliveryKey[],
): Promise<void> {
  await tx`UPDATE webhook_deliveries d
    SET status = 'skipped', next_attempt_at = NULL, lease_until = NULL, fence = NULL, last_error = NULL
    FROM unnest(${keys.map(key => key.webhook_id)}::text[], ${keys.map(key => key.delivery_id)}::text[])
      AS u(webhook_id, delivery_id)
    WHERE d.tenant_id = ${tenant_id} AND d.webhook_id = u.webhook_id AND d.delivery_id = u.delivery_id
      AND d.next_attempt_at IS NOT NULL`
}

/** Some that wait for their first attempt, which an index leads to; held until commit. */
export async function lockPending(tx: Tx, tenant_id: string, employee_id: string, limit: number) {
  return tx<DeliveryKey[]>`
    SELECT webhook_id, delivery_id FROM webhook_deliveries
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id} AND status = 'pending'
    ORDER BY webhook_id, position LIMIT ${limit} FOR UPDATE`
}
