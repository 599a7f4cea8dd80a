// All SQL of users and their second factors; they live under the reserved tenant, where an email is unique.
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'

const tenant_id = RESERVED_TENANT

export type User = {
  user_id: string
  email: string
  status: 'active' | 'disabled'
  tenant_ids: string[]
  password_hash: string | null
  password_changed_at: Date | null
  totp_secret: string | null
  totp_pending: string | null
  totp_enabled_at: Date | null
  totp_last_step: number
  created_at: Date
  last_login_at: Date | null
}

/** Adds a person unless the address is known already; either way the row is there afterwards, held until commit. */
export async function addUser(
  tx: Tx,
  user: { user_id: string; email: string; email_key: string; at: Date },
) {
  await tx`INSERT INTO users AS x (tenant_id, user_id, email, email_key, status, tenant_ids, totp_last_step, created_at)
    VALUES (${tenant_id}, ${user.user_id}, ${user.email}, ${user.email_key}, 'active', '{}', 0, ${user.at})
    ON CONFLICT (tenant_id, email_key) DO UPDATE SET email_key = x.email_key`
}

function columns(tx: Tx) {
  return tx`user_id, email, status, tenant_ids, password_hash, password_changed_at, totp_secret, totp_pending,
    totp_enabled_at, totp_last_step, created_at, last_login_at`
}

export async function findUserByEmail(tx: Tx, email_key: string): Promise<User | undefined> {
  const [row] = await tx<User[]>`
    SELECT ${columns(tx)} FROM users WHERE tenant_id = ${tenant_id} AND email_key = ${email_key}`
  return row
}

export async function findUser(tx: Tx, user_id: string): Promise<User | undefined> {
  const [row] = await tx<User[]>`
    SELECT ${columns(tx)} FROM users WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`
  return row
}

/** The same, held until commit. */
export async function lockUser(tx: Tx, user_id: string): Promise<User | undefined> {
  const [row] = await tx<User[]>`
    SELECT ${columns(tx)} FROM users WHERE tenant_id = ${tenant_id} AND user_id = ${user_id} FOR UPDATE`
  return row
}

export async function findUsers(tx: Tx, user_ids: string[]) {
  return tx<Pick<User, 'user_id' | 'status' | 'totp_enabled_at' | 'last_login_at'>[]>`
    SELECT user_id, status, totp_enabled_at, last_login_at FROM users
    WHERE tenant_id = ${tenant_id} AND user_id = ANY(${user_ids}::text[])`
}

export async function addTenantHint(tx: Tx, user_id: string, hint: string): Promise<void> {
  await tx`UPDATE users SET tenant_ids = array_append(tenant_ids, ${hint})
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id} AND NOT (${hint} = ANY(tenant_ids))`
}

export async function dropTenantHint(tx: Tx, user_id: string, hint: string): Promise<void> {
  await tx`UPDATE users SET tenant_ids = array_remove(tenant_ids, ${hint})
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`
}

/** Of a tenant that is about to go. */
export async function addHintsOf(tx: Tx, user_ids: string[], hint: string): Promise<void> {
  await tx`UPDATE users SET tenant_ids = array_append(tenant_ids, ${hint})
    WHERE tenant_id = ${tenant_id} AND user_id = ANY(${user_ids}::text[]) AND NOT (${hint} = ANY(tenant_ids))`
}

/** Of a tenant that is no more; whose they were. */
export async function dropHintsOf(tx: Tx, hint: string): Promise<string[]> {
  const rows = await tx<{ user_id: string }[]>`
    UPDATE users SET tenant_ids = array_remove(tenant_ids, ${hint})
    WHERE tenant_id = ${tenant_id} AND ${hint} = ANY(tenant_ids) RETURNING user_id`
  return rows.map(row => row.user_id)
}

export async function setUserStatus(
  tx: Tx,
  user_id: string,
  status: User['status'],
): Promise<void> {
  await tx`UPDATE users SET status = ${status} WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`
}

export async function setPassword(
  tx: Tx,
  user_id: string,
  password_hash: string,
  at: Date,
): Promise<void> {
  await tx`UPDATE users SET password_hash = ${password_hash}, password_changed_at = ${at}
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`
}

/** A better hash of the same password; nothing else about it changes. */
export async function replaceHash(
  tx: Tx,
  user_id: string,
  from: string,
  to: string,
): Promise<void> {
  await tx`UPDATE users SET password_hash = ${to}
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id} AND password_hash = ${from}`
}

export async function markLogin(tx: Tx, user_id: string, at: Date): Promise<void> {
  await tx`UPDATE users SET last_login_at = ${at} WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`
}

/** The second factors of everybody who has one. */
export async function listFactors(tx: Tx) {
  return tx<{ user_id: string; totp_secret: string }[]>`
    SELECT user_id, totp_secret FROM users WHERE tenant_id = ${tenant_id} AND totp_secret IS NOT NULL`
}

export async function setPendingTotp(tx: Tx, user_id: string, sealed: string): Promise<void> {
  await tx`UPDATE users SET totp_pending = ${sealed} WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`
}

export async function enableTotp(
  tx: Tx,
  user_id: string,
  totp_secret: string,
  step: number,
  at: Date,
): Promise<void> {
  await tx`UPDATE users SET totp_secret = ${totp_secret}, totp_pending = NULL, totp_enabled_at = ${at},
      totp_last_step = ${step}
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`
}

export async function disableTotp(tx: Tx, user_id: string): Promise<void> {
  await tx`UPDATE users SET totp_secret = NULL, totp_pending = NULL, totp_enabled_at = NULL
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`
  await tx`DELETE FROM recovery_codes WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`
}

/** True for the first use of a step and for none after it, also in parallel. */
export async function useStep(tx: Tx, user_id: string, step: number): Promise<boolean> {
  const rows = await tx`UPDATE users SET totp_last_step = ${step}
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id} AND totp_last_step < ${step} RETURNING user_id`
  return rows.length === 1
}

export async function saveRecoveryCodes(tx: Tx, user_id: string, hashes: Buffer[]): Promise<void> {
  await tx`DELETE FROM recovery_codes WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`
  await tx`INSERT INTO recovery_codes (tenant_id, user_id, code_hash)
    SELECT ${tenant_id}, ${user_id}, u.code_hash FROM unnest(${hashes}::bytea[]) AS u(code_hash)`
}

export async function useRecoveryCode(
  tx: Tx,
  user_id: string,
  code_hash: Buffer,
  at: Date,
): Promise<boolean> {
  const rows = await tx`UPDATE recovery_codes SET used_at = ${at}
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id} AND code_hash = ${code_hash} AND used_at IS NULL
    RETURNING user_id`
  return rows.length === 1
}

export async function countRecoveryCodes(tx: Tx, user_id: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`SELECT count(*) AS n FROM recovery_codes
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id} AND used_at IS NULL`
  return row?.n ?? 0
}
