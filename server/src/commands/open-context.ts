// Opens what every command stands on: the database of the settings, up to date, and the secrets.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { type Asked, asOperator } from '../accounts/identity.ts'
import { type Config, readConfig } from '../config.ts'
import { systemClock } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { type Database, openDatabase, type Tx } from '../platform/database.ts'
import { errorCode } from '../platform/database-errors.ts'
import { nameRoles } from '../platform/database-roles.ts'
import { type PostgresAddress, startEmbeddedPostgres } from '../platform/embedded-postgres.ts'
import { logDestination, logOptions } from '../platform/log-options.ts'
import { finishMail } from '../platform/mail.ts'
import { type Migrated, migrate } from '../platform/migrate.ts'
import { CLUSTER } from '../platform/postgres-folder.ts'
import { mayUseTables, reachDatabase } from '../platform/reach-database.ts'
import {
  createSecrets,
  keyFile,
  keyFromFolder,
  keyFromSetting,
  type Secrets,
} from '../platform/secrets.ts'
import { requireTenant } from '../tenants/require-tenant.ts'
import { CommandError } from './arguments.ts'
import { type Stop, watchSignals } from './drain.ts'

export type Opened = {
  readonly context: Context
  /** The migrations that ran just now, and whether row-level security holds. */
  readonly migrated: Migrated
  /** Work as the user that owns the tables and sees every row, for backups. */
  withOwner<T>(work: (owner: Database) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export type Log = Context['log']

export function openLog(config: Config): Log {
  return pino(logOptions(config.log_level), logDestination())
}

/** Asked of the database before its schema is brought up to date; a CommandError ends it there. */
export type Check = (owner: Database) => Promise<void>

export async function openContext(config: Config, log: Log, check?: Check): Promise<Opened> {
  const server = config.database_url === null ? await startServer(config, log) : null
  const address = server?.address ?? (config.database_url as string)
  try {
    const { version, ...migrated } = await bringUpToDate(address, config, log, check)
    const secrets = openSecrets(config)
    const { pool, prepare } = config
    const patience = { version }
    const db = openDatabase({ ...place(address, migrated), pool, prepare, patience })
    const close = () => db.close().finally(() => server?.stop())
    const withOwner = async <T>(work: (owner: Database) => Promise<T>) => {
      const owner = openDatabase({ address, pool: 1, prepare })
      return work(owner).finally(() => owner.close())
    }
    return { context: { db, clock: systemClock, config, secrets, log }, migrated, withOwner, close }
  } catch (error) {
    await server?.stop().catch(() => {})
    throw error
  }
}

/** In the embedded server the tenants' role signs in itself: a session has no stronger user to go back to. */
function place(address: PostgresAddress | string, { lock: { roles } }: Migrated) {
  if (roles === null || typeof address === 'string') return { address, roles }
  return { address: { ...address, user: roles.tenant }, roles }
}

/** Runs one operator's command on the database, whether or not a server runs on it, and closes it again. */
export async function withContext<T>(
  config: Config,
  work: (context: Context, opened: Opened) => Promise<T>,
  check?: Check,
): Promise<T> {
  const allowed = async (opened: Opened) => {
    await requireRights(opened)
    return work(opened.context, opened)
  }
  return withOpened(config, allowed, check)
}

/** For operations with transactions of their own, which would not say that it is the tenant that is missing. */
export async function requireKnown({ db }: Context, tenant_id: string): Promise<void> {
  await db.inTenant(tenant_id, tx => requireTenant(tx, tenant_id))
}

/** The same in one transaction of a tenant that exists. */
export async function withTenant<T>(
  tenant_id: string,
  work: (tx: Tx, asked: Asked, context: Context) => Promise<T>,
): Promise<T> {
  return withContext(readConfig(), context =>
    asOperator(context, tenant_id, async (tx, asked) => {
      await requireTenant(tx, tenant_id)
      return work(tx, asked, context)
    }),
  )
}

/** The same for a database whose tables this user may not use yet. */
export async function withOpened<T>(
  config: Config,
  work: (opened: Opened) => Promise<T>,
  check?: Check,
): Promise<T> {
  // A signal must not leave an embedded server behind; where there is none it ends the process as it is.
  const stop = config.database_url === null ? watchSignals() : null
  const opened = await openContext({ ...config, pool: 2 }, openLog(config), check).catch(error => {
    // A terminal sends its signal to our children too: what they then left undone is no fault.
    throw stop?.signal.aborted ? new CommandError(ENDED) : error
  })
  try {
    if (stop?.signal.aborted) throw new CommandError(ENDED)
    return await (stop ? Promise.race([work(opened), endAt(stop)]) : work(opened))
  } finally {
    if (!stop?.signal.aborted) await finishMail(opened.context)
    await opened.close()
  }
}

const ENDED = 'ended by a signal'
/** For what ends by itself at the signal, such as a backup that takes its draft away. */
const GRACE_MS = 500

async function endAt({ requested }: Stop): Promise<never> {
  await requested
  await sleep(GRACE_MS)
  throw new CommandError(ENDED)
}

/** Without the roles of row-level security the user stands for itself. */
export async function requireRights({ context: { db }, migrated }: Opened): Promise<void> {
  if (migrated.lock.roles === null && !(await mayUseTables(db))) throw new CommandError(NO_RIGHTS)
}

const NO_RIGHTS =
  'the user of DATABASE_URL may not use the tables of the database: ' +
  'sign in as their owner, or let an administrator run the SQL that `bellwether migrate` prints'

/** Invariant: checked before anything starts; processes without the same key cannot read each other's secrets. */
export function requireSecretKey(config: Config): void {
  if (config.database_url === null || config.secret_key !== null) return
  throw new CommandError(
    'BELLWETHER_SECRET_KEY must be set together with DATABASE_URL: at least 32 random characters, ' +
      'the same for every process',
  )
}

/** A wrong folder must not be made into an empty database, of which all is well and everything is in the backup. */
export function requireDatabase({ database_url, data_dir }: Config): void {
  // A folder that may not be looked into is told of where it is opened.
  if (database_url !== null || mayBeThere(join(data_dir, CLUSTER))) return
  throw new CommandError(
    `there is no database in ${data_dir}: ` +
      'BELLWETHER_DATA_DIR names its folder, DATABASE_URL a PostgreSQL server of your own',
  )
}

function mayBeThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

async function startServer(config: Config, log: Log) {
  return startEmbeddedPostgres({ dataDir: config.data_dir, log }).catch((error: Error) => {
    throw new CommandError(error.message, { cause: error })
  })
}

/** The driver refuses some parameters of a URL before it connects. */
function openFirst(address: PostgresAddress | string, config: Config): Database {
  try {
    return openDatabase({ address, pool: 1, prepare: config.prepare })
  } catch (error) {
    throw cannotUse(config, error as Error)
  }
}

async function reach(db: Database, config: Config): Promise<number> {
  return reachDatabase(db).catch((error: Error) => {
    throw cannotUse(config, error)
  })
}

function cannotUse({ database_url }: Config, error: Error): CommandError {
  const which = database_url === null ? 'the embedded database' : showUrl(database_url)
  return new CommandError(`cannot use ${which}: ${error.message}`, { cause: error })
}

/** Where the database is, without the password. */
function showUrl(text: string): string {
  const { protocol, username, host, pathname } = new URL(text)
  const user = username === '' ? '' : `${username}@`
  return `the database of DATABASE_URL (${protocol}//${user}${host}${pathname})`
}

/** As the user that was given, on a connection of its own: it owns the tables, later ones only use them. */
async function bringUpToDate(
  address: PostgresAddress | string,
  config: Config,
  log: Log,
  check?: Check,
): Promise<Migrated & { version: number }> {
  const db = openFirst(address, config)
  try {
    const version = await reach(db, config)
    await check?.(db)
    const options = {
      roles: nameRoles(config.database_roles),
      ...(typeof address !== 'string' && { login: address.password }),
    }
    const migrated = await migrate(db, systemClock.now(), options)
    if (migrated.lock.roles === null) log.warn(OPEN_LOCK)
    return { ...migrated, version }
  } catch (error) {
    if (error instanceof CommandError) throw error
    const { message } = error as Error
    const advice = errorCode(error) === NOT_ALLOWED ? `; ${NO_OWNER}` : ''
    throw new CommandError(`cannot bring the database up to date: ${message}${advice}`, {
      cause: error,
    })
  } finally {
    // A database that does not answer does not answer to this either.
    db.close().catch(() => {})
  }
}

const NOT_ALLOWED = '42501'
const NO_OWNER =
  'sign in as the owner of the tables, or where there are none yet as a user who may create them (GRANT CREATE ON SCHEMA public)'

const OPEN_LOCK =
  'row-level security is off, as the database user may not create its roles; ' +
  '`bellwether migrate` prints the SQL that an administrator has to run once'

function openSecrets(config: Config): Secrets {
  const { secret_key_before: old } = config
  const before = old === null ? null : keyFromSetting(old)
  if (config.secret_key !== null) return createSecrets(keyFromSetting(config.secret_key), before)
  if (config.database_url === null) return createSecrets(readFolderKey(config), before)
  const refuse = () => {
    throw new CommandError('BELLWETHER_SECRET_KEY must be set for this command')
  }
  return { seal: refuse, open: refuse, sign: refuse, isSigned: refuse, hash: refuse }
}

/** Null where the key would have to be made first. */
export function findSecrets(config: Config): Secrets | null {
  const { secret_key, database_url, data_dir } = config
  const isMade = secret_key === null && database_url === null
  if (isMade && !mayBeThere(keyFile(data_dir))) return null
  return openSecrets(config)
}

function readFolderKey({ data_dir }: Config): Buffer {
  try {
    return keyFromFolder(data_dir)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const fault = code === 'EACCES' ? sayWhoMay(data_dir) : message
    throw new CommandError(`BELLWETHER_DATA_DIR: ${fault}`, { cause: error })
  }
}

/** Root's service runs the database as another user, who is not the one to run commands as. */
function sayWhoMay(data_dir: string): string {
  const path = keyFile(data_dir)
  const uid = ownerOf(path) ?? ownerOf(data_dir) ?? 0
  return `this user may not use ${path}: run as ${uid === 0 ? 'root' : `uid ${uid} or as root`}`
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid
  } catch {
    return
  }
}
