// What a benchmark runs on: a durable PostgreSQL of its own, loaded once and kept, and a fresh copy for each run.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { readConfig } from '../server/src/config.ts'
import { systemClock } from '../server/src/platform/clock.ts'
import type { Context } from '../server/src/platform/context.ts'
import { type Database, openDatabase } from '../server/src/platform/database.ts'
import type { PostgresAddress } from '../server/src/platform/embedded-postgres.ts'
import { migrate } from '../server/src/platform/migrate.ts'
import { openPool } from '../server/src/platform/pool.ts'
import { createSecrets, keyFromSetting } from '../server/src/platform/secrets.ts'
import { databaseUrl } from '../server/test/database-url.ts'
import { startOwnPostgres } from '../server/test/own-postgres.ts'
import { readSettings, showStatements, watchStatements } from './statements.ts'

export const STAGES = join(tmpdir(), 'bellwether-bench')
export const SECRET_KEY = 'a key for benchmarks only, long enough'
/** Raised when what is loaded changes: what older code has left is then loaded anew. */
const LOADED = 'loaded 3'
const KEPT = 'bellwether'
const COPY = 'run'

export type Stage = {
  context: Context
  readonly address: PostgresAddress
  /** The same database, as a server process is told of it. */
  readonly url: string
  /** Throws the copy away and takes a new one. Invariant: nobody else is connected. */
  renew(): Promise<void>
  close(): Promise<void>
}

export type StageOptions = {
  /** Fills the empty database once; what it leaves is kept between runs. */
  fill?(context: Context): Promise<unknown>
  /** Brings what is kept up to now, before every run. */
  refresh?(context: Context): Promise<void>
  /** False: works on what is kept itself, for benchmarks that only read. */
  copy?: boolean
}

export function stageFolder(name: string): string {
  return join(STAGES, name)
}

export async function openStage(name: string, options: StageOptions = {}): Promise<Stage> {
  const dataDir = stageFolder(name)
  mkdirSync(dataDir, { recursive: true })
  const settings = readSettings()
  const server = await startOwnPostgres({ dataDir, settings })
  const { address } = server
  await keep(address, join(dataDir, 'loaded'), options)
  const database = options.copy === false ? KEPT : COPY
  if (database === COPY) await takeCopy(address)
  const stage: Stage = {
    context: openContext({ ...address, database }),
    address: { ...address, database },
    url: databaseUrl({ ...address, database }),
    renew: async () => {
      await stage.context.db.close()
      await takeCopy(address)
      stage.context = openContext({ ...address, database })
    },
    close: async () => {
      await showStatements(stage.context, settings)
      await stage.context.db.close()
      await server.stop()
    },
  }
  await watchStatements(stage.context, settings)
  return stage
}

function openContext(address: PostgresAddress): Context {
  return {
    db: openDatabase({ address, pool: 10, prepare: true }),
    clock: systemClock,
    config: readConfig({ BELLWETHER_WEBHOOK_ALLOW: '127.0.0.0/8' }),
    secrets: createSecrets(keyFromSetting(SECRET_KEY)),
    log: pino({ level: 'error' }),
  }
}

/** A load that was cut short is begun anew. */
async function keep(address: PostgresAddress, marker: string, { fill, refresh }: StageOptions) {
  const isLoaded = readMarker(marker) === LOADED
  if (fill && !isLoaded) {
    await asAdmin(address, async ({ sql }) => {
      await sql`DROP DATABASE IF EXISTS bellwether WITH (FORCE)`
      await sql`CREATE DATABASE bellwether`
    })
  }
  const context = openContext({ ...address, database: KEPT })
  try {
    await migrate(context.db, Date.now())
    if (fill && !isLoaded) {
      await fill(context)
      await vacuum({ ...address, database: KEPT })
      writeFileSync(marker, LOADED)
    }
    await refresh?.(context)
  } finally {
    await context.db.close()
  }
}

function readMarker(marker: string): string {
  try {
    return readFileSync(marker, 'utf8')
  } catch {
    return ''
  }
}

async function vacuum(address: PostgresAddress): Promise<void> {
  const sql = openPool({ address, max: 1 })
  await sql`VACUUM (ANALYZE)`
  await sql.end()
}

/** By copying files: the tables and indexes of every run begin alike. */
async function takeCopy(address: PostgresAddress): Promise<void> {
  await asAdmin(address, async ({ sql }) => {
    await sql`SET statement_timeout = 0`
    await sql`DROP DATABASE IF EXISTS run WITH (FORCE)`
    await sql`CREATE DATABASE run TEMPLATE bellwether STRATEGY file_copy`
    await sql`CHECKPOINT`
  })
}

async function asAdmin(address: PostgresAddress, work: (db: Database) => Promise<void>) {
  const db = openDatabase({
    address: { ...address, database: 'postgres' },
    pool: 1,
    prepare: false,
  })
  await work(db).finally(() => db.close())
}
