// Everything a tenant has, row by row, and which rows lead to one person: for tests that nothing else was touched.

import type { Database } from '../src/platform/database.ts'
import { listTables } from '../src/platform/tables.ts'

/** What moves by itself, whoever is erased. */
const MOVING = new Set(['rate_buckets', 'usage_days', 'audit_heads', 'tenants', 'api_keys'])

type TenantRow = { text: string; row: Record<string, unknown> }
export type TenantRows = ReadonlyMap<string, readonly TenantRow[]>

/** All rows of a tenant, as PostgreSQL writes them. */
export async function readTenantRows({ sql }: Database, tenant_id: string): Promise<TenantRows> {
  const tables = listTables().filter(name => !MOVING.has(name))
  const rows = await Promise.all(
    tables.map(
      name => sql<TenantRow[]>`SELECT t::text AS text, to_jsonb(t) AS row FROM ${sql(name)} t
        WHERE t.tenant_id = ${tenant_id} ORDER BY 1`,
    ),
  )
  return new Map(tables.map((name, i) => [name, rows[i]!]))
}

const HANGS_ON = ['event_id', 'action_id', 'delivery_id', 'message_id'] as const

/** Whether a row names the person by id, or something that is theirs. */
function leadsTo(rows: TenantRows, employee_id: string) {
  const ids = new Set([employee_id])
  const entries = new Set<unknown>()
  const isNamed = (text: string) => [...ids].some(id => text.includes(id))
  for (const [table, list] of rows) {
    for (const { row } of list.filter(one => isNamed(one.text))) {
      for (const column of HANGS_ON) if (typeof row[column] === 'string') ids.add(row[column])
      if (table === 'audit_entries') entries.add(row.seq)
    }
  }
  return ({ text, row }: TenantRow, table: string) =>
    isNamed(text) || (table === 'audit_values' && entries.has(row.seq))
}

/** Rows that do not lead to the person and are no longer as they were, with their table. */
export function listTouched(before: TenantRows, after: TenantRows, employee_id: string): string[] {
  const isTheirs = leadsTo(before, employee_id)
  return [...before].flatMap(([table, rows]) => {
    const kept = new Set(after.get(table)!.map(one => one.text))
    const others = rows.filter(one => !isTheirs(one, table))
    return others.flatMap(one => (kept.has(one.text) ? [] : `${table}: ${one.text}`))
  })
}
