// SQL that forgets old deliveries, oldest first and in chunks; what is still to be sent is never touched.
import type { Tx } from '../platform/database.ts'

/** Reads across tenants: ids, and which subscriptions were deleted when. */
export async function tenantsWithOldMessages(
  tx: Tx,
  before: string,
  deleted_before: Date,
  after: string,
  limit: number,
) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND (EXISTS (
      SELECT 1 FROM webhook_messages m WHERE m.tenant_id = t.tenant_id AND m.message_id < ${before})
    OR EXISTS (SELECT 1 FROM webhooks w WHERE w.tenant_id = t.tenant_id AND w.status = 'deleted'
      AND w.updated_at < ${deleted_before}))
    ORDER BY t.tenant_id LIMIT ${limit}`
}

/** The oldest message that is still to be sent to somebody. */
export async function oldestUnsent(tx: Tx, tenant_id: string): Promise<string | null> {
  const [row] = await tx<{ message_id: string | null }[]>`
    SELECT min(message_id) AS message_id FROM webhook_deliveries
    WHERE tenant_id = ${tenant_id} AND next_attempt_at IS NOT NULL`
  return row?.message_id ?? null
}

/** Held until they are gone: who asks for one of them again waits, and what was asked for again is left out. */
export async function lockOldDeliveries(tx: Tx, tenant_id: string, before: string, limit: number) {
  return tx<{ webhook_id: string; delivery_id: string }[]>`
    SELECT d.webhook_id, d.delivery_id FROM webhooks w
    JOIN webhook_deliveries d ON d.tenant_id = w.tenant_id AND d.webhook_id = w.webhook_id
    WHERE w.tenant_id = ${tenant_id} AND d.tenant_id = ${tenant_id} AND d.delivery_id < ${before}
      AND d.next_attempt_at IS NULL
    LIMIT ${limit} FOR UPDATE OF d`
}

export async function deleteDeliveries(
  tx: Tx,
  tenant_id: string,
  rows: readonly { webhook_id: string; delivery_id: string }[],
): Promise<void> {
  const webhooks = [...new Set(rows.map(row => row.webhook_id))]
  const ids = rows.map(row => row.delivery_id)
  await tx`DELETE FROM webhook_attempts WHERE tenant_id = ${tenant_id}
    AND webhook_id = ANY(${webhooks}::text[]) AND delivery_id = ANY(${ids}::text[])`
  await tx`DELETE FROM webhook_deliveries WHERE tenant_id = ${tenant_id}
    AND webhook_id = ANY(${webhooks}::text[]) AND delivery_id = ANY(${ids}::text[])`
}

export async function deleteMessages(tx: Tx, tenant_id: string, before: string, limit: number) {
  const rows =
    await tx`DELETE FROM webhook_messages WHERE tenant_id = ${tenant_id} AND message_id IN (
    SELECT message_id FROM webhook_messages WHERE tenant_id = ${tenant_id} AND message_id < ${before}
    ORDER BY message_id LIMIT ${limit}) RETURNING 1`
  return rows.length
}

/** A deleted subscription goes with the last of its log, once nobody can still be writing to it who saw it before. */
export async function deleteEmptyWebhooks(
  tx: Tx,
  tenant_id: string,
  deleted_before: Date,
): Promise<void> {
  await tx`DELETE FROM webhooks w WHERE w.tenant_id = ${tenant_id} AND w.status = 'deleted'
    AND w.updated_at < ${deleted_before} AND NOT EXISTS (
      SELECT 1 FROM webhook_deliveries d WHERE d.tenant_id = ${tenant_id} AND d.webhook_id = w.webhook_id)`
}

export async function deleteOldRecoveries(tx: Tx, tenant_id: string, before: Date): Promise<void> {
  await tx`DELETE FROM webhook_recoveries WHERE tenant_id = ${tenant_id} AND finished_at < ${before}`
}
