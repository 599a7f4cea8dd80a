// Writes everything in the database to one file, as it was at one moment, while the service goes on.
import { createHash, type Hash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import { createGzip } from 'node:zlib'
import type { Context } from '../platform/context.ts'
import type { Database, Tx } from '../platform/database.ts'
import { listMigrations } from '../platform/migrate.ts'
import type { Secrets } from '../platform/secrets.ts'
import {
  copyOut,
  listTables,
  readAll,
  readHeld,
  readVersions,
  type Table,
} from './backup.queries.ts'
import {
  BackupError,
  type Content,
  createMeter,
  END_OF_ROWS,
  FORMAT,
  FORMAT_VERSION,
  type Header,
  lineOf,
  proofOf,
  type Schema,
} from './backup-file.ts'

export const KEY_PURPOSE = 'backup key check'
export const KEY_TEXT = 'the key of this installation'
/** Rows arrive one by one; the disk is given larger pieces. */
const PIECE_BYTES = 256 * 1024

/** The digest is the file's own, as it lies on the disk. */
export type BackedUp = Content & { readonly file: string; readonly schema_version: number }

/**
 * Invariant: the file appears by one rename, whole and on the disk, readable by its owner only. Told to end, it takes
 * its draft away at once: the answer under way may take longer than the process is given.
 */
export async function backUp(
  { clock, secrets }: Context,
  owner: Database,
  file: string,
  signal?: AbortSignal,
): Promise<BackedUp> {
  const schema: Schema = listMigrations().map(({ version, checksum }) => ({ version, checksum }))
  const header: Header = {
    format: FORMAT,
    version: FORMAT_VERSION,
    created_at: new Date(clock.now()).toISOString(),
    schema_version: schema.at(-1)!.version,
    schema,
    key_check: secrets.seal(KEY_TEXT, KEY_PURPOSE),
  }
  const there = await stat(file).catch(() => null)
  // The rename would put a file in the place of a folder, a pipe or a device.
  if (there && !there.isFile()) throw new BackupError(`${file} is not a file`)
  // A link stays one: what it leads to is replaced.
  const place = await realpath(file).catch(() => file)
  // Of its own, as another backup to the same file may be under way.
  const draft = `${place}.${randomUUID()}.part`
  const packed = file.endsWith('.gz')
  const clear = () => rm(draft, { force: true })
  signal?.addEventListener('abort', clear, { once: true })
  try {
    const trailer = await readHeld(owner, tx =>
      writeDraft(tx, header, draft, { packed, secrets, signal }),
    )
    await syncPath(draft)
    await rename(draft, place)
    await syncPath(dirname(place))
    return { file, schema_version: header.schema_version, ...trailer }
  } finally {
    await clear()
  }
}

type Writing = { packed: boolean; secrets: Secrets; signal: AbortSignal | undefined }

async function writeDraft(tx: Tx, header: Header, draft: string, writing: Writing) {
  const { packed, secrets, signal } = writing
  let content: Content | undefined
  const disk = createWriteStream(draft, { mode: 0o600, flags: 'wx' })
  const pack = packed ? createGzip({ level: 1 }) : new PassThrough()
  const end = (found: Content) => {
    content = found
    return lineOf({ ...found, hmac: proofOf(secrets, found) })
  }
  const hash = createHash('sha256')
  const digest = (source: AsyncIterable<Buffer>) => digested(source, hash)
  await pipeline(writeLines(tx, header, end), pack, digest, disk, { ...(signal && { signal }) })
  return { ...content!, sha256: hash.digest('hex') }
}

async function* digested(source: AsyncIterable<Buffer>, hash: Hash) {
  for await (const chunk of source) {
    hash.update(chunk)
    yield chunk
  }
}

async function* writeLines(tx: Tx, header: Header, end: (content: Content) => Buffer) {
  const hash = createHash('sha256')
  const counted = (chunk: Buffer) => {
    hash.update(chunk)
    return chunk
  }
  yield counted(lineOf(header))
  // A newer release may have changed it since this program began.
  await requireSchema(tx)
  const tables = await listTables(tx)
  let rows = 0
  for (const table of tables) {
    yield counted(lineOf({ table: table.name, columns: table.columns }))
    const meter = createMeter()
    for await (const piece of readPieces(tx, table)) {
      meter.add(piece)
      yield counted(piece)
    }
    yield counted(END_OF_ROWS)
    const sum = meter.end()
    rows += sum.rows
    yield counted(lineOf(sum))
  }
  yield counted(lineOf({ table: null }))
  yield end({ tables: tables.length, rows, sha256: hash.digest('hex') })
}

/** What the tables look like stands in the head of the file: it is that of this release, or there is no backup. */
async function requireSchema(tx: Tx): Promise<void> {
  const [own, there] = [listMigrations().map(one => one.version), await readVersions(tx)]
  if (isDeepStrictEqual(own, there)) return
  throw new BackupError(
    `the database has schema version ${there.at(-1) ?? 'none'}, this release ${own.at(-1)}: ` +
      'back it up with the release whose schema it has',
  )
}

/** Asked before the schema is brought up to date: a backup changes nothing. */
export async function requireOwnSchema(owner: Database): Promise<void> {
  await readAll(owner, requireSchema)
}

async function* readPieces(tx: Tx, table: Table): AsyncGenerator<Buffer> {
  let [pieces, bytes]: [Buffer[], number] = [[], 0]
  for await (const row of (await copyOut(tx, table)) as AsyncIterable<Buffer>) {
    pieces.push(row)
    bytes += row.length
    if (bytes < PIECE_BYTES) continue
    yield Buffer.concat(pieces)
    ;[pieces, bytes] = [[], 0]
  }
  if (bytes > 0) yield Buffer.concat(pieces)
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}
