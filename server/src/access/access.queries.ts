// All SQL of access: who a credential is, the token buckets and the saved answers of repeated requests.
import { isThere, type Tx } from '../platform/database.ts'

export type BucketRow = { bucket: string; tokens: number; updated_at: Date }

/**
 * Losing the last moments of counting in a crash is cheaper than a disk flush per request,
 * so these transactions alone do not wait for the log.
 */
export async function relaxCommit(tx: Tx): Promise<void> {
  await tx`SET LOCAL synchronous_commit = off`
}

export async function lockBuckets(
  tx: Tx,
  tenant_id: string,
  buckets: string[],
): Promise<BucketRow[]> {
  return tx<BucketRow[]>`
    SELECT bucket, tokens, updated_at FROM rate_buckets
    WHERE tenant_id = ${tenant_id} AND bucket = ANY(${buckets}::text[]) ORDER BY bucket FOR UPDATE`
}

/** For looking only: whoever draws on a bucket locks it. */
export async function readBuckets(
  tx: Tx,
  tenant_id: string,
  buckets: string[],
): Promise<BucketRow[]> {
  return tx<BucketRow[]>`
    SELECT bucket, tokens, updated_at FROM rate_buckets
    WHERE tenant_id = ${tenant_id} AND bucket = ANY(${buckets}::text[])`
}

/** A tenant that is gone gets none. */
export async function addBuckets(tx: Tx, tenant_id: string, rows: BucketRow[]): Promise<void> {
  await tx`INSERT INTO rate_buckets (tenant_id, bucket, tokens, updated_at)
    SELECT ${tenant_id}, u.bucket, u.tokens, u.updated_at
    FROM (SELECT unnest(${rows.map(row => row.bucket)}::text[]) AS bucket,
      unnest(${rows.map(row => row.tokens)}::float8[]) AS tokens,
      unnest(${rows.map(row => row.updated_at)}::timestamptz[]) AS updated_at) AS u
    WHERE ${isThere(tx, tenant_id)}
    ON CONFLICT (tenant_id, bucket) DO NOTHING`
}

export async function saveBuckets(tx: Tx, tenant_id: string, rows: BucketRow[]): Promise<void> {
  await tx`UPDATE rate_buckets b SET tokens = u.tokens, updated_at = u.updated_at
    FROM (SELECT unnest(${rows.map(row => row.bucket)}::text[]) AS bucket,
      unnest(${rows.map(row => row.tokens)}::float8[]) AS tokens,
      unnest(${rows.map(row => row.updated_at)}::timestamptz[]) AS updated_at) AS u
    WHERE b.tenant_id = ${tenant_id} AND b.bucket = u.bucket`
}

/**
 * Buckets nobody has drawn on since `before` are full again and need no row. Asked of the row itself too: after a wait
 * somebody may have drawn on it.
 */
export async function dropIdleBuckets(tx: Tx, tenant_id: string, before: Date): Promise<void> {
  await tx`DELETE FROM rate_buckets WHERE tenant_id = ${tenant_id} AND updated_at < ${before} AND bucket IN (
    SELECT bucket FROM rate_buckets WHERE tenant_id = ${tenant_id} AND updated_at < ${before} LIMIT 5000)`
}

export type SavedAnswer = {
  body_hash: Buffer
  status: number | null
  location: string | null
  answer: string | null
  encrypted: boolean
}

/** Claims the requests; a claim in flight elsewhere is waited for. Returns those that are new. */
export async function claimRequests(
  tx: Tx,
  tenant_id: string,
  requests: string[],
  body_hashes: Buffer[],
  now: Date,
): Promise<Set<string>> {
  const rows = await tx<{ request: string }[]>`
    INSERT INTO idempotent_answers (tenant_id, request, body_hash, encrypted, created_at)
    SELECT ${tenant_id}, u.request, u.body_hash, false, ${now}::timestamptz
    FROM (SELECT unnest(${requests}::text[]) AS request, unnest(${body_hashes}::bytea[]) AS body_hash) AS u
    ORDER BY u.request
    ON CONFLICT (tenant_id, request) DO NOTHING RETURNING request`
  return new Set(rows.map(row => row.request))
}

export async function findAnswers(tx: Tx, tenant_id: string, requests: string[]) {
  return tx<(SavedAnswer & { request: string })[]>`
    SELECT request, body_hash, status, location, answer, encrypted FROM idempotent_answers
    WHERE tenant_id = ${tenant_id} AND request = ANY(${requests}::text[])`
}

export async function saveAnswers(
  tx: Tx,
  tenant_id: string,
  rows: {
    request: string
    status: number
    location: string | null
    answer: string
    encrypted: boolean
  }[],
): Promise<void> {
  await tx`UPDATE idempotent_answers a SET status = u.status, location = u.location, answer = u.answer,
      encrypted = u.encrypted
    FROM (SELECT unnest(${rows.map(row => row.request)}::text[]) AS request,
      unnest(${rows.map(row => row.status)}::int[]) AS status,
      unnest(${rows.map(row => row.location)}::text[]) AS location,
      unnest(${rows.map(row => row.answer)}::text[]) AS answer,
      unnest(${rows.map(row => row.encrypted)}::boolean[]) AS encrypted) AS u
    WHERE a.tenant_id = ${tenant_id} AND a.request = u.request`
}

export async function dropClaims(tx: Tx, tenant_id: string, requests: string[]): Promise<void> {
  await tx`DELETE FROM idempotent_answers WHERE tenant_id = ${tenant_id} AND request = ANY(${requests}::text[])`
}

/** An answer older than its day is forgotten before the claim, so that the key may be used anew. */
export async function dropOldClaims(tx: Tx, tenant_id: string, requests: string[], before: Date) {
  await tx`DELETE FROM idempotent_answers
    WHERE tenant_id = ${tenant_id} AND request = ANY(${requests}::text[]) AND created_at < ${before}`
}

export async function dropOldAnswers(tx: Tx, tenant_id: string, before: Date): Promise<void> {
  await tx`DELETE FROM idempotent_answers WHERE tenant_id = ${tenant_id} AND request IN (
    SELECT request FROM idempotent_answers WHERE tenant_id = ${tenant_id} AND created_at < ${before} LIMIT 1000)`
}

/** Reads across tenants: ids only. */
export async function tenantsWithOldAnswers(tx: Tx, before: Date, after: string, limit: number) {
  return tx<{ tenant_id: string }[]>`
    SELECT t.tenant_id FROM tenants t WHERE t.tenant_id > ${after} AND EXISTS (
      SELECT 1 FROM idempotent_answers a WHERE a.tenant_id = t.tenant_id AND a.created_at < ${before})
    ORDER BY t.tenant_id LIMIT ${limit}`
}
