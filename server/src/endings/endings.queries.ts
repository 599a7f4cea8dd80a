// SQL of what ends with whom: webhooks that hang on OAuth grants, and keys of people who leave.
import type { Tx } from '../platform/database.ts'
import type { Scope } from '../tenants/scopes.ts'

/** Which grants have ended: one, those of an app, those of a person, or those no token of which works at an instant. */
export type EndedGrants =
  | { grant_id: string }
  | { client_id: string }
  | { user_id: string }
  | { spent_at: Date }

function hangsOn(tx: Tx, tenant_id: string, grants: EndedGrants) {
  if ('grant_id' in grants) return tx`w.grant_id = ${grants.grant_id}`
  if ('client_id' in grants) return tx`w.created_by = ${`app:${grants.client_id}`}`
  if ('user_id' in grants) {
    return tx`EXISTS (SELECT 1 FROM oauth_grants g
      WHERE g.tenant_id = ${tenant_id} AND g.grant_id = w.grant_id AND g.user_id = ${grants.user_id})`
  }
  const { spent_at } = grants
  return tx`w.grant_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM oauth_grants g
      JOIN oauth_tokens t ON t.tenant_id = g.tenant_id AND t.grant_id = g.grant_id
    WHERE g.tenant_id = ${tenant_id} AND t.tenant_id = ${tenant_id} AND g.grant_id = w.grant_id
      AND g.revoked_at IS NULL AND g.expires_at > ${spent_at} AND t.revoked_at IS NULL AND t.expires_at > ${spent_at})`
}

/** Locked in the order in which webhooks are locked everywhere; one that is disabled already hears why from now on. */
export async function lockWebhooksOf(tx: Tx, tenant_id: string, grants: EndedGrants) {
  return tx<{ webhook_id: string; url: string; status: string; failures: number }[]>`
    SELECT w.webhook_id, w.url, w.status, w.failures FROM webhooks w
    WHERE w.tenant_id = ${tenant_id} AND w.status <> 'deleted'
      AND w.disabled_reason IS DISTINCT FROM 'grant_ended' AND ${hangsOn(tx, tenant_id, grants)}
    ORDER BY w.webhook_id FOR UPDATE`
}

export async function disableWebhooks(
  tx: Tx,
  tenant_id: string,
  webhook_ids: string[],
  at: Date,
): Promise<void> {
  await tx`UPDATE webhooks SET status = 'disabled', disabled_reason = 'grant_ended', disabled_at = ${at},
      updated_at = ${at}
    WHERE tenant_id = ${tenant_id} AND webhook_id = ANY(${webhook_ids}::text[])`
}

/** Reads across tenants: ids only. Whether a grant still works is asked in the tenant. */
export async function tenantsWithMadeWebhooks(tx: Tx, after: string, limit: number) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND EXISTS (
      SELECT 1 FROM webhooks w WHERE w.tenant_id = t.tenant_id AND w.grant_id IS NOT NULL AND w.status <> 'deleted'
        AND w.disabled_reason IS DISTINCT FROM 'grant_ended')
    ORDER BY t.tenant_id LIMIT ${limit}`
}

/** Those that count. */
export async function countKeysOf(tx: Tx, tenant_id: string, created_by: string, at: Date) {
  const [row] = await tx<{ n: number }[]>`SELECT count(*) AS n FROM api_keys
    WHERE tenant_id = ${tenant_id} AND created_by = ${created_by} AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > ${at})`
  return row!.n
}

export async function revokeKeysOf(tx: Tx, tenant_id: string, created_by: string, at: Date) {
  return tx<{ key_id: string; name: string; scopes: Scope[]; expires_at: Date | null }[]>`
    UPDATE api_keys SET revoked_at = ${at}
    WHERE tenant_id = ${tenant_id} AND created_by = ${created_by} AND revoked_at IS NULL
    RETURNING key_id, name, scopes, expires_at`
}

export async function revokesKeysOfLeavers(tx: Tx, tenant_id: string): Promise<boolean> {
  const [row] = await tx<{ revoke_keys_of_leavers: boolean }[]>`
    SELECT revoke_keys_of_leavers FROM tenants WHERE tenant_id = ${tenant_id}`
  return row?.revoke_keys_of_leavers ?? false
}

export async function saveRevokesKeys(tx: Tx, tenant_id: string, revokes: boolean): Promise<void> {
  await tx`UPDATE tenants SET revoke_keys_of_leavers = ${revokes} WHERE tenant_id = ${tenant_id}`
}
