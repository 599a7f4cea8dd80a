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

/** What is still to be sent about somebody never will be. */
export async function stopMessages(tx: Tx, tenant_id: string, employee_id: string): Promise<void> {
  await tx`UPDATE webhook_deliveries
    SET status = 'skipped', next_attempt_at = NULL, lease_until = NULL, fence = NULL, last_error = NULL
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id} AND next_attempt_at IS NOT NULL`
}

export const BEFORE_ALL: DeliveryKey = { webhook_id: '', delivery_id: '' }

/**
 * Bodies and answers about somebody go, among so many deliveries of the tenant behind a key: no index leads to all of
 * theirs. What was made due meanwhile is stopped. An empty body marks what was erased.
 */
export async function eraseMessages(
  tx: Tx,
  tenant_id: string,
  employee_id: string,
  after: DeliveryKey,
  most: number,
): Promise<{ read: number; last: DeliveryKey | null }> {
  const behind = tx`(webhook_id, delivery_id) > (${after.webhook_id}, ${after.delivery_id})`
  const [piece] = await tx<[DeliveryKey & { read: number }]>`
    SELECT count(*) AS read, (array_agg(p.webhook_id))[count(*)] AS webhook_id,
      (array_agg(p.delivery_id))[count(*)] AS delivery_id
    FROM (SELECT webhook_id, delivery_id FROM webhook_deliveries WHERE tenant_id = ${tenant_id} AND ${behind}
      ORDER BY webhook_id, delivery_id LIMIT ${most}) p`
  const { read, ...last } = piece
  if (read === 0) return { read, last: null }
  const rows = await tx<(DeliveryKey & { message_id: string })[]>`
    UPDATE webhook_deliveries SET
      status = CASE WHEN next_attempt_at IS NULL THEN status ELSE 'skipped' END,
      next_attempt_at = NULL, lease_until = NULL, fence = NULL, last_error = NULL
    WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id} AND ${behind}
      AND (webhook_id, delivery_id) <= (${last.webhook_id}, ${last.delivery_id})
    RETURNING webhook_id, delivery_id, message_id`
  if (rows.length > 0) await emptyRows(tx, tenant_id, rows)
  return { read, last: read < most ? null : last }
}

async function emptyRows(
  tx: Tx,
  tenant_id: string,
  rows: readonly (DeliveryKey & { message_id: string })[],
): Promise<void> {
  await tx`UPDATE webhook_messages SET body = ''
    WHERE tenant_id = ${tenant_id} AND message_id = ANY(${rows.map(row => row.message_id)}::text[])`
  await tx`UPDATE webhook_attempts a SET response_body = NULL, response_headers = NULL, error = NULL
    FROM unnest(${rows.map(row => row.webhook_id)}::text[], ${rows.map(row => row.delivery_id)}::text[])
      AS d(webhook_id, delivery_id)
    WHERE a.tenant_id = ${tenant_id} AND a.webhook_id = d.webhook_id AND a.delivery_id = d.delivery_id`
}
