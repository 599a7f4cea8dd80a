// What a benchmark runs on: a durable PostgreSQL of its own, kept between runs, and the service's own context.
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { readConfig } from '../server/src/config.ts'
import { systemClock } from '../server/src/platform/clock.ts'
import type { Context } from '../server/src/platform/context.ts'
import { openDatabase } from '../server/src/platform/database.ts'
import { startEmbeddedPostgres } from '../server/src/platform/embedded-postgres.ts'
import { migrate } from '../server/src/platform/migrate.ts'
import { createSecrets, keyFromFolder } from '../server/src/platform/secrets.ts'

export type Stage = { context: Context; dataDir: string; close(): Promise<void> }

const silent = { info() {}, warn() {}, error() {} }

export async function openStage(name: string, pool = 10): Promise<Stage> {
  const dataDir = join(tmpdir(), 'bellwether-bench', name)
  mkdirSync(dataDir, { recursive: true })
  const server = await startEmbeddedPostgres({ dataDir, log: silent })
  const db = openDatabase({ address: server.address, pool, prepare: true })
  await migrate(db, Date.now())
  const config = readConfig({ BELLWETHER_DATA_DIR: dataDir })
  const secrets = createSecrets(keyFromFolder(dataDir))
  const context = { db, clock: systemClock, config, secrets, log: pino({ level: 'error' }) }
  return {
    context,
    dataDir,
    close: async () => {
      await db.close()
      await server.stop()
    },
  }
}
