// SQL of the delivery engine: finds what is due, claims it under a lease, and records how it went.
import type { Tx } from '../platform/database.ts'
import { isErased } from './person.queries.ts'
import type { WebhookRow } from './webhooks.queries.ts'

/** Reads across tenants: ids only. Walks the tenants in a circle, so that every one has its turn. */
export async function tenantsWithDueDeliveries(tx: Tx, now: Date, after: string, limit: number) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t
    WHERE t.tenant_id > ${after} AND t.status = 'active' AND EXISTS (
      SELECT 1 FROM webhooks w WHERE w.tenant_id = t.tenant_id AND EXISTS (
        SELECT 1 FROM webhook_deliveries d WHERE d.tenant_id = t.tenant_id AND d.webhook_id = w.webhook_id
          AND d.next_attempt_at <= ${now} AND (d.lease_until IS NULL OR d.lease_until < ${now})))
    ORDER BY t.tenant_id LIMIT ${limit}`
}

/** A place in the order in which deliveries fall due. */
export type DuePlace = { at: Date; position: number }

export type DueWebhook = Pick<
  WebhookRow,
  'webhook_id' | 'url' | 'status' | 'secret' | 'new_secret' | 'rotation_ends_at' | 'activated_at'
> & { due: number; last_at: Date; last_position: number }

/** Subscriptions with something due, deleted ones too; counted up to `most`, with the place of the last one counted. */
export async function listDueWebhooks(tx: Tx, tenant_id: string, now: Date, most: number) {
  return tx<DueWebhook[]>`
    SELECT w.webhook_id, w.url, w.status, w.secret, w.new_secret, w.rotation_ends_at, w.activated_at,
      x.due, x.last_at, x.last_position
    FROM webhooks w CROSS JOIN LATERAL (
      SELECT count(*) AS due, max(n.next_attempt_at) AS last_at, (array_agg(n.position))[count(*)] AS last_position
      FROM (SELECT d.next_attempt_at, d.position FROM webhook_deliveries d
        WHERE d.tenant_id = ${tenant_id} AND d.webhook_id = w.webhook_id
          AND d.next_attempt_at <= ${now} AND (d.lease_until IS NULL OR d.lease_until < ${now})
        ORDER BY d.next_attempt_at, d.position LIMIT ${most}) n) x
    WHERE w.tenant_id = ${tenant_id} AND x.due > 0 ORDER BY w.webhook_id`
}

export type ClaimedRow = {
  delivery_id: string
  webhook_id: string
  event: string
  employee_id: string
  position: number
  status: 'pending' | 'retrying'
  attempts: number
  most_attempts: number
  next_attempt_at: Date
  body: string
  /** The person it tells of is erased: it is not to be sent. */
  erased: boolean
}

/** How many of a subscription are claimed at most, and from which place to which they are looked for. */
export type Quota = { webhook_id: string; limit: number; first: DuePlace; last: DuePlace }

/**
 * Claims due deliveries, the oldest of each subscription first. A first attempt waits while an earlier message about the
 * same employee is in somebody's hand, or is not in this claim; those about `held` people wait unasked.
 *
 * What was found is an array, of which PostgreSQL expects few entries, and so looks each up whatever the tables hold.
 * What is in it is looked up (NOT IN), not compared with each (ALL): for a hundred that took more than half of the time.
 */
export async function leaseDue(
  tx: Tx,
  tenant_id: string,
  quotas: readonly Quota[],
  held: string[],
  now: Date,
  fence: string,
  lease_until: Date,
): Promise<ClaimedRow[]> {
  const column = <T>(read: (quota: Quota) => T): T[] => quotas.map(read)
  const webhook_ids = column(quota => quota.webhook_id)
  return tx<ClaimedRow[]>`
    WITH found AS MATERIALIZED (SELECT ARRAY(
      SELECT x.delivery_id
      FROM (SELECT unnest(${webhook_ids}::text[]) AS webhook_id, unnest(${column(one => one.limit)}::int[]) AS most,
        unnest(${column(one => one.first.at)}::timestamptz[]) AS first_at,
        unnest(${column(one => one.first.position)}::bigint[]) AS first_position,
        unnest(${column(one => one.last.at)}::timestamptz[]) AS last_at,
        unnest(${column(one => one.last.position)}::bigint[]) AS last_position) q,
      LATERAL (
        SELECT d.delivery_id FROM webhook_deliveries d
        WHERE d.tenant_id = ${tenant_id} AND d.webhook_id = q.webhook_id AND d.next_attempt_at <= ${now}
          AND (d.next_attempt_at, d.position) >= (q.first_at, q.first_position)
          AND (d.next_attempt_at, d.position) <= (q.last_at, q.last_position)
          AND (d.lease_until IS NULL OR d.lease_until < ${now})
          AND NOT (d.status = 'pending' AND d.employee_id = ANY(${held}::text[]))
          AND NOT (d.status = 'pending' AND EXISTS (
            SELECT 1 FROM webhook_deliveries e
            WHERE e.tenant_id = ${tenant_id} AND e.employee_id = d.employee_id AND e.webhook_id = q.webhook_id
              AND e.position < d.position AND e.status = 'pending' AND e.lease_until >= ${now}))
        ORDER BY d.next_attempt_at, d.position LIMIT q.most FOR UPDATE SKIP LOCKED) x) AS ids)
    UPDATE webhook_deliveries d SET fence = ${fence}, lease_until = ${lease_until}
    FROM webhook_messages m
    WHERE d.tenant_id = ${tenant_id} AND m.tenant_id = ${tenant_id} AND m.message_id = d.message_id
      AND d.webhook_id = ANY(${webhook_ids}::text[]) AND d.delivery_id = ANY((SELECT ids FROM found)::text[])
      AND NOT (d.status = 'pending' AND EXISTS (
        SELECT 1 FROM webhook_deliveries e
        WHERE e.tenant_id = ${tenant_id} AND e.employee_id = d.employee_id AND e.webhook_id = d.webhook_id
          AND e.position < d.position AND e.status = 'pending'
          AND e.delivery_id NOT IN (SELECT unnest(ids) FROM found)))
    RETURNING d.delivery_id, d.webhook_id, d.event, d.employee_id, d.position, d.status, d.attempts,
      d.most_attempts, d.next_attempt_at, m.body, ${isErased(tx, tenant_id, tx`d`)} AS erased`
}

/** Some of what is due next to a subscription, and people in it of whom an earlier message is in somebody's hand. */
export type DueSpan = {
  first_at: Date | null
  first_position: number
  last_at: Date
  last_position: number
  held: string[]
}

/** The next ones but for first attempts about the people given. Who is held is looked up once for each (LIMIT 1). */
export async function findDueSpan(
  tx: Tx,
  tenant_id: string,
  webhook_id: string,
  without: string[],
  now: Date,
  most: number,
): Promise<DueSpan> {
  const [span] = await tx<[DueSpan]>`
    WITH n AS MATERIALIZED (
      SELECT d.employee_id, d.status, d.next_attempt_at, d.position FROM webhook_deliveries d
      WHERE d.tenant_id = ${tenant_id} AND d.webhook_id = ${webhook_id} AND d.next_attempt_at <= ${now}
        AND (d.lease_until IS NULL OR d.lease_until < ${now})
        AND NOT (d.status = 'pending' AND d.employee_id = ANY(${without}::text[]))
      ORDER BY d.next_attempt_at, d.position LIMIT ${most})
    SELECT min(n.next_attempt_at) AS first_at, (array_agg(n.position))[1] AS first_position,
      max(n.next_attempt_at) AS last_at, (array_agg(n.position))[count(*)] AS last_position,
      ARRAY(SELECT p.employee_id
        FROM (SELECT n.employee_id, max(n.position) AS last FROM n WHERE n.status = 'pending' GROUP BY 1) AS p
        WHERE (SELECT true FROM webhook_deliveries e
          WHERE e.tenant_id = ${tenant_id} AND e.employee_id = p.employee_id AND e.webhook_id = ${webhook_id}
            AND e.position < p.last AND e.status = 'pending' AND e.lease_until >= ${now} LIMIT 1)) AS held
    FROM n`
  return span
}

export type ClaimInForce = Pick<
  WebhookRow,
  'url' | 'secret' | 'new_secret' | 'rotation_ends_at' | 'activated_at'
>

/** How a claimed delivery is sent now; nothing where the claim is lost or nothing is to be sent any more. */
export async function findClaim(
  tx: Tx,
  tenant_id: string,
  claim: { webhook_id: string; delivery_id: string; fence: string },
): Promise<ClaimInForce | undefined> {
  const [row] = await tx<ClaimInForce[]>`
    SELECT w.url, w.secret, w.new_secret, w.rotation_ends_at, w.activated_at FROM webhook_deliveries d
    JOIN webhooks w ON w.tenant_id = d.tenant_id AND w.webhook_id = d.webhook_id
    JOIN tenants t ON t.tenant_id = d.tenant_id
    WHERE d.tenant_id = ${tenant_id} AND w.tenant_id = ${tenant_id} AND t.tenant_id = ${tenant_id}
      AND d.webhook_id = ${claim.webhook_id} AND d.delivery_id = ${claim.delivery_id} AND d.fence = ${claim.fence}
      AND w.status = 'enabled' AND t.status = 'active' AND NOT ${isErased(tx, tenant_id, tx`d`)}`
  return row
}

/** Due deliveries of subscriptions that are not enabled are set aside, to be recovered later. */
export async function skipDue(
  tx: Tx,
  tenant_id: string,
  webhook_ids: string[],
  now: Date,
  limit: number,
): Promise<number> {
  const rows = await tx`
    UPDATE webhook_deliveries d SET status = 'skipped', next_attempt_at = NULL, lease_until = NULL, fence = NULL
    WHERE d.tenant_id = ${tenant_id} AND d.webhook_id = ANY(${webhook_ids}::text[]) AND d.delivery_id = ANY(ARRAY(
      SELECT c.delivery_id FROM webhook_deliveries c
      WHERE c.tenant_id = ${tenant_id} AND c.webhook_id = ANY(${webhook_ids}::text[])
        AND c.next_attempt_at <= ${now} AND (c.lease_until IS NULL OR c.lease_until < ${now})
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING 1`
  return rows.length
}

export type OutcomeRow = {
  webhook_id: string
  delivery_id: string
  fence: string
  status: 'delivered' | 'retrying' | 'failed'
  next_attempt_at: Date | null
  response_status: number | null
  error: string | null
}

export type AttemptRow = {
  webhook_id: string
  delivery_id: string
  attempt: number
  url: string
  signature: string
  standard_signature: string
  started_at: Date
  ended_at: Date
  dns_ms: number | null
  connect_ms: number | null
  first_byte_ms: number | null
  total_ms: number
  stage: string | null
  error: string | null
  response_status: number | null
  response_headers: Record<string, string | string[]> | null
  response_body: string | null
  response_encoding: 'utf8' | 'base64'
  response_truncated: boolean
}

/** An outcome with what is kept of the attempt; its number is given when it is recorded. */
export type EndedRow = { row: OutcomeRow; attempt: Omit<AttemptRow, 'attempt'> }

/**
 * Records outcomes of claims still in force, with their attempts, and returns those claims.
 * Invariant: the fence is cleared here, so no outcome is counted twice and none of a lost claim counts.
 */
export async function recordOutcomeRows(tx: Tx, tenant_id: string, ended: readonly EndedRow[]) {
  const column = <T>(read: (row: OutcomeRow) => T): T[] => ended.map(one => read(one.row))
  const kept = <T>(read: (attempt: EndedRow['attempt']) => T): T[] =>
    ended.map(one => read(one.attempt))
  return tx<{ fence: string; delivery_id: string }[]>`
    WITH u AS (SELECT * FROM (SELECT unnest(${column(r => r.webhook_id)}::text[]) AS webhook_id,
      unnest(${column(r => r.delivery_id)}::text[]) AS delivery_id,
      unnest(${column(r => r.fence)}::text[]) AS fence, unnest(${column(r => r.status)}::text[]) AS status,
      unnest(${column(r => r.next_attempt_at)}::timestamptz[]) AS next_attempt_at,
      unnest(${column(r => r.response_status)}::int[]) AS response_status,
      unnest(${column(r => r.error)}::text[]) AS last_error, unnest(${kept(r => r.url)}::text[]) AS url,
      unnest(${kept(r => r.signature)}::text[]) AS signature,
      unnest(${kept(r => r.standard_signature)}::text[]) AS standard_signature,
      unnest(${kept(r => r.started_at)}::timestamptz[]) AS started_at,
      unnest(${kept(r => r.ended_at)}::timestamptz[]) AS ended_at,
      unnest(${kept(r => r.dns_ms)}::float8[]) AS dns_ms,
      unnest(${kept(r => r.connect_ms)}::float8[]) AS connect_ms,
      unnest(${kept(r => r.first_byte_ms)}::float8[]) AS first_byte_ms,
      unnest(${kept(r => r.total_ms)}::float8[]) AS total_ms, unnest(${kept(r => r.stage)}::text[]) AS stage,
      unnest(${kept(r => r.error)}::text[]) AS error,
      unnest(${kept(r => r.response_headers && JSON.stringify(r.response_headers))}::text[]) AS response_headers,
      unnest(${kept(r => r.response_body)}::text[]) AS response_body,
      unnest(${kept(r => r.response_encoding)}::text[]) AS response_encoding,
      unnest(${kept(r => r.response_truncated)}::boolean[]) AS response_truncated) AS u),
    done AS (UPDATE webhook_deliveries d SET status = u.status, attempts = d.attempts + 1,
        next_attempt_at = u.next_attempt_at, lease_until = NULL, fence = NULL,
        last_response_status = u.response_status, last_error = u.last_error
      FROM u WHERE d.tenant_id = ${tenant_id} AND d.webhook_id = u.webhook_id AND d.delivery_id = u.delivery_id
        AND d.fence = u.fence
      RETURNING d.attempts, u.*),
    logged AS (INSERT INTO webhook_attempts AS x (tenant_id, webhook_id, delivery_id, attempt, url, signature,
        standard_signature, started_at, ended_at, dns_ms, connect_ms, first_byte_ms, total_ms, stage, error,
        response_status, response_headers, response_body, response_encoding, response_truncated)
      SELECT tn.tenant_id, u.webhook_id, u.delivery_id, u.attempts, u.url, u.signature, u.standard_signature,
        u.started_at, u.ended_at, u.dns_ms, u.connect_ms, u.first_byte_ms, u.total_ms, u.stage, u.error,
        u.response_status, u.response_headers::jsonb, u.response_body, u.response_encoding, u.response_truncated
      FROM tenants tn, done u WHERE tn.tenant_id = ${tenant_id})
    SELECT fence, delivery_id FROM done`
}

/** Gives claimed deliveries back unsent; how many were still ours. */
export async function releaseLeases(
  tx: Tx,
  tenant_id: string,
  rows: readonly { webhook_id: string; delivery_id: string; fence: string }[],
): Promise<number> {
  const given = await tx`UPDATE webhook_deliveries d SET lease_until = NULL, fence = NULL
    FROM (SELECT unnest(${rows.map(r => r.webhook_id)}::text[]) AS webhook_id,
      unnest(${rows.map(r => r.delivery_id)}::text[]) AS delivery_id,
      unnest(${rows.map(r => r.fence)}::text[]) AS fence) AS u
    WHERE d.tenant_id = ${tenant_id} AND d.webhook_id = u.webhook_id AND d.delivery_id = u.delivery_id
      AND d.fence = u.fence RETURNING 1`
  return given.length
}
