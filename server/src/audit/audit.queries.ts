// All SQL of the audit log; entries are only ever added.
import { isThere, type Tx } from '../platform/database.ts'
import type { Sorting } from '../platform/sorting.ts'
import type { ChainedEntry } from './audit-chain.ts'

export type Head = { seq: number; hash: Buffer }

/**
 * Locks the end of the tenant's chain until commit, so that entries follow one another. A tenant that is gone has
 * none, whatever is left of its rows.
 */
export async function lockHead(tx: Tx, tenant_id: string, genesis: Buffer) {
  await tx`INSERT INTO audit_heads (tenant_id, seq, hash)
    SELECT ${tenant_id}, 0, ${genesis}::bytea WHERE ${isThere(tx, tenant_id)}
    ON CONFLICT (tenant_id) DO NOTHING`
  const [head] = await tx<Head[]>`
    SELECT seq, hash FROM audit_heads WHERE tenant_id = ${tenant_id} AND ${isThere(tx, tenant_id)} FOR UPDATE`
  return head
}

export async function moveHead(tx: Tx, tenant_id: string, head: Head): Promise<void> {
  await tx`UPDATE audit_heads SET seq = ${head.seq}, hash = ${head.hash} WHERE tenant_id = ${tenant_id}`
}

export type AuditRow = ChainedEntry & {
  prev_hash: Buffer
  hash: Buffer
  salt: Buffer
  content: string
}

export async function insertEntry(tx: Tx, tenant_id: string, row: AuditRow): Promise<void> {
  await tx`INSERT INTO audit_entries (tenant_id, seq, at, actor_kind, actor_id, action, subject_kind,
      subject_id, request_id, values_hash, prev_hash, hash)
    VALUES (${tenant_id}, ${row.seq}, ${row.at}, ${row.actor_kind}, ${row.actor_id}, ${row.action},
      ${row.subject_kind}, ${row.subject_id}, ${row.request_id}, ${row.values_hash}, ${row.prev_hash}, ${row.hash})`
  await tx`INSERT INTO audit_values (tenant_id, seq, salt, content)
    VALUES (${tenant_id}, ${row.seq}, ${row.salt}, ${row.content})`
}

export type StoredEntry = ChainedEntry & {
  prev_hash: Buffer
  hash: Buffer
  /** Null once the values were erased. */
  salt: Buffer | null
  content: string | null
}

export async function readEntriesAfter(tx: Tx, tenant_id: string, seq: number, limit: number) {
  return tx<StoredEntry[]>`
    SELECT e.seq, e.at, e.actor_kind, e.actor_id, e.action, e.subject_kind, e.subject_id, e.request_id,
      e.values_hash, e.prev_hash, e.hash, v.salt, v.content
    FROM audit_entries e
    LEFT JOIN audit_values v ON v.tenant_id = ${tenant_id} AND v.seq = e.seq
    WHERE e.tenant_id = ${tenant_id} AND e.seq > ${seq} ORDER BY e.seq LIMIT ${limit}`
}

/** Of the entries themselves, whatever the head says. */
export async function findLastSeq(tx: Tx, tenant_id: string): Promise<number> {
  const [row] = await tx<{ seq: number | null }[]>`
    SELECT max(seq) AS seq FROM audit_entries WHERE tenant_id = ${tenant_id}`
  return row?.seq ?? 0
}

export async function findHead(tx: Tx, tenant_id: string): Promise<Head | undefined> {
  const [head] = await tx<Head[]>`SELECT seq, hash FROM audit_heads WHERE tenant_id = ${tenant_id}`
  return head
}

export type AuditFilter = {
  actor_id: string | null
  action: string | null
  subject_id: string | null
  from: Date | null
  to: Date | null
}

function where(tx: Tx, { actor_id, action, subject_id, from, to }: AuditFilter) {
  return tx`${actor_id === null ? tx`` : tx`AND e.actor_id = ${actor_id}`}
    ${action === null ? tx`` : tx`AND e.action = ${action}`}
    ${subject_id === null ? tx`` : tx`AND e.subject_id = ${subject_id}`}
    ${from === null ? tx`` : tx`AND e.at >= ${from}`}
    ${to === null ? tx`` : tx`AND e.at <= ${to}`}`
}

export type AuditSorting = Sorting<'at' | 'action' | 'actor_id' | 'subject_id'>

/** Entries follow one another in time, so their number stands for it. */
function orderBy(tx: Tx, { sort, order }: AuditSorting) {
  const by = tx(sort === 'at' ? 'seq' : sort)
  return order === 'asc' ? tx`e.${by}, e.seq` : tx`e.${by} DESC, e.seq DESC`
}

/**
 * Entries follow one another in time but for moments, so the first and the last of a window tell about how much of the
 * log it is. Whether it is most of it only decides how it is read, never what is found.
 */
