// Everything the faults strike: PostgreSQL on a small disk, servers, workers, a receiver, and a wire between any two.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { readConfig } from '../server/src/config.ts'
import { systemClock } from '../server/src/platform/clock.ts'
import type { Context } from '../server/src/platform/context.ts'
import { openDatabase } from '../server/src/platform/database.ts'
import type { EmbeddedPostgres } from '../server/src/platform/embedded-postgres.ts'
import { migrate } from '../server/src/platform/migrate.ts'
import { createSecrets, keyFromSetting } from '../server/src/platform/secrets.ts'
import { databaseUrl } from '../server/test/database-url.ts'
import { startOwnPostgres } from '../server/test/own-postgres.ts'
import { type Disk, openDisk } from './disk.ts'
import { type Link, openLink } from './link.ts'
import { type Running, startReceiver, startService } from './processes.ts'
import type { Task } from './service.ts'
import { SECRET_KEY } from './timing.ts'

/** A process of the service with its own wire to the database, and one to its clients where it serves. */
export type Part = {
  readonly process: Running
  readonly serves: boolean
  readonly works: boolean
  readonly database: Link
  readonly clients: Link
}

export type World = {
  readonly folder: string
  readonly postgres: EmbeddedPostgres
  readonly disk: Disk
  /** The harness's own way to the database, past every wire. */
  readonly context: Context
  readonly receiver: { readonly process: Running; readonly link: Link; readonly file: string }
  parts: Part[]
  startPart(name: string, task: Partial<Task>): Promise<Part>
  /** Copies what the processes have said of errors. */
  keepLog(file: URL): void
  close(): Promise<void>
}

/** Small enough to lie in memory, large enough for nine minutes. */
const DISK_MEGABYTES = 2_000
const SETTINGS = { max_wal_size: '128MB', min_wal_size: '32MB', shared_buffers: '128MB' }

const logOf = (folder: string) => join(folder, 'log.txt')

export async function openWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'bellwether-faults-'))
  const disk = openDisk(folder, DISK_MEGABYTES)
  const dataDir = join(disk.folder, 'data')
  mkdirSync(dataDir, { recursive: true })
  const postgres = await startOwnPostgres({
    dataDir,
    settings: SETTINGS,
    temporary: folder,
    mounted: disk.refusal === null ? disk.folder : null,
  })
  const context = openContext(postgres)
  await migrate(context.db, Date.now())
  const file = join(folder, 'arrivals.txt')
  const receiver = await startReceiver(file, logOf(folder))
  const link = await openLink(() => receiver.port())
  const world: World = {
    folder,
    postgres,
    disk,
    context,
    receiver: { process: receiver, link, file },
    parts: [],
    startPart: async (name, task) => {
      const part = await startPart(world, name, task)
      world.parts.push(part)
      return part
    },
    keepLog: to => copyFileSync(logOf(folder), to),
    close: async () => {
      await closeParts(world)
      await receiver.stop()
      link.close()
      await context.db.close()
      await postgres.stop()
      disk.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return world
}

export async function closeParts(world: World): Promise<void> {
  const parts = world.parts.splice(0)
  await Promise.all(parts.map(part => part.process.stop()))
  for (const part of parts) {
    part.database.close()
    part.clients.close()
  }
}

function openContext({ address }: EmbeddedPostgres): Context {
  return {
    db: openDatabase({ address, pool: 4, prepare: true }),
    clock: systemClock,
    config: readConfig({ BELLWETHER_WEBHOOK_ALLOW: '127.0.0.0/8' }),
    secrets: createSecrets(keyFromSetting(SECRET_KEY)),
    log: pino({ level: 'silent' }),
  }
}

async function startPart(
  { postgres, folder }: World,
  name: string,
  task: Partial<Task>,
): Promise<Part> {
  const { host, port } = postgres.address
  const wire = await openLink(() => `${host}/.s.PGSQL.${port}`)
  const url = databaseUrl({ ...postgres.address, host: '127.0.0.1', port: wire.port })
  const process = await startService(
    name,
    {
      url,
      serves: true,
      works: true,
      offset: 0,
      dies_at: null,
      plant: null,
      small_pieces: false,
      ...task,
    },
    logOf(folder),
  )
  const clients = await openLink(() => process.port())
  const { serves = true, works = true } = task
  return { process, serves, works, database: wire, clients }
}
