// Puts a backup into an empty database of the same schema, in one transaction, and believes no byte of it unproven.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline as connect, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Context } from '../platform/context.ts'
import type { Database, Tx } from '../platform/database.ts'
import { errorCode } from '../platform/database-errors.ts'
import { listMigrations } from '../platform/migrate.ts'
import { openOrNull, type Secrets } from '../platform/secrets.ts'
import { KEY_PURPOSE, KEY_TEXT } from './back-up.ts'
import {
  copyIn,
  countRows,
  hasRows,
  holdRows,
  listTables,
  readAll,
  refreshPlans,
  type Table,
  writeAll,
} from './backup.queries.ts'
import {
  BackupError,
  type BackupReader,
  createMeter,
  FORMAT,
  FORMAT_VERSION,
  type Header,
  isProven,
  openReader,
  type TableEnd,
  type TableHead,
  type Trailer,
} from './backup-file.ts'
import { countInForce, type Ended, endSignIns, type InForce } from './tombstones.queries.ts'

export type Restored = {
  created_at: string
  tables: number
  rows: number
  opens_secrets: boolean
  /** That a holder of the key has written the file, and nobody has changed it. */
  proven: boolean
  /** Sessions, links, OAuth tokens and codes that were in force. */
  ended: Ended
  /** What is in force now, also where it was ended after the backup was made. */
  in_force: InForce
}
/** `unverified`: also what no key proves. */
export type RestoreOptions = { readonly unverified: boolean }

export async function restore(
  { secrets }: Context,
  owner: Database,
  file: string,
  options: RestoreOptions,
): Promise<Restored> {
  return withFile(file, async reader => {
    const header = checkHeader(await reader.readLine<Header>())
    const opens_secrets = checkKey(secrets, header, options)
    const { created_at } = header
    const done = await writeAll(owner, async tx => {
      const trailer = await readTables(tx, reader)
      const proven = checkProof(secrets, trailer, options)
      const { tables, rows } = trailer
      const ended = await endSignIns(tx)
      return { tables, rows, proven, ended, in_force: await countInForce(tx) }
    })
    await refreshPlans(owner)
    return { created_at, opens_secrets, ...done }
  })
}

/** What its first line tells, before a database or a key is made. */
export async function checkFile(
  findKey: () => Secrets | null,
  file: string,
  options: RestoreOptions,
): Promise<void> {
  await withFile(file, async reader => {
    const header = checkHeader(await reader.readLine<Header>())
    checkKey(findKey(), header, options)
  })
}

/** The same of the database, before its schema is brought up to date. */
export async function requireEmpty(owner: Database): Promise<void> {
  await readAll(owner, async tx => refuseRows(tx, await listTables(tx)))
}

const GZIP = Buffer.from([0x1f, 0x8b])

/** By its first bytes: a file is easily renamed, or unpacked on its way under the same name. */
async function isPacked(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer } = await handle.read(Buffer.alloc(GZIP.length))
    return buffer.equals(GZIP)
  } finally {
    await handle.close()
  }
}

async function withFile<T>(file: string, work: (reader: BackupReader) => Promise<T>): Promise<T> {
  const packed = await isPacked(file)
  const source = createReadStream(file, { highWaterMark: 256 * 1024 })
  // What goes wrong on the way, also while nobody reads, is told to the next who does.
  const opened = packed ? connect(source, createGunzip(), () => {}) : source
  try {
    return await work(openReader(opened as AsyncIterable<Buffer>))
  } finally {
    source.destroy()
  }
}

function checkKey(
  secrets: Secrets | null,
  { key_check }: Header,
  { unverified }: RestoreOptions,
): boolean {
  const opens_secrets = secrets !== null && openOrNull(secrets, key_check, KEY_PURPOSE) === KEY_TEXT
  if (!opens_secrets && !unverified) throw new BackupError(OTHER_KEY)
  return opens_secrets
}

const OTHER_KEY =
  'this backup was made with another key: put back the secret.key of its data folder, or set BELLWETHER_SECRET_KEY (or ' +
  'BELLWETHER_SECRET_KEY_BEFORE) as it was; --unverified restores what nobody can prove, without the use of its secrets'

function checkProof(secrets: Secrets, trailer: Trailer, { unverified }: RestoreOptions): boolean {
  const proven = isProven(secrets, trailer)
  if (!proven && !unverified) throw new BackupError(NOT_PROVEN)
  return proven
}

const NOT_PROVEN =
  'nothing proves that it is what backup has written: somebody without the key has changed it; --unverified restores ' +
  'it all the same, whatever was put in'

function checkHeader(header: Header): Header {
  if (header.format !== FORMAT || header.version !== FORMAT_VERSION) {
    throw new BackupError('the file is not a backup this release can read')
  }
  const own = listMigrations()
  const same =
    header.schema.length === own.length &&
    own.every((one, i) => one.checksum === header.schema[i]?.checksum)
  if (same) return header
  throw new BackupError(
    `the backup has schema version ${header.schema_version}, this release ${own.at(-1)!.version}: ` +
      'restore it with the release that made it, then start this one on the database',
  )
}

/** What a service that runs on the database, or another restore, writes meanwhile would look like a change of the file. */
async function readTables(tx: Tx, reader: BackupReader): Promise<Trailer> {
  const known = await listTables(tx)
  await holdRows(tx, known)
  await refuseRows(tx, known)
  let [tables, rows] = [0, 0]
  for (;;) {
    const head = await reader.readLine<TableHead | { table: null }>()
    if (head.table === null) break
    rows += await readTable(tx, reader, findTable(known, head))
    tables++
  }
  const sha256 = reader.digest()
  const trailer = await reader.readLine<Trailer>()
  const whole = tables === known.length && trailer.tables === tables && trailer.rows === rows
  if (trailer.sha256 !== sha256 || !whole) {
    throw new BackupError('the file was changed: its digest or its counts do not fit')
  }
  await reader.readEnd()
  return trailer
}

async function refuseRows(tx: Tx, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    if (await hasRows(tx, name))
      throw new BackupError(`the database is not empty: ${name} has rows`)
  }
}

/** The columns of the file are named by it, so that their order does not matter; they must be ours. */
function findTable(known: readonly Table[], head: TableHead): Table {
  const table = known.find(one => one.name === head.table)
  const fits = table && table.columns.toSorted().join() === head.columns.toSorted().join()
  if (!fits) throw new BackupError(`the table ${head.table} is not one of this release`)
  return { name: head.table, columns: head.columns }
}

async function readTable(tx: Tx, reader: BackupReader, table: Table): Promise<number> {
  const meter = createMeter()
  const rows = async function* () {
    for await (const piece of reader.readRows()) {
      meter.add(piece)
      yield piece
    }
  }
  const changed = `the rows of ${table.name} were changed after the backup was made`
  await pipeline(Readable.from(rows()), await copyIn(tx, table)).catch((error: Error) => {
    throw isRefused(error) ? new BackupError(changed, { cause: error }) : error
  })
  const noted = await reader.readLine<TableEnd>()
  const seen = meter.end()
  const there = await countRows(tx, table.name)
  if (noted.sha256 !== seen.sha256 || noted.rows !== seen.rows || there !== seen.rows) {
    throw new BackupError(changed)
  }
  return there
}

/** What the database says of a row it cannot read, or that breaks a rule of its table: classes 22 and 23. */
function isRefused(error: Error): boolean {
  return /^2[23]...$/.test(errorCode(error))
}
