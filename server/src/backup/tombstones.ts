// What was revoked, removed and erased, as a small signed file: it keeps a backup from bringing it back.
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { Context } from '../platform/context.ts'
import type { Database } from '../platform/database.ts'
import type { Secrets } from '../platform/secrets.ts'
import { newToken } from '../platform/tokens.ts'
import { readAll } from './backup.queries.ts'
import { BackupError } from './backup-file.ts'
import { KINDS, type Kind, listTombstones, type Tombstone } from './tombstones.queries.ts'

const FORMAT = 'bellwether-tombstones'
const PURPOSE = 'tombstones proof'

export type Written = { file: string; tombstones: number }

/** Invariant: the file appears by one rename, whole and on the disk, readable by its owner only. */
export async function writeTombstones(
  { clock, secrets }: Context,
  owner: Database,
  file: string,
): Promise<Written> {
  const tombstones = await readAll(owner, listTombstones)
  const created_at = new Date(clock.now()).toISOString()
  const lines = [{ format: FORMAT, version: 1, created_at }, ...tombstones]
  const text = lines.map(line => `${JSON.stringify(line)}\n`).join('')
  const hmac = secrets.sign(text, PURPOSE)
  const draft = `${file}.${newToken()}.part`
  try {
    const whole = `${text}${JSON.stringify({ hmac })}\n`
    await writeFile(draft, whole, { mode: 0o600, flag: 'wx', flush: true })
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
  return { file, tombstones: tombstones.length }
}

/** Somebody without the key could otherwise take lines out of it, or have tenants deleted by it. */
export async function readTombstones(
  secrets: Secrets | null,
  file: string,
  { unverified }: { unverified: boolean },
): Promise<Tombstone[]> {
  const text = await readFile(file, 'utf8')
  const end = text.lastIndexOf('\n', text.length - 2) + 1
  const [header, ...tombstones] = parseLines(text.slice(0, end))
  const [proof] = parseLines(text.slice(end))
  const isKnown = tombstones.every(one => KINDS.includes(one.kind as Kind))
  if (header?.format !== FORMAT || header.version !== 1 || !isKnown)
    throw new BackupError('the file holds no tombstones this release can read')
  if (!unverified && !secrets?.isSigned(String(proof?.hmac), text.slice(0, end), PURPOSE))
    throw new BackupError(
      'nothing proves that the file is what tombstones has written with this key',
    )
  return tombstones as unknown as Tombstone[]
}

function parseLines(text: string): Record<string, unknown>[] {
  try {
    return text.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
  } catch {
    return []
  }
}
