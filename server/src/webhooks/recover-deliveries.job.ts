// Sends again what a subscription missed, in chunks of one transaction each, so that a kill loses nothing.
import { mayStill, NO_LONGER_ALLOWED } from '../access/judge-originator.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { engineOrigin } from '../platform/actor.ts'
import { MINUTE } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import type { Job } from '../platform/jobs.ts'
import { createTenantJob } from '../platform/tenant-turns.ts'
import { listMissed, redeliverRows } from './deliveries.queries.ts'
import { wakeWorkers } from './queue.queries.ts'
import { MOST_ATTEMPTS } from './retry-schedule.ts'
import {
  findWebhook,
  listOnlookers,
  lockRecovery,
  type RecoveryRow,
  tenantsWithRecoveries,
  updateRecovery,
} from './webhooks.queries.ts'

const CHUNK = 500
/** Longer than any transaction that writes: what lasts longer only reads, such as a backup. */
const UNDER_WAY_MS = 10 * MINUTE

export function recoverDeliveriesJob(): Job {
  return createTenantJob({
    name: 'recover-deliveries',
    every_ms: 1000,
    tenants: 50,
    find: ({ db }, after, limit) => db.acrossTenants(tx => tenantsWithRecoveries(tx, after, limit)),
    work: (context, { tenant_id }) => recoverChunk(context, tenant_id),
  })
}

/**
 * True when there may be more to do. Whoever asked is looked up for each chunk.
 * Invariant: whoever may have seen the webhook disabled is done by now, so nothing is skipped behind us.
 */
async function recoverChunk({ db, clock }: Context, tenant_id: string): Promise<boolean> {
  const now = new Date(clock.now())
  return db.inTenant(tenant_id, async tx => {
    const none_before = new Date(now.getTime() - UNDER_WAY_MS)
    const recovery = await lockRecovery(tx, tenant_id, await listOnlookers(tx), none_before)
    if (!recovery) return false
    const { webhook_id, done_to: from, ends_at: until } = recovery
    const webhook = await findWebhook(tx, tenant_id, webhook_id)
    recovery.started_at ??= now
    const allowed = await mayStill(tx, tenant_id, recovery.created_by, 'webhooks:write', now)
    if (webhook?.status !== 'enabled' || !allowed) {
      const error = allowed ? 'the webhook was disabled or deleted meanwhile' : NO_LONGER_ALLOWED
      Object.assign(recovery, { status: 'failed', finished_at: now, error })
    } else {
      const ids = await listMissed(tx, tenant_id, webhook_id, { from, until }, CHUNK)
      recovery.processed += await redeliverRows(tx, tenant_id, webhook_id, ids, MOST_ATTEMPTS, now)
      recovery.total = Math.max(recovery.total, recovery.processed)
      const isLast = ids.length < CHUNK
      recovery.status = isLast ? 'completed' : 'running'
      recovery.finished_at = isLast ? now : null
      // The ids after the last one of this chunk; a longer text sorts right behind it.
      recovery.done_to = ids.length > 0 ? `${ids.at(-1)}0` : from
      if (ids.length > 0) await wakeWorkers(tx, tenant_id)
    }
    await updateRecovery(tx, tenant_id, recovery)
    if (!allowed) await auditStop(tx, tenant_id, recovery, now)
    return true
  })
}

async function auditStop(tx: Tx, tenant_id: string, recovery: RecoveryRow, now: Date) {
  const { recovery_id, webhook_id, created_by, processed, status, error } = recovery
  await recordAudit(tx, tenant_id, now.getTime(), engineOrigin(), [
    {
      action: 'webhook.recovery_stopped',
      subject_kind: 'webhook',
      subject_id: webhook_id,
      before: { recovery_id, created_by },
      after: { status, error, processed },
    },
  ])
}
