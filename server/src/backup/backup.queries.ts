// SQL of backup and restore: whole tables, as their owner; the one place that reads and writes across all tenants.
import type { Readable, Writable } from 'node:stream'
import type { Database, Tx } from '../platform/database.ts'

export type Table = { readonly name: string; readonly columns: readonly string[] }

const opening = ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY']

/** One still picture of everything; it may take hours, and nothing is hidden from it silently. */
export async function readAll<T>(owner: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  const inside = async (tx: Tx) => {
    await unbind(tx)
    return work(tx)
  }
  return owner.sql.begin(inside, { opening })
}

/**
 * The same while no table changes its form: the rows a migration writes anew are in no picture from before it.
 * Invariant: the picture is taken by the first query, and a lock is none.
 */
export async function readHeld<T>(owner: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  const tables = await listTables(owner.sql)
  const inside = async (tx: Tx) => {
    await unbind(tx)
    await holdForms(tx, tables)
    return work(tx)
  }
  return owner.sql.begin(inside, { opening })
}

async function holdForms(tx: Tx, tables: readonly Table[]): Promise<void> {
  await tx`LOCK TABLE ${tx(tables.map(table => table.name))} IN ACCESS SHARE MODE`
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

/** The versions of the migrations that have run, in their order. */
export async function readVersions(tx: Tx): Promise<number[]> {
  const [table] = await tx`SELECT to_regclass('schema_migrations') AS name`
  if (table?.name === null) return []
  const rows = await tx<{ version: number }[]>`
    SELECT version FROM schema_migrations ORDER BY version`
  return rows.map(row => row.version)
}

/** Every table of ours but the list of migrations, which the schema brings along. */
export async function listTables(tx: Tx | Database['sql']): Promise<Table[]> {
  return tx<Table[]>`
    SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND c.relname <> 'schema_migrations'
    GROUP BY c.relname ORDER BY c.relname`
}

/** Until the end nobody else writes to them; readers go on, and see nothing yet. */
export async function holdRows(tx: Tx, tables: readonly Table[]): Promise<void> {
  await tx`LOCK TABLE ${tx(tables.map(table => table.name))} IN SHARE ROW EXCLUSIVE MODE`
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
