// What can be done with deliveries: look into one, send a test, send one again, recover what was missed.
import type { Asked } from '../accounts/identity.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { actorText } from '../platform/actor.ts'
import { type Instant, MOST_AHEAD_MS } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { conflict, notFound } from '../platform/errors.ts'
import { idFloor, newId } from '../platform/ids.ts'
import { writeTogether } from '../platform/write-together.ts'
import { readAudience } from './announce.ts'
import type { AttemptRow } from './claims.queries.ts'
import {
  countMissed,
  type DeliveryRow,
  findDelivery,
  listAttempts,
  redeliverRows,
} from './deliveries.queries.ts'
import { TEST_KIND } from './event-kinds.ts'
import { wakeWorkers } from './queue.queries.ts'
import { queueMessages } from './queue-messages.ts'
import { MOST_ATTEMPTS } from './retry-schedule.ts'
import { deliveryHeaders } from './signatures.ts'
import {
  findWebhook,
  insertRecovery,
  listOnlookers,
  type RecoveryRow,
  type WebhookRow,
} from './webhooks.queries.ts'

export async function readDelivery(tx: Tx, tenant_id: string, delivery_id: string) {
  const { body, ...shown } = await requireDelivery(tx, tenant_id, delivery_id)
  const rows = await listAttempts(tx, tenant_id, shown.webhook_id, delivery_id)
  const attempts = body === '' ? rows.map(withoutAnswer) : rows
  return {
    ...shown,
    request: { body },
    attempt_log: listFitting(attempts.map(row => showAttempt(shown.event, row))).toReversed(),
  }
}

/** What the receiver answered is up to 64 KiB of each attempt, and several times as much as JSON. */
const MOST_LOGGED = 3 * 1024 * 1024

/** From the first on as many as fit together; one always does. */
function listFitting<T>(attempts: readonly T[]): T[] {
  let length = 0
  const over = attempts.findIndex(one => {
    length += Buffer.byteLength(JSON.stringify(one))
    return length > MOST_LOGGED
  })
  return attempts.slice(0, over < 0 ? undefined : over)
}

/** Of what is erased the receiver may have said something too. */
function withoutAnswer(row: AttemptRow): AttemptRow {
  return { ...row, error: null, response_headers: null, response_body: null }
}

async function requireDelivery(tx: Tx, tenant_id: string, delivery_id: string) {
  const found = await findDelivery(tx, tenant_id, delivery_id)
  if (!found) throw notFound('delivery')
  return found
}

function showAttempt(event: string, row: AttemptRow) {
  const { delivery_id, attempt, started_at, ended_at } = row
  const { dns_ms, connect_ms, first_byte_ms, total_ms } = row
  // Without a signature nothing was sent.
  const headers =
    row.signature === '' ? {} : deliveryHeaders({ delivery_id, event }, row, started_at.getTime())
  const response = {
    status: row.response_status,
    headers: row.response_headers,
    body: row.response_body,
    encoding: row.response_encoding,
    truncated: row.response_truncated,
  }
  return {
    attempt,
    started_at,
    ended_at,
    timings: { dns_ms, connect_ms, first_byte_ms, total_ms },
    request: { url: row.url, headers },
    response: row.response_status === null ? null : response,
    stage: row.stage,
    error: row.error,
  }
}

async function findEnabled(tx: Tx, tenant_id: string, webhook_id: string): Promise<WebhookRow> {
  const webhook = await findWebhook(tx, tenant_id, webhook_id)
  if (!webhook) throw notFound('webhook')
  if (webhook.status !== 'enabled') throw conflict('the webhook is disabled; enable it first')
  return webhook
}

/** A message of its own kind, logged and retried like any other. */
export async function queueTest(tx: Tx, asked: Asked, webhook_id: string): Promise<DeliveryRow> {
  const { tenant_id, now } = asked
  const webhook = await findEnabled(tx, tenant_id, webhook_id)
  const data = () => ({ webhook_id, message: 'A test message; nothing has happened.' })
  const message = { kind: TEST_KIND, at: now, employee_id: '', data } as const
  const { positions } = await readAudience(tx, tenant_id, [''])
  const { writes, deliveries } = queueMessages(tx, tenant_id, now, [message], positions, () => [
    webhook,
  ])
  await writeTogether(tx, writes, wakeWorkers(tx, tenant_id))
  const { delivery_id } = deliveries[0]!
  await auditOne(tx, asked, 'webhook.tested', webhook_id, { delivery_id })
  return showRow(tx, tenant_id, delivery_id)
}

async function showRow(tx: Tx, tenant_id: string, delivery_id: string): Promise<DeliveryRow> {
  const { body: _, ...row } = await requireDelivery(tx, tenant_id, delivery_id)
  return row
}

/** The same id and the same bytes once more; it takes the place of a retry to come. */
export async function redeliver(tx: Tx, asked: Asked, delivery_id: string): Promise<DeliveryRow> {
  const { tenant_id, now } = asked
  const { webhook_id, body } = await requireDelivery(tx, tenant_id, delivery_id)
  if (body === '') throw conflict('what it told was erased or redacted')
  await findEnabled(tx, tenant_id, webhook_id)
  await redeliverRows(tx, tenant_id, webhook_id, [delivery_id], MOST_ATTEMPTS, new Date(now))
  await wakeWorkers(tx, tenant_id)
  const row = await showRow(tx, tenant_id, delivery_id)
  await auditOne(tx, asked, 'webhook.redelivered', webhook_id, { delivery_id })
  return row
}

/**
 * Invariant: it ends at its own beginning, by the clock that is furthest ahead, so what fails because of it is not
 * taken up again.
 */
export async function startRecovery(tx: Tx, asked: Asked, webhook_id: string, since: Instant) {
  const { tenant_id, origin, now } = asked
  await findEnabled(tx, tenant_id, webhook_id)
  const recovery_id = newId('rcv', now)
  // Ids know no instant before 1970.
  const begin = Math.max(0, since)
  const span = { from: idFloor('dlv', begin), until: idFloor('dlv', now + MOST_AHEAD_MS + 1) }
  const row: RecoveryRow = {
    recovery_id,
    webhook_id,
    status: 'queued',
    since: new Date(begin),
    total: await countMissed(tx, tenant_id, webhook_id, span),
    processed: 0,
    done_to: span.from,
    ends_at: span.until,
    created_by: actorText(origin.actor),
    created_at: new Date(now),
    started_at: null,
    finished_at: null,
    error: null,
  }
  // Seen after the webhook was enabled: whoever looked at it before then is among them, or is over.
  await insertRecovery(tx, tenant_id, row, await listOnlookers(tx))
  await auditOne(tx, asked, 'webhook.recovered', webhook_id, { since: row.since })
  return showRecovery(row)
}

export function showRecovery(row: RecoveryRow) {
  const { recovery_id, webhook_id, status, since, total, processed } = row
  const { created_at, started_at, finished_at, error } = row
  return {
    id: recovery_id,
    webhook_id,
    status,
    since,
    total,
    processed,
    created_at,
    started_at,
    finished_at,
    error,
  }
}

async function auditOne(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  action: string,
  webhook_id: string,
  after: unknown,
): Promise<void> {
  const change = { action, subject_kind: 'webhook', subject_id: webhook_id, after }
  await recordAudit(tx, tenant_id, now, origin, [change])
}
