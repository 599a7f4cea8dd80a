// SQL that writes messages and deliveries; on the path of every change somebody listens to.
import type { Tx } from '../platform/database.ts'
import type { Write } from '../platform/write-together.ts'
import type { Listener } from './webhooks.queries.ts'

/** The worker listens here; a hint only, it also looks by itself. */
export const WAKE_CHANNEL = 'webhook_deliveries'

export type NewMessage = { message_id: string; body: string }

export type NewDelivery = {
  delivery_id: string
  webhook_id: string
  message_id: string
  event: string
  employee_id: string
  event_id: string | null
  position: number
  status: 'pending' | 'skipped'
  created_at: Date
}

/** With the highest position still waiting for its first attempt, by employee; order matters against those only. */
export type ListenerRow = Listener & { positions: Record<string, number> | null }

/** On the hot path of every change: one statement, with no rows for most tenants. */
export async function listListeners(
  tx: Tx,
  tenant_id: string,
  employee_ids: string[],
): Promise<ListenerRow[]> {
  return listFor(tx, tenant_id, tx`SELECT unnest(${employee_ids}::text[]) AS employee_id`)
}

/** The same for people of whom only their addresses are known yet. */
export async function listListenersByEmail(
  tx: Tx,
  tenant_id: string,
  email_keys: string[],
): Promise<ListenerRow[]> {
  return listFor(
    tx,
    tenant_id,
    tx`SELECT e.employee_id FROM employees e
      WHERE e.tenant_id = ${tenant_id} AND e.email_key = ANY(${email_keys}::text[])`,
  )
}

function listFor(tx: Tx, tenant_id: string, people: Write) {
  return tx<ListenerRow[]>`
    SELECT w.webhook_id, w.events, w.status, (
      SELECT json_object_agg(p.employee_id, l.position) FROM (${people}) AS p CROSS JOIN LATERAL (
        SELECT d.position FROM webhook_deliveries d
        WHERE d.tenant_id = ${tenant_id} AND d.employee_id = p.employee_id AND d.webhook_id = w.webhook_id
          AND d.status = 'pending' ORDER BY d.position DESC LIMIT 1) l) AS positions
    FROM webhooks w WHERE w.tenant_id = ${tenant_id} AND w.status <> 'deleted'`
}

/** A body is JSON and holds no line break: as lines, nothing of it is quoted on the way. */
export function insertMessages(tx: Tx, tenant_id: string, rows: readonly NewMessage[]): Write {
  return tx`INSERT INTO webhook_messages AS x (tenant_id, message_id, body)
    SELECT tn.tenant_id, u.message_id, u.body
    FROM tenants tn, (SELECT unnest(${rows.map(row => row.message_id)}::text[]) AS message_id,
      unnest(string_to_array(${rows.map(row => row.body).join('\n')}, chr(10))) AS body) AS u
    WHERE tn.tenant_id = ${tenant_id}`
}

export function insertDeliveries(
  tx: Tx,
  tenant_id: string,
  rows: readonly NewDelivery[],
  most_attempts: number,
): Write {
  const column = <T>(read: (row: NewDelivery) => T): T[] => rows.map(read)
  return tx`INSERT INTO webhook_deliveries AS x (tenant_id, webhook_id, delivery_id, message_id, event,
      employee_id, event_id, position, status, attempts, most_attempts, next_attempt_at, created_at)
    SELECT tn.tenant_id, u.webhook_id, u.delivery_id, u.message_id, u.event, u.employee_id, u.event_id, u.position,
      u.status, 0, ${most_attempts}::int, CASE WHEN u.status = 'pending' THEN u.created_at END, u.created_at
    FROM tenants tn, (SELECT unnest(${column(r => r.webhook_id)}::text[]) AS webhook_id,
      unnest(${column(r => r.delivery_id)}::text[]) AS delivery_id,
      unnest(${column(r => r.message_id)}::text[]) AS message_id,
      unnest(${column(r => r.event)}::text[]) AS event,
      unnest(${column(r => r.employee_id)}::text[]) AS employee_id,
      unnest(${column(r => r.event_id)}::text[]) AS event_id,
      unnest(${column(r => r.position)}::bigint[]) AS position,
      unnest(${column(r => r.status)}::text[]) AS status,
      timestamptz 'epoch' + unnest(${column(r => r.created_at.getTime())}::bigint[]) * interval '1 ms'
        AS created_at) AS u
    WHERE tn.tenant_id = ${tenant_id}`
}

