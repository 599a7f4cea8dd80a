// All SQL of the audit log; entries are only ever added.
import { isThere, type Tx } from '../platform/database.ts'
import {
  FEW,
  findNarrowest,
  findsFew,
  isExactly,
  isWalkShorter,
  sizeParts,
} from '../platform/list-ways.ts'
import type { Order, Sorting } from '../platform/sorting.ts'
import type { Write } from '../platform/write-together.ts'
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

export async function insertEntries(tx: Tx, tenant_id: string, rows: readonly AuditRow[]) {
  const column = <T>(read: (row: AuditRow) => T): T[] => rows.map(read)
  const seqs = column(row => row.seq)
  await tx`INSERT INTO audit_entries (tenant_id, seq, at, actor_kind, actor_id, action, subject_kind,
      subject_id, employee_id, request_id, values_hash, prev_hash, hash)
    SELECT ${tenant_id}, u.* FROM unnest(${seqs}::bigint[], ${column(row => row.at)}::timestamptz[],
      ${column(row => row.actor_kind)}::text[], ${column(row => row.actor_id)}::text[],
      ${column(row => row.action)}::text[], ${column(row => row.subject_kind)}::text[],
      ${column(row => row.subject_id)}::text[], ${column(row => row.employee_id)}::text[],
      ${column(row => row.request_id)}::text[],
      ${column(row => row.values_hash)}::bytea[], ${column(row => row.prev_hash)}::bytea[],
      ${column(row => row.hash)}::bytea[]) u`
  await tx`INSERT INTO audit_values (tenant_id, seq, salt, content)
    SELECT ${tenant_id}, u.* FROM unnest(${seqs}::bigint[], ${column(row => row.salt)}::bytea[],
      ${column(row => row.content)}::text[]) u`
}

export type StoredEntry = ChainedEntry & {
  prev_hash: Buffer
  hash: Buffer
  /** Null once the values were erased. */
  salt: Buffer | null
  content: string | null
}

function columnsOf(tx: Tx) {
  return tx`e.seq, e.at, e.actor_kind, e.actor_id, e.action, e.subject_kind, e.subject_id, e.employee_id,
    e.request_id, e.values_hash, e.prev_hash, e.hash, v.salt`
}

