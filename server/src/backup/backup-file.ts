// The form of a backup: lines of JSON, and between them the tables as PostgreSQL's own COPY text, each ended by `\.`.
import { createHash, type Hash } from 'node:crypto'
import type { Secrets } from '../platform/secrets.ts'

export const FORMAT = 'bellwether-backup'
export const FORMAT_VERSION = 1

/** The migrations of the release that wrote it: what the tables look like. */
export type Schema = readonly { readonly version: number; readonly checksum: string }[]

export type Header = {
  readonly format: typeof FORMAT
  readonly version: typeof FORMAT_VERSION
  readonly created_at: string
  readonly schema_version: number
  readonly schema: Schema
  /** A known text sealed with the installation's key: whoever opens it has the key the secrets need. */
  readonly key_check: string
}

export type TableHead = { readonly table: string; readonly columns: readonly string[] }
export type TableEnd = { readonly rows: number; readonly bytes: number; readonly sha256: string }
/** The digest is of every byte before this line. */
export type Content = { readonly tables: number; readonly rows: number; readonly sha256: string }
/** With the proof that a holder of the key has written it: a digest alone can be made anew by anybody. */
export type Trailer = Content & { readonly hmac: string }

export const END_OF_ROWS = Buffer.from('\\.\n')
const END_AFTER_ROWS = Buffer.from('\n\\.\n')
const NEWLINE = 10
const LONGEST_LINE = 1024 * 1024

const PROOF_PURPOSE = 'backup proof'

export function proofOf(secrets: Secrets, { tables, rows, sha256 }: Content): string {
  return secrets.sign(`${tables} ${rows} ${sha256}`, PROOF_PURPOSE)
}

/** Nothing of the trailer is believed: it may be of any form. */
export function isProven(secrets: Secrets, { tables, rows, sha256, hmac }: Trailer): boolean {
  return secrets.isSigned(String(hmac), `${tables} ${rows} ${sha256}`, PROOF_PURPOSE)
}

export function lineOf(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`)
}

/** In COPY text a newline inside a value is written `\n`, so every newline ends a row. */
function countLines(chunk: Buffer): number {
  let lines = 0
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines++
  return lines
}

export class BackupError extends Error {}

export type BackupReader = {
  readLine<T>(): Promise<T>
  /** The rows of a table, in pieces that end with a row. */
  readRows(): AsyncGenerator<Buffer>
  /** Nothing may follow; of a compressed file the last bytes are proven only here. */
  readEnd(): Promise<void>
  /** The digest of all that was read so far. */
  digest(): string
}

/** Reads piece by piece: memory is bounded by one piece of the source and one row. */
export function openReader(source: AsyncIterable<Buffer>): BackupReader {
  const pieces = source[Symbol.asyncIterator]()
  const hash = createHash('sha256')
  let rest: Buffer = Buffer.alloc(0)
  const more = async () => {
    const next = await pieces.next()
    if (next.done) throw new BackupError('the file ends early: it is not a whole backup')
    rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value])
  }
  const take = (length: number) => {
    const taken = rest.subarray(0, length)
    rest = rest.subarray(length)
    hash.update(taken)
    return taken
  }
  return {
    readEnd: async () => {
      if (rest.length === 0 && (await pieces.next()).done) return
      throw new BackupError('the file goes on behind its end: it was changed')
    },
    digest: () => hash.copy().digest('hex'),
    readLine: async () => {
      while (!rest.includes(NEWLINE)) {
        if (rest.length > LONGEST_LINE) throw new BackupError('the file is not a backup')
        await more()
      }
      return parseLine(take(rest.indexOf(NEWLINE) + 1).toString('utf8'))
    },
    readRows: async function* () {
      for (;;) {
        while (!rest.includes(NEWLINE)) await more()
        // Invariant: `rest` begins with a row here.
        if (rest.subarray(0, END_OF_ROWS.length).equals(END_OF_ROWS)) break
        const end = rest.indexOf(END_AFTER_ROWS)
        yield take(end === -1 ? rest.lastIndexOf(NEWLINE) + 1 : end + 1)
      }
      take(END_OF_ROWS.length)
    },
  }
}

function parseLine<T>(text: string): T {
  try {
    return JSON.parse(text) as T
  } catch {
    throw new BackupError('the file is not a backup, or it was changed')
  }
}

/** Counts and digests what passes. */
export function createMeter(): { add(chunk: Buffer): void; end(): TableEnd } {
  const hash: Hash = createHash('sha256')
  let [rows, bytes] = [0, 0]
  return {
    add: chunk => {
      hash.update(chunk)
      rows += countLines(chunk)
      bytes += chunk.length
    },
    end: () => ({ rows, bytes, sha256: hash.digest('hex') }),
  }
}
