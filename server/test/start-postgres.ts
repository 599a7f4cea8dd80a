// One PostgreSQL for the whole test run, with a migrated template that each test file clones.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../src/platform/database.ts'
import type { PostgresAddress } from '../src/platform/embedded-postgres.ts'
import { migrate } from '../src/platform/migrate.ts'
import { startOwnPostgres } from './own-postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: PostgresAddress
  }
}

export default async function setup(project: TestProject) {
  const dataDir = mkdtempSync(join(tmpdir(), 'bellwether-test-'))
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '200',
    // Hundreds of small databases would be looked at in turn.
    autovacuum_naptime: '1min',
  }
  const embedded = await startOwnPostgres({ dataDir, settings, temporary: dataDir })
  const db = openDatabase({ address: embedded.address, pool: 1, prepare: true })
  await migrate(db, Date.now(), { login: embedded.address.password })
  await db.close()
  project.provide('postgres', embedded.address)
  return async () => {
    await embedded.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