export async function readEntriesAfter(tx: Tx, tenant_id: string, seq: number, limit: number) {
  return tx<StoredEntry[]>`
    SELECT ${columnsOf(tx)}, v.content
    FROM audit_entries e LEFT JOIN LATERAL (SELECT v.salt, v.content FROM audit_values v
      WHERE v.tenant_id = ${tenant_id} AND v.seq = e.seq OFFSET 0) v ON true
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

const NO_WINDOW = { from: null, to: null }
const NOTHING: AuditFilter = { actor_id: null, action: null, subject_id: null, ...NO_WINDOW }
/** What finds the fewest as a rule comes first. */
const EQUALS = ['subject_id', 'actor_id', 'action'] as const

type Equal = (typeof EQUALS)[number]

function isOf(tx: Tx, filter: AuditFilter, by: Equal) {
  return isExactly(tx, tx`e.${tx(by)}`, filter[by])
}

/** `from` stands for the window. */
function without(filter: AuditFilter, by: keyof AuditFilter): AuditFilter {
  return by === 'from' ? { ...filter, ...NO_WINDOW } : { ...filter, [by]: null }
}

/** No window, and at most so many other parts: one index is all it needs. */
function isPlain(filter: AuditFilter, most: number): boolean {
  const asked = EQUALS.filter(by => filter[by] !== null)
  return filter.from === null && filter.to === null && asked.length <= most
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

/** A part of a filter that an index leads to, and how many entries it finds. `from` stands for the window. */
type Part = { by: keyof AuditFilter; is: Write; found: number }
type Sized = { narrowest: Part | undefined; is_most: boolean; all: number }

/**
 * Entries follow one another in time but for moments, so the first and the last of a window tell about how much of the
 * log it is. All of this only decides how entries are read, never what is found.
 */
async function sizeUp(tx: Tx, tenant_id: string, filter: AuditFilter): Promise<Sized> {
  const { from, to } = filter
  const [row] = await tx<{ span: number | null; all: number }[]>`
    SELECT (SELECT e.seq FROM audit_entries e WHERE e.tenant_id = ${tenant_id}
        ${to === null ? tx`` : tx`AND e.at <= ${to}`} ORDER BY e.at DESC, e.seq DESC LIMIT 1) -
      (SELECT e.seq FROM audit_entries e WHERE e.tenant_id = ${tenant_id}
        ${from === null ? tx`` : tx`AND e.at >= ${from}`} ORDER BY e.at, e.seq LIMIT 1) AS span, h.seq AS all
    FROM audit_heads h WHERE h.tenant_id = ${tenant_id}`
  const { span, all } = { span: row?.span ?? 0, all: row?.all ?? 0 }
  const is_most = 2 * span > all
  const rows = tx`FROM audit_entries e WHERE e.tenant_id = ${tenant_id}`
  const asked = EQUALS.filter(by => filter[by] !== null).map(by => ({
    by,
    is: isOf(tx, filter, by),
  }))
  const bound = is_most ? FEW : Math.min(FEW, span)
  const parts: Part[] = await sizeParts(tx, rows, asked, bound)
  if (!is_most) parts.push({ by: 'from', is: where(tx, { ...NOTHING, from, to }), found: span })
  return { narrowest: findNarrowest(parts), is_most, all }
}

/** What a part of a filter finds is read by itself (OFFSET 0), and the rest is asked of it. */
function fromPart(tx: Tx, tenant_id: string, filter: AuditFilter, { by, is }: Omit<Part, 'found'>) {
  return tx`FROM (SELECT e.seq, e.at, e.action, e.actor_id, e.subject_id FROM audit_entries e
      WHERE e.tenant_id = ${tenant_id} ${is} OFFSET 0) e
    WHERE true ${where(tx, without(filter, by))}`
}

/** What the narrowest part finds, sorted; along the order, leaving out the others; or as they come by the key. */
type Way = {
  of: 'found' | 'walked' | 'straight'
  narrowest: Part | undefined
  by: AuditSorting['sort']
}
type Page = { per_page: number; offset: number }

async function chooseWay(
  tx: Tx,
  tenant_id: string,
  filter: AuditFilter,
  { sort }: AuditSorting,
  page: Page,
  count: () => Promise<number>,
): Promise<Way> {
  // Where all have the same value, the number alone orders them.
  const by = sort === 'at' || filter[sort] !== null ? 'at' : sort
  if (isPlain(filter, by === 'at' ? 1 : 0)) return { of: 'straight', narrowest: undefined, by }
  const { narrowest, all } = await sizeUp(tx, tenant_id, filter)
  if (by === 'at') return { of: narrowest ? 'found' : 'straight', narrowest, by }
  const isFound = findsFew(narrowest) || !isWalkShorter(await count(), page, all)
  return { of: isFound ? 'found' : 'walked', narrowest, by }
}

/** Where the entries of a page come from, and in which order. */
function pageOf(
  tx: Tx,
  tenant_id: string,
  filter: AuditFilter,
  { of, narrowest, by }: Way,
  order: Order,
) {
  const all = tx`FROM audit_entries e WHERE e.tenant_id = ${tenant_id}`
  const columns = tx`e.seq, e.at, e.action, e.actor_id, e.subject_id`
  const ordered = tx`ORDER BY ${orderBy(tx, { sort: by, order })}`
  if (of === 'straight') return tx`${all} ${where(tx, filter)} ${ordered}`
  if (of === 'walked') {
    return tx`FROM (SELECT ${columns} ${all} ${ordered} OFFSET 0) e WHERE true ${where(tx, filter)} ${ordered}`
  }
  if (!narrowest)
    return tx`FROM (SELECT ${columns} ${all} ${where(tx, filter)} OFFSET 0) e ${ordered}`
  return tx`${fromPart(tx, tenant_id, filter, narrowest)} ${ordered}`
}

/** Bytes; longer values are read with their entry alone. */
const LONGEST_LISTED = 4096
export type ListedEntry = StoredEntry & { truncated: boolean | null }

/** The page is found first, by what the key or the order needs, and only then read: a far one costs no rows before it. */
export async function listEntries(
  tx: Tx,
  tenant_id: string,
  filter: AuditFilter,
  sorting: AuditSorting,
  page: Page,
  count = () => countEntries(tx, tenant_id, filter),
) {
  const way = await chooseWay(tx, tenant_id, filter, sorting, page, count)
  // The address stands first in the text, and stays.
  const isLong = tx`octet_length(v.content) > ${LONGEST_LISTED}`
  return tx<ListedEntry[]>`
    SELECT ${columnsOf(tx)}, ${isLong} AS truncated,
      CASE WHEN ${isLong} THEN split_part(left(v.content, 100), ',', 1) || '}' ELSE v.content END AS content
    FROM (SELECT e.seq ${pageOf(tx, tenant_id, filter, way, sorting.order)}
      LIMIT ${page.per_page} OFFSET ${page.offset}) AS page
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
  const { from, to } = filter
  if (isPlain(filter, 0)) return (await findHead(tx, tenant_id))?.seq ?? 0
  const of = tx`FROM audit_entries e WHERE e.tenant_id = ${tenant_id}`
  const count = async (found: Write) => {
    const [row] = await tx<{ n: number }[]>`SELECT count(*) AS n ${found}`
    return row!.n
  }
  if (isPlain(filter, 1)) {
    const by = EQUALS.find(one => filter[one] !== null)!
    return count(tx`${of} ${isOf(tx, filter, by)}`)
  }
  const { narrowest, is_most } = await sizeUp(tx, tenant_id, filter)
  if (narrowest) return count(fromPart(tx, tenant_id, filter, narrowest))
  const isWindow = EQUALS.every(by => filter[by] === null)
  if (isWindow && is_most) return countAllBut(tx, tenant_id, from, to)
  return count(tx`${of} ${where(tx, filter)}`)
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
