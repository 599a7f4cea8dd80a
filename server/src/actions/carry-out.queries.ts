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
    SELECT t.tenant_id FROM tenants t WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND EXISTS (
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

/**
 * What no clock that is right can have written: a claim, and the next attempt after so many, beyond these instants; and
 * what they become.
 */
export type FarMail = {
  lease_after: Date
  lease_until: Date
  due_after: readonly Date[]
  due_at: readonly Date[]
}

/** Reads across tenants: ids only. How far each attempt may be is seen in the tenant. */
export async function tenantsWithFarMail(
  tx: Tx,
  { lease_after, due_after }: FarMail,
  after: string,
  limit: number,
) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND EXISTS (
      SELECT 1 FROM actions a WHERE a.tenant_id = t.tenant_id AND a.next_attempt_at IS NOT NULL
        AND (a.lease_until > ${lease_after} OR a.next_attempt_at > ${due_after[0]!}))
    ORDER BY t.tenant_id LIMIT ${limit}`
}

export async function mendFarMail(tx: Tx, tenant_id: string, far: FarMail): Promise<void> {
  await tx`UPDATE actions SET lease_until = ${far.lease_until}
    WHERE tenant_id = ${tenant_id} AND next_attempt_at IS NOT NULL AND lease_until > ${far.lease_after}`
  // Arrays count from one.
  await tx`UPDATE actions SET next_attempt_at = (${[...far.due_at]}::timestamptz[])[attempts + 1]
    WHERE tenant_id = ${tenant_id} AND next_attempt_at > (${[...far.due_after]}::timestamptz[])[attempts + 1]`
}
