// All SQL of sessions and login throttles, under the reserved tenant, and of forgetting those and links that are over.
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'
import type { User } from './users.queries.ts'

const tenant_id = RESERVED_TENANT

export type Stage = 'second_factor' | 'signed_in'

export type SessionRow = {
  session_id: string
  csrf_token: string
  user_id: string
  stage: Stage
  active_tenant: string | null
  failed_codes: number
  address: string
  device: string
  created_at: Date
  last_seen_at: Date
  authenticated_at: Date
  expires_at: Date
}

export async function insertSession(tx: Tx, token_hash: Buffer, row: SessionRow): Promise<void> {
  await tx`INSERT INTO sessions (tenant_id, session_id, token_hash, csrf_token, user_id, stage, active_tenant,
      failed_codes, address, device, created_at, last_seen_at, authenticated_at, expires_at)
    VALUES (${tenant_id}, ${row.session_id}, ${token_hash}, ${row.csrf_token}, ${row.user_id}, ${row.stage},
      ${row.active_tenant}, ${row.failed_codes}, ${row.address}, ${row.device}, ${row.created_at},
      ${row.last_seen_at}, ${row.authenticated_at}, ${row.expires_at})`
}

export type FoundSession = SessionRow &
  Pick<User, 'email' | 'totp_enabled_at'> & { token_hash: Buffer }

/** Sessions that have neither ended nor been idle for too long, of people who may still log in. */
export async function findSessions(tx: Tx, token_hashes: Buffer[], now: Date, seen_after: Date) {
  return tx<FoundSession[]>`
    SELECT s.token_hash, s.session_id, s.csrf_token, s.user_id, s.stage, s.active_tenant, s.failed_codes, s.address, s.device,
      s.created_at, s.last_seen_at, s.authenticated_at, s.expires_at, u.email, u.totp_enabled_at
    FROM sessions s JOIN users u ON u.tenant_id = s.tenant_id AND u.user_id = s.user_id
    WHERE s.tenant_id = ${tenant_id} AND u.tenant_id = ${tenant_id} AND s.token_hash = ANY(${token_hashes}::bytea[])
      AND s.expires_at > ${now} AND s.last_seen_at > ${seen_after} AND u.status = 'active'`
}

/** Whether it has not been ended; nobody ends it before this transaction does. */
export async function holdSession(tx: Tx, session_id: string): Promise<boolean> {
  const rows = await tx`SELECT 1 FROM sessions
    WHERE tenant_id = ${tenant_id} AND session_id = ${session_id} FOR UPDATE`
  return rows.length === 1
}

export async function touchSession(tx: Tx, session_id: string, at: Date): Promise<void> {
  await tx`UPDATE sessions SET last_seen_at = ${at}
    WHERE tenant_id = ${tenant_id} AND session_id = ${session_id} AND last_seen_at < ${at}`
}

/** A fresh proof of identity; the old token is dead with it. */
export async function renewSession(
  tx: Tx,
  session_id: string,
  token_hash: Buffer,
  at: Date,
): Promise<boolean> {
  const rows = await tx`UPDATE sessions SET token_hash = ${token_hash}, authenticated_at = ${at}
    WHERE tenant_id = ${tenant_id} AND session_id = ${session_id} RETURNING session_id`
  return rows.length === 1
}

export async function setActiveTenant(
  tx: Tx,
  session_id: string,
  active_tenant: string,
): Promise<void> {
  await tx`UPDATE sessions SET active_tenant = ${active_tenant}
    WHERE tenant_id = ${tenant_id} AND session_id = ${session_id}`
}

export async function countWrongCode(tx: Tx, session_id: string): Promise<number> {
  const [row] = await tx<
    { failed_codes: number }[]
  >`UPDATE sessions SET failed_codes = failed_codes + 1
    WHERE tenant_id = ${tenant_id} AND session_id = ${session_id} RETURNING failed_codes`
  return row?.failed_codes ?? 0
}

export async function deleteSession(tx: Tx, user_id: string, session_id: string): Promise<boolean> {
  const rows = await tx`DELETE FROM sessions
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id} AND session_id = ${session_id} RETURNING session_id`
  return rows.length === 1
}

/** Ends all sessions of a person but one; '' ends all. */
export async function deleteOtherSessions(tx: Tx, user_id: string, kept: string): Promise<number> {
  const rows = await tx`DELETE FROM sessions
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id} AND session_id <> ${kept} RETURNING session_id`
  return rows.length
}

