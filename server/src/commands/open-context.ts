// Opens what every command stands on: the database of the settings, up to date, and the secrets.
import pino from 'pino'
import type { Config } from '../config.ts'
import { systemClock } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { type Database, openDatabase } from '../platform/database.ts'
import { startEmbeddedPostgres } from '../platform/embedded-postgres.ts'
import { logOptions } from '../platform/log-options.ts'
import { migrate } from '../platform/migrate.ts'
import { reachDatabase } from '../platform/reach-database.ts'
import { createSecrets, keyFromFolder, keyFromSetting, type Secrets } from '../platform/secrets.ts'
import { CommandError } from './arguments.ts'

export type Opened = {
  readonly context: Context
  /** The migrations that ran just now. */
  readonly migrated: readonly string[]
  close(): Promise<void>
}

export type Log = Context['log']

/** The log goes to stderr, so that stdout holds answers only. */
export function openLog(config: Config): Log {
  return pino(logOptions(config.log_level), pino.destination({ dest: 2, sync: true }))
}

export async function openContext(config: Config, log: Log): Promise<Opened> {
  const server = config.database_url === null ? await startServer(config, log) : null
  const address = server?.address ?? (config.database_url as string)
  const db = openDatabase({ address, pool: config.pool, prepare: config.prepare })
  const close = async () => {
    await db.close()
    await server?.stop()
  }
  try {
    await reach(db, config)
    const migrated = await bringUpToDate(db)
    const secrets = openSecrets(config)
    return { context: { db, clock: systemClock, config, secrets, log }, migrated, close }
  } catch (error) {
    // A database that does not answer does not answer to this either.
    db.close().catch(() => {})
    await server?.stop().catch(() => {})
    throw error
  }
}

/** Runs one operator's command on the database, whether or not a server runs on it, and closes it again. */
export async function withContext<T>(
  config: Config,
  work: (context: Context, opened: Opened) => Promise<T>,
): Promise<T> {
  const opened = await openContext({ ...config, pool: 2 }, openLog(config))
  try {
    return await work(opened.context, opened)
  } finally {
    await opened.close()
  }
}

/** Invariant: checked before anything starts; processes without the same key cannot read each other's secrets. */
export function requireSecretKey(config: Config): void {
  if (config.database_url === null || config.secret_key !== null) return
  throw new CommandError(
    'BELLWETHER_SECRET_KEY must be set together with DATABASE_URL: at least 32 random characters, ' +
      'the same for every process',
  )
}

async function startServer(config: Config, log: Log) {
  return startEmbeddedPostgres({ dataDir: config.data_dir, log }).catch((error: Error) => {
    throw new CommandError(error.message, { cause: error })
  })
}

async function reach(db: Database, config: Config): Promise<void> {
  await reachDatabase(db).catch((error: Error) => {
    const which =
      config.database_url === null ? 'the embedded database' : showUrl(config.database_url)
    throw new CommandError(`cannot use ${which}: ${error.message}`, { cause: error })
  })
}

/** Where the database is, without the password. */
function showUrl(text: string): string {
  const { protocol, username, host, pathname } = new URL(text)
  const user = username === '' ? '' : `${username}@`
  return `the database of DATABASE_URL (${protocol}//${user}${host}${pathname})`
}

async function bringUpToDate(db: Database): Promise<string[]> {
  return migrate(db, systemClock.now()).catch((error: Error) => {
    throw new CommandError(`cannot bring the database up to date: ${error.message}`, {
      cause: error,
    })
  })
}

function openSecrets(config: Config): Secrets {
  if (config.secret_key !== null) return createSecrets(keyFromSetting(config.secret_key))
  if (config.database_url === null) return createSecrets(keyFromFolder(config.data_dir))
  const refuse = () => {
    throw new CommandError('BELLWETHER_SECRET_KEY must be set for this command')
  }
  return { seal: refuse, open: refuse }
}
