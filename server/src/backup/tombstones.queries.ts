// SQL of tombstones: what has ended for good, of all tenants, as the owner of the tables.
import type { Tx } from '../platform/database.ts'

/** In the order in which they are applied again. */
export const KINDS = [
  'deleted_tenant',
  'suspended_tenant',
  'disabled_user',
  'changed_password',
  'used_code',
  'removed_member',
  'disabled_member',
  'revoked_key',
  'ended_grant',
  'deleted_app',
  'deleted_webhook',
  'disabled_webhook',
  'redacted_event',
  'erased_employee',
] as const
export type Kind = (typeof KINDS)[number]

/** `mark` tells apart what has happened to the same thing: the hash of a recovery code, the moment of a new password. */
export type Tombstone = {
  readonly kind: Kind
  readonly tenant_id: string
  readonly id: string
  readonly mark: string
}

/** Ids and hashes alone. Of what leaves no row the audit log tells, which is kept as long as its tenant. */
export async function listTombstones(tx: Tx): Promise<Tombstone[]> {
  return tx<Tombstone[]>`
    SELECT 'deleted_tenant' AS kind, tenant_id, subject_id AS id, '' AS mark FROM audit_entries
      WHERE action = 'tenant.deletion_started'
    UNION SELECT 'suspended_tenant', tenant_id, tenant_id, '' FROM tenants WHERE status = 'suspended'
    UNION SELECT 'disabled_user', tenant_id, user_id, '' FROM users WHERE status = 'disabled'
    UNION SELECT 'changed_password', tenant_id, user_id,
      (extract(epoch FROM password_changed_at) * 1000)::bigint::text FROM users WHERE password_changed_at IS NOT NULL
    UNION SELECT 'used_code', tenant_id, user_id, encode(code_hash, 'hex') FROM recovery_codes
      WHERE used_at IS NOT NULL
    UNION SELECT 'removed_member', tenant_id, subject_id, '' FROM audit_entries e
      WHERE action = 'user.removed' AND NOT EXISTS (
        SELECT 1 FROM memberships m WHERE m.tenant_id = e.tenant_id AND m.user_id = e.subject_id)
    UNION SELECT 'disabled_member', tenant_id, user_id, '' FROM memberships
      WHERE status IN ('disabled', 'withdrawn')
    UNION SELECT 'revoked_key', tenant_id, key_id, '' FROM api_keys WHERE revoked_at IS NOT NULL
    UNION SELECT 'ended_grant', tenant_id, grant_id, '' FROM oauth_grants WHERE revoked_at IS NOT NULL
    UNION SELECT 'deleted_app', tenant_id, subject_id, '' FROM audit_entries WHERE action = 'oauth_app.deleted'
    UNION SELECT 'deleted_webhook', tenant_id, subject_id, '' FROM audit_entries WHERE action = 'webhook.deleted'
    UNION SELECT 'disabled_webhook', tenant_id, webhook_id, '' FROM webhooks WHERE status = 'disabled'
    UNION SELECT 'redacted_event', tenant_id, subject_id, '' FROM audit_entries WHERE action = 'event.redacted'
    UNION SELECT 'erased_employee', tenant_id, subject_id, '' FROM audit_entries WHERE action = 'employee.erased'
    ORDER BY 1, 2, 3, 4`
}

/** Every key that is not revoked, as if it were. */
export async function listKeysInForce(tx: Tx): Promise<Tombstone[]> {
  return tx<Tombstone[]>`
    SELECT 'revoked_key' AS kind, tenant_id, key_id AS id, '' AS mark FROM api_keys WHERE revoked_at IS NULL
    ORDER BY tenant_id, key_id`
}

export type InForce = {
  keys: number
  grants: number
  members: number
  webhooks: number
  employees: number
}

/** What works now, or is known by name. */
export async function countInForce(tx: Tx): Promise<InForce> {
  const [row] = await tx<InForce[]>`SELECT
    (SELECT count(*) FROM api_keys WHERE revoked_at IS NULL) AS keys,
    (SELECT count(*) FROM oauth_grants WHERE revoked_at IS NULL) AS grants,
    (SELECT count(*) FROM memberships WHERE status = 'active') AS members,
    (SELECT count(*) FROM webhooks WHERE status = 'enabled') AS webhooks,
    (SELECT count(*) FROM employees) AS employees`
  return row!
}

export type Ended = { sessions: number; links: number; tokens: number; codes: number }

/** Whoever held one of these may have lost it after the backup was made: all log in, and are asked, anew. */
export async function endSignIns(tx: Tx): Promise<Ended> {
  return {
    sessions: await tx`DELETE FROM sessions`.changes(),
    links: await tx`DELETE FROM account_links`.changes(),
    tokens: await tx`DELETE FROM oauth_tokens`.changes(),
    codes: await tx`DELETE FROM oauth_codes`.changes(),
  }
}
