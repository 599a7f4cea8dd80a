// All SQL of the saved answers of repeated requests.
import type { Tx } from '../platform/database.ts'

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
    employee_ids: readonly string[]
  }[],
): Promise<void> {
  await tx`UPDATE idempotent_answers a SET status = u.status, location = u.location, answer = u.answer,
      encrypted = u.encrypted, employee_ids = string_to_array(u.employee_ids, ',')
    FROM (SELECT unnest(${rows.map(row => row.request)}::text[]) AS request,
      unnest(${rows.map(row => row.status)}::int[]) AS status,
      unnest(${rows.map(row => row.location)}::text[]) AS location,
      unnest(${rows.map(row => row.answer)}::text[]) AS answer,
      unnest(${rows.map(row => row.encrypted)}::boolean[]) AS encrypted,
      unnest(${rows.map(row => row.employee_ids.join(',') || null)}::text[]) AS employee_ids) AS u
    WHERE a.tenant_id = ${tenant_id} AND a.request = u.request`
}

/** Of requests that begin so the answers about people lose what they say; asked again they are answered without it. */
export async function emptyAnswers(tx: Tx, tenant_id: string, begin: string): Promise<void> {
  await tx`UPDATE idempotent_answers SET answer = NULL
    WHERE tenant_id = ${tenant_id} AND employee_ids IS NOT NULL AND starts_with(request, ${begin})`
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
    SELECT t.tenant_id FROM tenants t WHERE t.tenant_id > ${after} AND t.status <> 'deleting' AND EXISTS (
      SELECT 1 FROM idempotent_answers a WHERE a.tenant_id = t.tenant_id AND a.created_at < ${before})
    ORDER BY t.tenant_id LIMIT ${limit}`
}
