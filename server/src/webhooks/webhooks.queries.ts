// SQL of webhook subscriptions and of the recoveries of what they missed.
import type { Tx } from '../platform/database.ts'
import type { EventKind } from './event-kinds.ts'

export type WebhookStatus = 'enabled' | 'disabled' | 'deleted'
export type DisabledReason = 'manual' | 'failures' | 'gone' | 'grant_ended'

export type WebhookRow = {
  webhook_id: string
  url: string
  description: string
  events: EventKind[]
  status: WebhookStatus
  disabled_reason: DisabledReason | null
  disabled_at: Date | null
  secret: string
  new_secret: string | null
  rotation_ends_at: Date | null
  activated_at: Date | null
  failures: number
  first_failed_at: Date | null
  created_by: string
  /** The OAuth grant it was made through, and with which it ends. */
  grant_id: string | null
  created_at: Date
  updated_at: Date
}

export type Listener = { webhook_id: string; events: EventKind[]; status: WebhookStatus }

export async function countWebhooks(tx: Tx, tenant_id: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM webhooks WHERE tenant_id = ${tenant_id} AND status <> 'deleted'`
  return row!.n
}

export async function insertWebhook(tx: Tx, tenant_id: string, row: WebhookRow): Promise<void> {
  await tx`INSERT INTO webhooks (tenant_id, webhook_id, url, description, events, status, secret, failures,
      created_by, grant_id, created_at, updated_at)
    VALUES (${tenant_id}, ${row.webhook_id}, ${row.url}, ${row.description}, ${row.events}, ${row.status},
      ${row.secret}, 0, ${row.created_by}, ${row.grant_id}, ${row.created_at}, ${row.updated_at})`
}

function columns(tx: Tx) {
  return tx`webhook_id, url, description, events, status, disabled_reason, disabled_at, secret, new_secret,
    rotation_ends_at, activated_at, failures, first_failed_at, created_by, grant_id, created_at,
    updated_at`
}

export async function listWebhooks(tx: Tx, tenant_id: string): Promise<WebhookRow[]> {
  return tx<WebhookRow[]>`
    SELECT ${columns(tx)}
    FROM webhooks WHERE tenant_id = ${tenant_id} AND status <> 'deleted' ORDER BY webhook_id`
}

export async function findWebhook(tx: Tx, tenant_id: string, webhook_id: string) {
  const [row] = await tx<WebhookRow[]>`
    SELECT ${columns(tx)}
    FROM webhooks WHERE tenant_id = ${tenant_id} AND webhook_id = ${webhook_id} AND status <> 'deleted'`
  return row
}

/** Locked in one order everywhere. */
export async function lockWebhooks(tx: Tx, tenant_id: string, webhook_ids: string[]) {
  return tx<WebhookRow[]>`
    SELECT ${columns(tx)}
    FROM webhooks WHERE tenant_id = ${tenant_id} AND webhook_id = ANY(${webhook_ids}::text[])
      AND status <> 'deleted' ORDER BY webhook_id FOR UPDATE`
}

/** The last change wins over nothing: the caller holds the row's lock. */
export async function updateWebhook(tx: Tx, tenant_id: string, row: WebhookRow): Promise<void> {
  await tx`UPDATE webhooks SET url = ${row.url}, description = ${row.description}, events = ${row.events},
      status = ${row.status}, disabled_reason = ${row.disabled_reason}, disabled_at = ${row.disabled_at},
      secret = ${row.secret}, new_secret = ${row.new_secret}, rotation_ends_at = ${row.rotation_ends_at},
      activated_at = ${row.activated_at}, failures = ${row.failures},
      first_failed_at = ${row.first_failed_at}, created_by = ${row.created_by}, grant_id = ${row.grant_id},
      updated_at = ${row.updated_at}
    WHERE tenant_id = ${tenant_id} AND webhook_id = ${row.webhook_id}`
}

/** A success ends a row of failures, if it was at the address in force; where there is none, nothing is written. */
export async function endFailures(
  tx: Tx,
  tenant_id: string,
  good: readonly Pick<WebhookRow, 'webhook_id' | 'url'>[],
): Promise<void> {
  await tx`UPDATE webhooks w SET failures = 0, first_failed_at = NULL
    FROM (SELECT unnest(${good.map(one => one.webhook_id)}::text[]) AS webhook_id,
      unnest(${good.map(one => one.url)}::text[]) AS url) AS u
    WHERE w.tenant_id = ${tenant_id} AND w.webhook_id = u.webhook_id AND w.url = u.url AND w.failures > 0`
}

export type RecoveryRow = {
  recovery_id: string
  webhook_id: string
  status: 'queued' | 'running' | 'completed' | 'failed'
  since: Date
  total: number
  processed: number
  done_to: string
  ends_at: string
  created_by: string
  created_at: Date
  started_at: Date | null
  finished_at: Date | null
  error: string | null
}

/** The transactions under way that have looked at subscriptions: whoever reads a table holds it until the end. */
export async function listOnlookers(tx: Tx): Promise<string[]> {
  const rows = await tx<{ transaction: string }[]>`
    SELECT DISTINCT l.virtualtransaction AS transaction FROM pg_locks l JOIN pg_database b ON b.oid = l.database
    WHERE l.relation = 'webhooks'::regclass AND b.datname = current_database() AND l.pid <> pg_backend_pid()`
  return rows.map(row => row.transaction)
}

export async function insertRecovery(
  tx: Tx,
  tenant_id: string,
  row: RecoveryRow,
  waits_for: string[],
): Promise<void> {
  await tx`INSERT INTO webhook_recoveries (tenant_id, recovery_id, webhook_id, status, since, total, processed,
      done_to, ends_at, waits_for, created_by, created_at)
    VALUES (${tenant_id}, ${row.recovery_id}, ${row.webhook_id}, ${row.status}, ${row.since}, ${row.total},
      ${row.processed}, ${row.done_to}, ${row.ends_at}, ${waits_for}::text[], ${row.created_by}, ${row.created_at})`
}

function recoveryColumns(tx: Tx) {
  return tx`recovery_id, webhook_id, status, since, total, processed, done_to, ends_at, created_by, created_at,
    started_at, finished_at, error`
}

export async function findRecovery(
  tx: Tx,
  tenant_id: string,
  webhook_id: string,
  recovery_id: string,
) {
  const [row] = await tx<RecoveryRow[]>`
    SELECT ${recoveryColumns(tx)} FROM webhook_recoveries
    WHERE tenant_id = ${tenant_id} AND recovery_id = ${recovery_id} AND webhook_id = ${webhook_id}`
  return row
}

/** The oldest unfinished recovery that no other worker holds, and that waits for none of these any more. */
export async function lockRecovery(
  tx: Tx,
  tenant_id: string,
  under_way: string[],
  none_before: Date,
) {
  const [row] = await tx<RecoveryRow[]>`
    SELECT ${recoveryColumns(tx)} FROM webhook_recoveries WHERE tenant_id = ${tenant_id} AND finished_at IS NULL
      AND (created_at < ${none_before} OR NOT waits_for && ${under_way}::text[])
    ORDER BY recovery_id LIMIT 1 FOR UPDATE SKIP LOCKED`
  return row
}

export async function updateRecovery(tx: Tx, tenant_id: string, row: RecoveryRow): Promise<void> {
  await tx`UPDATE webhook_recoveries SET status = ${row.status}, total = ${row.total},
      processed = ${row.processed}, done_to = ${row.done_to}, started_at = ${row.started_at},
      finished_at = ${row.finished_at}, error = ${row.error}
    WHERE tenant_id = ${tenant_id} AND recovery_id = ${row.recovery_id}`
}

/** Reads across tenants: ids only. */
export async function tenantsWithRecoveries(tx: Tx, after: string, limit: number) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t WHERE t.tenant_id > ${after} AND t.status = 'active' AND EXISTS (
      SELECT 1 FROM webhook_recoveries r WHERE r.tenant_id = t.tenant_id AND r.finished_at IS NULL)
    ORDER BY t.tenant_id LIMIT ${limit}`
}
