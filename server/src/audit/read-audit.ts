// Reading the audit log: pages for the API, all of it as NDJSON.
import type { Context } from '../platform/context.ts'
import { readWindow } from '../platform/dates.ts'
import { pageAnswer, readPage, totalOf } from '../platform/pagination.ts'
import { readSorting } from '../platform/sorting.ts'
import { countEntries, listEntries, readEntriesAfter, type StoredEntry } from './audit.queries.ts'
import type { AuditQueryInput } from './audit.schema.ts'
import { inTurn } from './in-turn.ts'

type Values = { address: string; before: unknown; after: unknown }

function entryView(entry: StoredEntry) {
  const values = entry.content === null ? null : (JSON.parse(entry.content) as Values)
  return {
    seq: entry.seq,
    at: entry.at,
    actor: { kind: entry.actor_kind, id: entry.actor_id },
    action: entry.action,
    subject: { kind: entry.subject_kind, id: entry.subject_id },
    request_id: entry.request_id,
    address: values?.address ?? null,
    before: values?.before ?? null,
    after: values?.after ?? null,
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
    const rows = await listEntries(tx, tenant_id, filter, readSorting(query, 'at'), page)
    const total = await totalOf(rows, page, () => countEntries(tx, tenant_id, filter))
    return pageAnswer(rows.map(entryView), page, total)
  })
}

const CHUNK = 500

/** Oldest first, one entry a line, in chunks: memory does not grow with the log. */
export async function* exportAudit(context: Context, tenant_id: string): AsyncGenerator<string> {
  for (let seq = 0; ; ) {
    const after = seq
    const rows = await inTurn(tenant_id, () =>
      context.db.inTenant(tenant_id, tx => readEntriesAfter(tx, tenant_id, after, CHUNK)),
    )
    for (const row of rows) yield `${JSON.stringify(entryView(row))}\n`
    if (rows.length < CHUNK) return
    seq = rows.at(-1)!.seq
  }
}
