// SQL of the delivery log: details, redelivery, recovery and forgetting.
import type { Tx } from '../platform/database.ts'
import type { AttemptRow } from './claims.queries.ts'
import { isErased } from './person.queries.ts'

export type DeliveryStatus = 'pending' | 'retrying' | 'delivered' | 'failed' | 'skipped'

export type DeliveryRow = {
  id: string
  webhook_id: string
  event: string
  status: DeliveryStatus
  attempts: number
  last_response_status: number | null
  last_error: string | null
  next_attempt_at: Date | null
  created_at: Date
}

/**
 * How many messages of each enabled subscription are being retried, counted to `most`. Retries are due later than
 * what waits for its first attempt, so they are the first from the end of the index.
 */
export async function countRetrying(tx: Tx, tenant_id: string, most: number) {
  return tx<{ id: string; retrying: number }[]>`
    SELECT w.webhook_id AS id, r.n AS retrying
    FROM webhooks w CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE status = 'retrying') AS n FROM (
        SELECT d.status FROM webhook_deliveries d
        WHERE d.tenant_id = ${tenant_id} AND d.webhook_id = w.webhook_id AND d.next_attempt_at IS NOT NULL
        ORDER BY d.next_attempt_at DESC LIMIT ${most}) AS latest) AS r
    WHERE w.tenant_id = ${tenant_id} AND w.status = 'enabled' AND r.n > 0 ORDER BY w.webhook_id`
}

/** With its body, empty where it is erased. The key begins with the subscription, of which a tenant has few. */
export async function findDelivery(tx: Tx, tenant_id: string, delivery_id: string) {
  const [row] = await tx<(DeliveryRow & { body: string })[]>`
    SELECT d.delivery_id AS id, d.webhook_id, d.event, d.status, d.attempts, d.last_response_status,
      CASE WHEN ${isErased(tx, tenant_id, tx`d`)} THEN NULL ELSE d.last_error END AS last_error,
      d.next_attempt_at, d.created_at,
      CASE WHEN ${isErased(tx, tenant_id, tx`d`)} THEN '' ELSE m.body END AS body
    FROM webhooks w
    JOIN webhook_deliveries d ON d.tenant_id = w.tenant_id AND d.webhook_id = w.webhook_id
    JOIN webhook_messages m ON m.tenant_id = d.tenant_id AND m.message_id = d.message_id
    WHERE w.tenant_id = ${tenant_id} AND d.tenant_id = ${tenant_id} AND m.tenant_id = ${tenant_id}
      AND d.delivery_id = ${delivery_id} AND w.status <> 'deleted'`
  return row
}

/** A delivery may be asked for again without end, and each answer of its receiver may be large. */
const MOST_ATTEMPTS_SHOWN = 100

/** The last ones, newest first. */
export async function listAttempts(
  tx: Tx,
  tenant_id: string,
  webhook_id: string,
  delivery_id: string,
) {
  return tx<AttemptRow[]>`
    SELECT webhook_id, delivery_id, attempt, url, signature, standard_signature, started_at, ended_at, dns_ms,
      connect_ms, first_byte_ms, total_ms, stage, error, response_status, response_headers, response_body,
      response_encoding, response_truncated
    FROM webhook_attempts
    WHERE tenant_id = ${tenant_id} AND webhook_id = ${webhook_id} AND delivery_id = ${delivery_id}
    ORDER BY attempt DESC LIMIT ${MOST_ATTEMPTS_SHOWN}`
}

/** What was erased with a person, or redacted, is never sent again. */
function isWhole(tx: Tx, tenant_id: string) {
  return tx`NOT EXISTS (SELECT 1 FROM webhook_messages m
    WHERE m.tenant_id = ${tenant_id} AND m.message_id = webhook_deliveries.message_id AND m.body = '')
    AND NOT ${isErased(tx, tenant_id, tx`webhook_deliveries`)}`
}

/**
 * Makes deliveries due at once. What waits for its first attempt or is in somebody's hand stays as it is, a
 * retry to come is brought forward, what had ended begins a new round; what was skipped has its first attempt,
 * due when it was written, so that it stands before what came later.
 */
export async function redeliverRows(
  tx: Tx,
  tenant_id: string,
  webhook_id: string,
  delivery_ids: string[],
  round: number,
  now: Date,
): Promise<number> {
  // Held first: after a wait for an erasure, a statement of its own sees that the message is empty.
  await tx`SELECT 1 FROM webhook_deliveries WHERE tenant_id = ${tenant_id} AND webhook_id = ${webhook_id}
    AND delivery_id = ANY(${delivery_ids}::text[]) ORDER BY delivery_id FOR UPDATE`
  const rows = await tx`
    UPDATE webhook_deliveries SET
      next_attempt_at = CASE WHEN status = 'skipped' AND attempts = 0 THEN created_at ELSE ${now}::timestamptz END,
      status = CASE WHEN status = 'skipped' AND attempts = 0 THEN 'pending' ELSE 'retrying' END,
      most_attempts = CASE WHEN status = 'retrying' THEN most_attempts ELSE attempts + ${round}::int END
    WHERE tenant_id = ${tenant_id} AND webhook_id = ${webhook_id} AND delivery_id = ANY(${delivery_ids}::text[])
      AND status <> 'pending' AND (lease_until IS NULL OR lease_until < ${now}) AND ${isWhole(tx, tenant_id)}
    RETURNING 1`
  return rows.length
}

export type MissedSpan = { from: string; until: string }

/** Each kind by itself, as the index has them. */
function missedOf(tx: Tx, tenant_id: string, webhook_id: string, span: MissedSpan) {
  return (status: 'failed' | 'skipped') => tx`FROM webhook_deliveries
    WHERE tenant_id = ${tenant_id} AND webhook_id = ${webhook_id}
      AND status IN ('failed', 'skipped') AND status = ${status}
      AND delivery_id >= ${span.from} AND delivery_id < ${span.until}`
}

/** There may be millions: what was erased is few, and is looked up once for all of them (NOT IN). */
export async function countMissed(tx: Tx, tenant_id: string, webhook_id: string, span: MissedSpan) {
  const missed = missedOf(tx, tenant_id, webhook_id, span)
  const whole = tx`message_id NOT IN (SELECT m.message_id FROM webhook_messages m
      WHERE m.tenant_id = ${tenant_id} AND m.body = '')
    AND employee_id NOT IN (SELECT x.employee_id FROM employee_states x
      WHERE x.tenant_id = ${tenant_id} AND x.erased_at IS NOT NULL)`
  const [row] = await tx<{ n: number }[]>`
    SELECT (SELECT count(*) ${missed('failed')} AND ${whole})
      + (SELECT count(*) ${missed('skipped')} AND ${whole}) AS n`
  return row!.n
}

/** What a subscription missed, oldest first. */
export async function listMissed(
  tx: Tx,
  tenant_id: string,
  webhook_id: string,
  span: MissedSpan,
  limit: number,
): Promise<string[]> {
  const missed = missedOf(tx, tenant_id, webhook_id, span)
  const first = (status: 'failed' | 'skipped') => tx`(SELECT delivery_id ${missed(status)}
    AND ${isWhole(tx, tenant_id)} ORDER BY delivery_id LIMIT ${limit})`
  const rows = await tx<{ delivery_id: string }[]>`
    SELECT delivery_id FROM (${first('failed')} UNION ALL ${first('skipped')}) f
    ORDER BY delivery_id LIMIT ${limit}`
  return rows.map(row => row.delivery_id)
}
