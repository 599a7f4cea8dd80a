// All SQL of access: the token buckets.
import { isThere, type Tx } from '../platform/database.ts'

export type BucketRow = { bucket: string; tokens: number; updated_at: Date }

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
      timestamptz 'epoch' + unnest(${rows.map(row => row.updated_at.getTime())}::bigint[]) * interval '1 ms'
        AS updated_at) AS u
    WHERE ${isThere(tx, tenant_id)}
    ON CONFLICT (tenant_id, bucket) DO NOTHING`
}

export async function saveBuckets(tx: Tx, tenant_id: string, rows: BucketRow[]): Promise<void> {
  await tx`UPDATE rate_buckets b SET tokens = u.tokens, updated_at = u.updated_at
    FROM (SELECT unnest(${rows.map(row => row.bucket)}::text[]) AS bucket,
      unnest(${rows.map(row => row.tokens)}::float8[]) AS tokens,
      timestamptz 'epoch' + unnest(${rows.map(row => row.updated_at.getTime())}::bigint[]) * interval '1 ms'
        AS updated_at) AS u
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
