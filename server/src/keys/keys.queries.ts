// All SQL of API keys; the key itself is never stored, only its hash.
import type { Tx } from '../platform/database.ts'
import type { Scope } from '../tenants/scopes.ts'

export type KeyRow = {
  key_id: string
  name: string
  scopes: Scope[]
  created_by: string
  created_at: Date
  expires_at: Date | null
  last_used_at: Date | null
  revoked_at: Date | null
}

export async function insertKey(tx: Tx, tenant_id: string, key_hash: Buffer, row: KeyRow) {
  await tx`INSERT INTO api_keys (tenant_id, key_id, key_hash, name, scopes, created_by, created_at, expires_at)
    VALUES (${tenant_id}, ${row.key_id}, ${key_hash}, ${row.name}, ${row.scopes}, ${row.created_by},
      ${row.created_at}, ${row.expires_at})`
}

/** Those not revoked are listed whole, so whatever would be beyond the list is not added. */
export const MOST_KEYS = 1000

export async function countKeys(tx: Tx, tenant_id: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM api_keys WHERE tenant_id = ${tenant_id} AND revoked_at IS NULL`
  return row!.n
}

/** `creator_left`: made by somebody who does not belong to the organization any more, or is disabled. */
export type ListedKey = KeyRow & { creator_left: boolean }

/** The oldest first; of more than `limit` the revoked are left out before the others, and the older before the newer. */
export async function listKeys(
  tx: Tx,
  tenant_id: string,
  limit: number = MOST_KEYS,
): Promise<ListedKey[]> {
  return tx<ListedKey[]>`
    SELECT k.key_id, k.name, k.scopes, k.created_by, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
      k.created_by LIKE 'user:%' AND NOT EXISTS (SELECT 1 FROM memberships m
        WHERE m.tenant_id = ${tenant_id} AND m.user_id = substr(k.created_by, 6) AND m.status = 'active')
        AS creator_left
    FROM api_keys k WHERE k.tenant_id = ${tenant_id} AND k.key_id IN (
      SELECT key_id FROM api_keys WHERE tenant_id = ${tenant_id}
      ORDER BY revoked_at IS NOT NULL, key_id DESC LIMIT ${limit})
    ORDER BY k.key_id`
}

export async function revokeKey(tx: Tx, tenant_id: string, key_id: string, at: Date) {
  const [row] = await tx<KeyRow[]>`
    UPDATE api_keys SET revoked_at = ${at}
    WHERE tenant_id = ${tenant_id} AND key_id = ${key_id} AND revoked_at IS NULL
    RETURNING key_id, name, scopes, created_by, created_at, expires_at, last_used_at, revoked_at`
  return row
}

export type KeyMatch = { key_hash: Buffer; key_id: string; scopes: Scope[] }

/** Those that count. */
export async function findKeysByHash(tx: Tx, tenant_id: string, key_hashes: Buffer[], at: Date) {
  return tx<KeyMatch[]>`
    SELECT key_hash, key_id, scopes FROM api_keys
    WHERE tenant_id = ${tenant_id} AND key_hash = ANY(${key_hashes}::bytea[]) AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > ${at})`
}

/** What a key may do, if it counts. */
export async function findScopesOfKey(tx: Tx, tenant_id: string, key_id: string, at: Date) {
  const [row] = await tx<Pick<KeyRow, 'scopes'>[]>`
    SELECT scopes FROM api_keys
    WHERE tenant_id = ${tenant_id} AND key_id = ${key_id} AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > ${at})`
  return row?.scopes ?? []
}

/** Of a revoked one too. */
export async function findMakerOfKey(tx: Tx, tenant_id: string, key_id: string) {
  const [row] = await tx<Pick<KeyRow, 'created_by'>[]>`
    SELECT created_by FROM api_keys WHERE tenant_id = ${tenant_id} AND key_id = ${key_id}`
  return row?.created_by ?? null
}

export async function touchKeys(tx: Tx, tenant_id: string, key_ids: string[], used_at: Date[]) {
  await tx`UPDATE api_keys k SET last_used_at = u.used_at
    FROM unnest(${key_ids}::text[], ${used_at}::timestamptz[]) AS u(key_id, used_at)
    WHERE k.tenant_id = ${tenant_id} AND k.key_id = u.key_id
      AND (k.last_used_at IS NULL OR k.last_used_at < u.used_at)`
}
