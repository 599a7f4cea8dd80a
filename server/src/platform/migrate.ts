// Brings the schema up to date: plain SQL files, forward only, one runner at a time.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Database, Tx } from './database.ts'
import { inTurn } from './migration-turns.ts'
import { type Lock, type LockOptions, secureTenants } from './secure-tenants.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)

export type Migration = { version: number; name: string; sql: string; checksum: string }

export function listMigrations(): Migration[] {
  return readdirSync(FOLDER)
    .filter(name => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map(name => {
      const sql = readFileSync(new URL(name, FOLDER), 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { version: Number(name.slice(0, 4)), name, sql, checksum }
    })
}

/** `ran` names the migrations that were missing; the lock is shut after every run, so that none can forget it. */
export type Migrated = { readonly ran: readonly string[]; readonly lock: Lock }

export async function migrate(
  { sql }: Database,
  now: number,
  lock?: LockOptions,
): Promise<Migrated> {
  const ran: string[] = []
  for (;;) {
    const name = await inTurn(sql, tx => runNext(tx, now))
    if (name === null) break
    ran.push(name)
  }
  if (ran.length > 0) await inTurn(sql, distribute)
  return { ran, lock: await secureTenants(sql, lock) }
}

async function runNext(tx: Tx, now: number): Promise<string | null> {
  const [one] = await listMissing(tx)
  if (!one) return null
  await tx.unsafe(one.sql)
  await tx`INSERT INTO schema_migrations (version, name, checksum, applied_at)
    VALUES (${one.version}, ${one.name}, ${one.checksum}, ${new Date(now)})`
  return one.name
}

async function listMissing(tx: Tx): Promise<Migration[]> {
  const [table] = await tx`SELECT to_regclass('schema_migrations') AS name`
  // Looked for first: a user who may only use the tables may not even say CREATE TABLE IF NOT EXISTS.
  if (table?.name === null) {
    await tx`CREATE TABLE schema_migrations (
      version integer NOT NULL, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL,
      CONSTRAINT schema_migrations_pk PRIMARY KEY (version))`
  }
  const done = await tx<{ version: number; checksum: string }[]>`
    SELECT version, checksum FROM schema_migrations`
  const known = listMigrations()
  const newer = done.find(row => !known.some(one => one.version === row.version))
  if (newer)
    throw new Error(`a newer release has been here (migration ${newer.version}); run that one`)
  return known.filter(one => {
    const applied = done.find(row => row.version === one.version)
    if (applied && applied.checksum !== one.checksum) {
      throw new Error(`migration ${one.name} was changed after it had run on this database`)
    }
    return !applied
  })
}

/** Where Citus is present every table is spread by tenant_id; tenants itself is small and is copied. */
async function distribute(tx: Tx): Promise<void> {
  const [citus] = await tx`SELECT 1 FROM pg_extension WHERE extname = 'citus'`
  if (!citus) return
  await tx`SELECT create_reference_table('tenants')
    WHERE NOT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'tenants'::regclass)`
  await tx`SELECT create_distributed_table(c.oid::regclass::text, 'tenant_id', colocate_with => 'default')
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND c.relkind = 'r'
      AND c.relname NOT IN ('tenants', 'schema_migrations')
      AND NOT EXISTS (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = c.oid)`
}

/** Of the release that runs, read once: it is asked again and again. */
let versions: readonly number[] | undefined

/** True when every migration of this release has run on the database. */
export async function isCurrent(db: Database): Promise<boolean> {
  versions ??= listMigrations().map(one => one.version)
  const rows = await db.acrossTenants(
    tx => tx<{ version: number }[]>`SELECT version FROM schema_migrations`,
  )
  const done = new Set(rows.map(row => row.version))
  return versions.every(version => done.has(version))
}
