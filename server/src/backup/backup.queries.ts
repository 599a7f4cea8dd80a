// SQL of backup and restore: whole tables, as their owner; the one place that reads and writes across all tenants.
import type { Readable, Writable } from 'node:stream'
import type { Database, Tx } from '../platform/database.ts'

export type Table = { readonly name: string; readonly columns: readonly string[] }

/** One still picture of everything; it may take hours, and nothing is hidden from it silently. */
export async function readAll<T>(owner: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  const picture = 'isolation level repeatable read read only'
  return owner.sql.begin(picture, async tx => {
    await unbind(tx)
    return work(tx)
  }) as Promise<T>
}

export async function writeAll<T>(owner: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return owner.sql.begin(async tx => {
    await unbind(tx)
    return work(tx)
  }) as Promise<T>
}

/** Where a policy would hide rows from this user, the statement fails instead of leaving them out. */
async function unbind(tx: Tx): Promise<void> {
  await tx`SET LOCAL statement_timeout = 0`
  await tx`SET LOCAL row_security = off`
  await tx`SET LOCAL enable_seqscan = on`
}

/** Every table of ours but the list of migrations, which the schema brings along. */
export async function listTables(tx: Tx): Promise<Table[]> {
  return tx<Table[]>`
    SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND c.relname <> 'schema_migrations'
    GROUP BY c.relname ORDER BY c.relname`
}

export async function hasRows(tx: Tx, table: string): Promise<boolean> {
  const rows = await tx`SELECT 1 FROM ${tx(table)} LIMIT 1`
  return rows.length > 0
}

export async function countRows(tx: Tx, table: string): Promise<number> {
  const [row] = await tx<{ rows: number }[]>`SELECT count(*) AS rows FROM ${tx(table)}`
  return row!.rows
}

export function copyOut(tx: Tx, { name, columns }: Table): Promise<Readable> {
  return tx`COPY ${tx(name)} (${tx(columns as string[])}) TO STDOUT`.readable()
}

export function copyIn(tx: Tx, { name, columns }: Table): Promise<Writable> {
  return tx`COPY ${tx(name)} (${tx(columns as string[])}) FROM STDIN`.writable()
}

/** Otherwise the first statements would be planned for empty tables. */
export async function refreshPlans(owner: Database): Promise<void> {
  await owner.sql`ANALYZE`
}