async function isMost(tx: Tx, tenant_id: string, { from, to }: AuditFilter): Promise<boolean> {
  const [row] = await tx<{ most: boolean | null }[]>`
    SELECT 2 * (
      (SELECT e.seq FROM audit_entries e WHERE e.tenant_id = ${tenant_id}
        ${to === null ? tx`` : tx`AND e.at <= ${to}`} ORDER BY e.at DESC, e.seq DESC LIMIT 1) -
      (SELECT e.seq FROM audit_entries e WHERE e.tenant_id = ${tenant_id}
        ${from === null ? tx`` : tx`AND e.at >= ${from}`} ORDER BY e.at, e.seq LIMIT 1)
      ) > h.seq AS most
    FROM audit_heads h WHERE h.tenant_id = ${tenant_id}`
  return row?.most ?? false
}

/**
 * A window is looked up by its time and then sorted, by itself (OFFSET 0): along the order all that came after it, or
 * before it, would be read. Most of the log is there along the order too.
 */
async function isApart(tx: Tx, tenant_id: string, filter: AuditFilter): Promise<boolean> {
  if (filter.from === null && filter.to === null) return false
  return !(await isMost(tx, tenant_id, filter))
}

/** The page is found first, by what the key or the order needs, and only then read: a far one costs no rows before it. */
export async function listEntries(
  tx: Tx,
  tenant_id: string,
  filter: AuditFilter,
  sorting: AuditSorting,
  { per_page, offset }: { per_page: number; offset: number },
) {
  const apart = (await isApart(tx, tenant_id, filter)) ? tx`OFFSET 0` : tx``
  const sorted = sorting.sort === 'at' ? tx`` : tx`, e.${tx(sorting.sort)}`
  return tx<StoredEntry[]>`
    SELECT e.seq, e.at, e.actor_kind, e.actor_id, e.action, e.subject_kind, e.subject_id, e.request_id,
      e.values_hash, e.prev_hash, e.hash, v.salt, v.content
    FROM (SELECT e.seq FROM (SELECT e.seq ${sorted} FROM audit_entries e
        WHERE e.tenant_id = ${tenant_id} ${where(tx, filter)} ${apart}) AS e
      ORDER BY ${orderBy(tx, sorting)} LIMIT ${per_page} OFFSET ${offset}) AS page
    CROSS JOIN LATERAL (SELECT e.* FROM audit_entries e
      WHERE e.tenant_id = ${tenant_id} AND e.seq = page.seq OFFSET 0) e
    LEFT JOIN LATERAL (SELECT v.salt, v.content FROM audit_values v
      WHERE v.tenant_id = ${tenant_id} AND v.seq = page.seq OFFSET 0) v ON true
    ORDER BY ${orderBy(tx, sorting)}`
}

/**
 * None is ever removed, so without a filter the number of the last one is how many there are, and of a window that is
 * most of them those outside are counted.
 */
export async function countEntries(tx: Tx, tenant_id: string, filter: AuditFilter) {
  const { from, to, ...others } = filter
  if (Object.values(others).every(value => value === null)) {
    if (from === null && to === null) return (await findHead(tx, tenant_id))?.seq ?? 0
    if (await isMost(tx, tenant_id, filter)) return countAllBut(tx, tenant_id, from, to)
  }
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM audit_entries e WHERE e.tenant_id = ${tenant_id} ${where(tx, filter)}`
  return row?.n ?? 0
}

/** How many are in a window, in one statement, which sees one moment. */
async function countAllBut(tx: Tx, tenant_id: string, from: Date | null, to: Date | null) {
  const others = tx`SELECT count(*) FROM audit_entries e WHERE e.tenant_id = ${tenant_id}`
  const [row] = await tx<{ n: number }[]>`
    SELECT h.seq ${from === null ? tx`` : tx`- (${others} AND e.at < ${from})`}
      ${to === null ? tx`` : tx`- (${others} AND e.at > ${to})`} AS n
    FROM audit_heads h WHERE h.tenant_id = ${tenant_id}`
  return row?.n ?? 0
}

/** Takes the values and salts of entries about these subjects away; the chain holds without them. */
export async function eraseValues(tx: Tx, tenant_id: string, subject_ids: string[]): Promise<void> {
  await tx`DELETE FROM audit_values WHERE tenant_id = ${tenant_id} AND seq IN (
    SELECT e.seq FROM audit_entries e
    WHERE e.tenant_id = ${tenant_id} AND e.subject_id = ANY(${subject_ids}::text[]))`
}

export async function listEntrySeqs(tx: Tx, tenant_id: string, subject_ids: string[]) {
  const rows = await tx<{ seq: number }[]>`
    SELECT e.seq FROM audit_entries e
    WHERE e.tenant_id = ${tenant_id} AND e.subject_id = ANY(${subject_ids}::text[]) ORDER BY e.seq`
  return rows.map(row => row.seq)
}

/** Oldest first. */
export async function exportEntries(tx: Tx, tenant_id: string, seqs: number[]) {
  return tx<{ at: Date; action: string; subject_id: string; content: string | null }[]>`
    SELECT e.at, e.action, e.subject_id, v.content FROM audit_entries e
    LEFT JOIN audit_values v ON v.tenant_id = ${tenant_id} AND v.seq = e.seq
    WHERE e.tenant_id = ${tenant_id} AND e.seq = ANY(${seqs}::bigint[]) ORDER BY e.seq`
}
