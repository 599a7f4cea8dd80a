// What ends with whom, in the transaction of the cause: webhooks with the grant they were made through, and what a
// person who leaves had. Both give what is to be audited, for the caller to record with the cause, as the last thing.
import type { AuditedChange } from '../audit/record-audit.ts'
import { addNotice, type Notice } from '../notifications/notifications.queries.ts'
import { actorText } from '../platform/actor.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import {
  countKeysOf,
  disableWebhooks,
  type EndedGrants,
  lockWebhooksOf,
  revokeKeysOf,
  revokesKeysOfLeavers,
} from './endings.queries.ts'

export type WhyEnded =
  | 'user'
  | 'admin'
  | 'client'
  | 'code_reused'
  | 'refresh_reused'
  | 'app_deleted'
  | 'person_left'
  | 'expired'

/** Invariant: whatever ends a grant calls this, so that nothing made through it goes on. */
export async function endWebhooks(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  grants: EndedGrants,
  why: WhyEnded,
): Promise<AuditedChange[]> {
  const webhooks = await lockWebhooksOf(tx, tenant_id, grants)
  if (webhooks.length === 0) return []
  const ids = webhooks.map(one => one.webhook_id)
  await disableWebhooks(tx, tenant_id, ids, new Date(now))
  for (const { webhook_id, url, failures } of webhooks) {
    const subject = { subject_kind: 'webhook', subject_id: webhook_id }
    const data = { url, reason: 'grant_ended', failures }
    await tell(tx, tenant_id, now, { kind: 'webhook.disabled', ...subject, data })
  }
  return webhooks.map(({ webhook_id, status }) => ({
    action: 'webhook.disabled',
    subject_kind: 'webhook',
    subject_id: webhook_id,
    before: { status },
    after: { status: 'disabled', reason: 'grant_ended', why },
  }))
}

/** A person is removed or disabled. Sessions, links and tokens ask for the membership, so they are over with it. */
export async function leave(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  user_id: string,
): Promise<AuditedChange[]> {
  const webhooks = await endWebhooks(tx, tenant_id, now, { user_id }, 'person_left')
  return [...webhooks, ...(await leaveKeys(tx, tenant_id, now, user_id))]
}

/** The keys somebody made belong to the organization and go on, unless it has chosen otherwise. */
async function leaveKeys(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  user_id: string,
): Promise<AuditedChange[]> {
  const maker = actorText({ kind: 'user', id: user_id })
  const at = new Date(now)
  const left = await countKeysOf(tx, tenant_id, maker, at)
  const revoked = await revokesKeysOfLeavers(tx, tenant_id)
  const keys = revoked ? await revokeKeysOf(tx, tenant_id, maker, at) : []
  if (left > 0) {
    const subject = { subject_kind: 'user', subject_id: user_id }
    const notice = { kind: 'key.creator_left', ...subject, data: { revoked }, count: left }
    await tell(tx, tenant_id, now, notice)
  }
  return keys.map(({ key_id, name, scopes, expires_at }) => ({
    action: 'key.revoked',
    subject_kind: 'key',
    subject_id: key_id,
    before: { name, scopes, expires_at },
    after: { revoked_at: at, why: 'creator_left' },
  }))
}

async function tell(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  notice: Omit<Notice, 'notification_id' | 'at' | 'raise'>,
): Promise<void> {
  const notification_id = newId('ntf', now)
  await addNotice(tx, tenant_id, { notification_id, ...notice, at: new Date(now), raise: true })
}