export function wakeWorkers(tx: Tx, tenant_id: string): Write {
  return tx`SELECT pg_notify(${WAKE_CHANNEL}, tn.tenant_id) FROM tenants tn WHERE tn.tenant_id = ${tenant_id}`
}

/** Reads across tenants: ids only. First attempts and retries; which they are is seen in the tenant. */
export async function tenantsWithLaterDeliveries(
  tx: Tx,
  later: Date,
  after: string,
  limit: number,
) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t
    WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND EXISTS (
      SELECT 1 FROM webhooks w WHERE w.tenant_id = t.tenant_id AND EXISTS (
        SELECT 1 FROM webhook_deliveries d WHERE d.tenant_id = t.tenant_id AND d.webhook_id = w.webhook_id
          AND d.next_attempt_at > ${later}))
    ORDER BY t.tenant_id LIMIT ${limit}`
}

/** Makes first attempts beyond a position due, in the order of changes; returns how many. */
export async function mendFirstAttempts(
  tx: Tx,
  tenant_id: string,
  ahead: number,
  now: Date,
  limit: number,
): Promise<number> {
  const rows = await tx`
    UPDATE webhook_deliveries d SET next_attempt_at = ${now}
    WHERE d.tenant_id = ${tenant_id} AND d.ctid = ANY(ARRAY(
      SELECT c.ctid FROM webhook_deliveries c
      WHERE c.tenant_id = ${tenant_id} AND c.status = 'pending' AND c.position > ${ahead}::bigint
        AND c.next_attempt_at > ${now}
      ORDER BY c.position LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING 1`
  return rows.length
}

/** Retries that lie beyond an instant begin anew, each at that of its attempt; returns how many. */
export async function mendFarRetries(
  tx: Tx,
  tenant_id: string,
  beyond: Date,
  retry_at: readonly Date[],
  limit: number,
): Promise<number> {
  // A round has as many attempts as there are instants; arrays count from one.
  const made = tx`d.attempts - d.most_attempts + ${retry_at.length + 1}::int`
  const rows = await tx`
    UPDATE webhook_deliveries d SET next_attempt_at = (${[...retry_at]}::timestamptz[])[${made}]
    WHERE d.tenant_id = ${tenant_id} AND d.ctid = ANY(ARRAY(
      SELECT c.ctid FROM webhook_deliveries c
      WHERE c.tenant_id = ${tenant_id} AND c.status = 'retrying' AND c.next_attempt_at > ${beyond}
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING 1`
  return rows.length
}

/** Of a subscription's deliveries these are looked at, the next ones: what is held too long comes among them in its turn. */
const LOOKED_AT = 1000

/** Instants beyond which no clock that is right can have written a retry and a lease. */
export type FarDeliveries = { retry_after: Date; lease_after: Date }

/** Reads across tenants: ids only. */
export async function tenantsWithFarDeliveries(
  tx: Tx,
  { retry_after, lease_after }: FarDeliveries,
  after: string,
  limit: number,
) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t
    WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND EXISTS (
      SELECT 1 FROM webhooks w WHERE w.tenant_id = t.tenant_id AND (EXISTS (
        SELECT 1 FROM webhook_deliveries d WHERE d.tenant_id = t.tenant_id AND d.webhook_id = w.webhook_id
          AND d.next_attempt_at > ${retry_after})
      OR EXISTS (SELECT 1 FROM (SELECT d.lease_until FROM webhook_deliveries d
          WHERE d.tenant_id = t.tenant_id AND d.webhook_id = w.webhook_id AND d.next_attempt_at IS NOT NULL
          ORDER BY d.next_attempt_at LIMIT ${LOOKED_AT}) n
        WHERE n.lease_until > ${lease_after})))
    ORDER BY t.tenant_id LIMIT ${limit}`
}

/** Leases beyond an instant end at another. */
export async function mendFarLeases(tx: Tx, tenant_id: string, beyond: Date, until: Date) {
  await tx`
    UPDATE webhook_deliveries d SET lease_until = ${until}
    WHERE d.tenant_id = ${tenant_id} AND d.lease_until > ${beyond} AND (d.webhook_id, d.delivery_id) IN (
      SELECT w.webhook_id, n.delivery_id FROM webhooks w CROSS JOIN LATERAL (
        SELECT c.delivery_id, c.lease_until FROM webhook_deliveries c
        WHERE c.tenant_id = ${tenant_id} AND c.webhook_id = w.webhook_id AND c.next_attempt_at IS NOT NULL
        ORDER BY c.next_attempt_at LIMIT ${LOOKED_AT}) n
      WHERE w.tenant_id = ${tenant_id} AND n.lease_until > ${beyond})`
}
