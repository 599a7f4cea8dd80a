// Reading the audit log: pages for the API, all of it as NDJSON.
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { readWindow } from '../platform/dates.ts'
import { notFound } from '../platform/errors.ts'
import { pageAnswer, readPage, totalOf } from '../platform/pagination.ts'
import { readSorting } from '../platform/sorting.ts'
import {
  countEntries,
  findLastSeq,
  type ListedEntry,
  listEntries,
  readEntriesAfter,
  type StoredEntry,
} from './audit.queries.ts'
import type { AuditQueryInput } from './audit.schema.ts'
import { inTurn } from './in-turn.ts'

type Values = { address: string; before?: unknown; after?: unknown }

function entryView(entry: StoredEntry & Partial<ListedEntry>) {
  const values = entry.content === null ? null : (JSON.parse(entry.content) as Values)
  return {
    seq: entry.seq,
    at: entry.at,
    actor: { kind: entry.actor_kind, id: entry.actor_id },
    action: entry.action,
    subject: { kind: entry.subject_kind, id: entry.subject_id },
    employee_id: entry.employee_id,
    request_id: entry.request_id,
    address: values?.address ?? null,
    before: values?.before ?? null,
    after: values?.after ?? null,
    truncated: entry.truncated ?? false,
    erased: values === null,
    hash: entry.hash.toString('hex'),
  }
}

export async function readAudit(context: Context, tenant_id: string, query: AuditQueryInput) {
  const page = readPage(query)
  const { from, to } = readWindow(query)
  const filter = {
    actor_id: query.actor_id ?? null,
    action: query.action ?? null,
    subject_id: query.subject_id ?? null,
    from: from === null ? null : new Date(from),
    to: to === null ? null : new Date(to),
  }
  return context.db.inTenant(tenant_id, async tx => {
    let counted: Promise<number> | undefined
    const count = () => (counted ??= countEntries(tx, tenant_id, filter))
    const rows = await listEntries(tx, tenant_id, filter, readSorting(query, 'at'), page, count)
    const total = await totalOf(rows, page, count)
    return pageAnswer(rows.map(entryView), page, total)
  })
}

const NUMBER = /^[1-9]\d{0,14}$/

/** `given` is text from the address of a request. */
export async function readEntry({ db }: Context, tenant_id: string, given: string) {
  const seq = NUMBER.test(given) ? Number(given) : 0
  const read = (tx: Tx) => readEntriesAfter(tx, tenant_id, seq - 1, 1)
  const [entry] = await db.inTenant(tenant_id, read)
  if (entry?.seq !== seq) throw notFound('audit entry')
  return entryView(entry)
}

/** Few, as their values may be long. */
const CHUNK = 100

/** Throws where whoever reads has lost the right; asked before each piece. */
export type StillReads = (tx: Tx) => Promise<void>

/**
 * Oldest first, one entry a line, in chunks: memory does not grow with the log. However slowly it is taken, it ends with
 * the last entry there was when it was asked for.
 */
export async function* exportAudit(
  { db }: Context,
  tenant_id: string,
  stillReads: StillReads = async () => {},
  chunk = CHUNK,
): AsyncGenerator<string> {
  let [seq, until] = [0, Infinity]
  while (seq < until) {
    const rows = await inTurn(tenant_id, () => db.inTenant(tenant_id, readPiece))
    for (const row of rows) yield `${JSON.stringify(entryView(row))}\n`
    seq = rows.at(-1)?.seq ?? until
  }

  async function readPiece(tx: Tx): Promise<StoredEntry[]> {
    await stillReads(tx)
    if (seq === 0) until = await findLastSeq(tx, tenant_id)
    const rows = await readEntriesAfter(tx, tenant_id, seq, chunk)
    return rows.filter(row => row.seq <= until)
  }
}