export async function listSessions(tx: Tx, user_id: string, now: Date, seen_after: Date) {
  return tx<SessionRow[]>`
    SELECT session_id, csrf_token, user_id, stage, active_tenant, failed_codes, address, device, created_at,
      last_seen_at, authenticated_at, expires_at
    FROM sessions WHERE tenant_id = ${tenant_id} AND user_id = ${user_id} AND stage = 'signed_in'
      AND expires_at > ${now} AND last_seen_at > ${seen_after} ORDER BY last_seen_at DESC, session_id`
}

/**
 * Keeps the newest of a person's sessions of one stage and ends the rest. Of one stage: someone who has the password
 * alone, without the second factor, ends no session that is signed in.
 */
export async function deleteOldestSessions(
  tx: Tx,
  user_id: string,
  stage: Stage,
  kept: number,
): Promise<void> {
  await tx`DELETE FROM sessions WHERE tenant_id = ${tenant_id} AND user_id = ${user_id} AND session_id IN (
    SELECT session_id FROM sessions
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id} AND stage = ${stage}
    ORDER BY created_at DESC, session_id DESC OFFSET ${kept})`
}

export type ThrottleRow = {
  throttle: string
  failures: number
  last_failed_at: Date
  blocked_until: Date
}

/**
 * The rows exist and are held afterwards, so that attempts in parallel are counted one by one. One statement,
 * since a success in between would delete a row that was there a moment ago.
 */
export async function lockThrottles(tx: Tx, names: string[], at: Date): Promise<ThrottleRow[]> {
  return tx<ThrottleRow[]>`
    INSERT INTO login_throttles AS x (tenant_id, throttle, failures, last_failed_at, blocked_until)
    SELECT ${tenant_id}, u.throttle, 0, ${at}::timestamptz, ${at}::timestamptz
    FROM unnest(${names}::text[]) AS u(throttle) ORDER BY u.throttle
    ON CONFLICT (tenant_id, throttle) DO UPDATE SET failures = x.failures
    RETURNING throttle, failures, last_failed_at, blocked_until`
}

export async function saveThrottles(tx: Tx, rows: ThrottleRow[]): Promise<void> {
  await tx`UPDATE login_throttles t SET failures = u.failures, last_failed_at = u.last_failed_at,
      blocked_until = u.blocked_until
    FROM unnest(${rows.map(row => row.throttle)}::text[], ${rows.map(row => row.failures)}::int[],
      ${rows.map(row => row.last_failed_at)}::timestamptz[], ${rows.map(row => row.blocked_until)}::timestamptz[])
      AS u(throttle, failures, last_failed_at, blocked_until)
    WHERE t.tenant_id = ${tenant_id} AND t.throttle = u.throttle`
}

/** A success forgets the failures; returns how many there were. */
export async function clearThrottles(tx: Tx, names: string[]): Promise<number> {
  const rows = await tx<{ failures: number }[]>`DELETE FROM login_throttles
    WHERE tenant_id = ${tenant_id} AND throttle = ANY(${names}::text[]) RETURNING failures`
  return Math.max(0, ...rows.map(row => row.failures))
}

/** A success takes its own attempt back from a count that others share. */
export async function forgiveThrottle(tx: Tx, name: string, at: Date): Promise<void> {
  await tx`UPDATE login_throttles SET failures = greatest(0, failures - 1), blocked_until = ${at}
    WHERE tenant_id = ${tenant_id} AND throttle = ${name}`
}

export async function forgetExpired(
  tx: Tx,
  now: Date,
  seen_before: Date,
  failed_before: Date,
): Promise<number> {
  const gone = await Promise.all([
    tx`DELETE FROM sessions WHERE tenant_id = ${tenant_id} AND session_id IN (
      SELECT session_id FROM sessions WHERE tenant_id = ${tenant_id}
        AND (expires_at <= ${now} OR last_seen_at <= ${seen_before}) LIMIT 1000) RETURNING 1`,
    // Asked of the row itself too: after a wait another failure may have been counted.
    tx`DELETE FROM login_throttles WHERE tenant_id = ${tenant_id} AND last_failed_at < ${failed_before} AND throttle IN (
      SELECT throttle FROM login_throttles WHERE tenant_id = ${tenant_id}
        AND last_failed_at < ${failed_before} LIMIT 1000) RETURNING 1`,
    tx`DELETE FROM account_links WHERE tenant_id = ${tenant_id} AND link_id IN (
      SELECT link_id FROM account_links WHERE tenant_id = ${tenant_id}
        AND expires_at < ${failed_before} LIMIT 1000) RETURNING 1`,
  ])
  return Math.max(...gone.map(rows => rows.length))
}
