// SQL by which the worker finds what is due: mails to send and actions whose time is over.
import type { Tx } from '../platform/database.ts'

/** Reads across tenants: ids only. */
export async function tenantsWithDueMail(tx: Tx, now: Date, after: string, limit: number) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t
    WHERE t.tenant_id > ${after} AND t.status = 'active' AND EXISTS (
      SELECT 1 FROM actions a WHERE a.tenant_id = t.tenant_id AND a.next_attempt_at <= ${now}
        AND (a.lease_until IS NULL OR a.lease_until < ${now}))
    ORDER BY t.tenant_id LIMIT ${limit}`
}

/** Claims the next due mail; the fence names the claim in whose name an outcome may be recorded. */
export async function claimMail(
  tx: Tx,
  tenant_id: string,
  fence: string,
  now: Date,
  lease_until: Date,
): Promise<string | undefined> {
  const [row] = await tx<{ action_id: string }[]>`
    UPDATE actions SET fence = ${fence}, lease_until = ${lease_until}
    WHERE tenant_id = ${tenant_id} AND action_id = ANY(ARRAY(
      SELECT action_id FROM actions WHERE tenant_id = ${tenant_id} AND next_attempt_at <= ${now}
        AND (lease_until IS NULL OR lease_until < ${now})
      ORDER BY next_attempt_at, action_id LIMIT 1 FOR UPDATE SKIP LOCKED))
    RETURNING action_id`
  return row?.action_id
}

/** Invariant: asked with the action's lock held. */
export async function holdsClaim(tx: Tx, tenant_id: string, action_id: string, fence: string) {
  const [row] = await tx`
    SELECT 1 FROM actions WHERE tenant_id = ${tenant_id} AND action_id = ${action_id} AND fence = ${fence}`
  return row !== undefined
}

/** Reads across tenants: ids only. */
export async function tenantsWithExpired(tx: Tx, now: Date, after: string, limit: number) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t WHERE t.tenant_id > ${after} AND EXISTS (
      SELECT 1 FROM actions a WHERE a.tenant_id = t.tenant_id AND a.expires_at <= ${now})
    ORDER BY t.tenant_id LIMIT ${limit}`
}

export async function expireActions(
  tx: Tx,
  tenant_id: string,
  now: Date,
  outcomes: { awaiting_approval: string; triggered: string },
  limit: number,
): Promise<number> {
  const rows = await tx`
    UPDATE actions SET outcome = CASE WHEN status = 'triggered' THEN ${outcomes.triggered}::text
        ELSE ${outcomes.awaiting_approval}::text END,
      status = 'expired', finished_at = ${now}, expires_at = NULL, next_attempt_at = NULL, lease_until = NULL,
      fence = NULL
    WHERE tenant_id = ${tenant_id} AND action_id = ANY(ARRAY(
      SELECT action_id FROM actions WHERE tenant_id = ${tenant_id} AND expires_at <= ${now}
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING 1`
  return rows.length
}
