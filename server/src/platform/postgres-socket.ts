// Gives clients a short way to the socket, whose path may hold 107 bytes at most (macOS 103).
//
// The server needs none: it binds `../run`, relative to its own folder. A deep data folder gets a
// link in a private temp folder of this process; other processes on the data folder make their own.
import { lstat, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const SOCKET_PORT = 5432
const LONGEST_PATH_BYTES = 103

export type SocketFolder = { host: string; keep(): Promise<void>; close(): Promise<void> }

export async function openSocketFolder(run: string): Promise<SocketFolder> {
  if (isShort(run)) return { host: run, keep: async () => {}, close: async () => {} }
  const temp = [tmpdir(), '/tmp'].find(folder => isShort(join(folder, 'bellwether-XXXXXX/run')))
  const host = join(await mkdtemp(join(temp ?? tmpdir(), 'bellwether-')), 'run')
  await symlink(run, host)
  return {
    host,
    keep: () => restoreLink(run, host),
    close: () => rm(dirname(host), { recursive: true, force: true }),
  }
}

function isShort(folder: string): boolean {
  return Buffer.byteLength(`${folder}/.s.PGSQL.${SOCKET_PORT}`) <= LONGEST_PATH_BYTES
}

// Temp folders are swept of old files while servers run for months. Once it is gone, anybody can
// take the name, and could then stand in for the database.
async function restoreLink(run: string, host: string): Promise<void> {
  if (await lstat(host).catch(() => null)) return
  await mkdir(dirname(host), { recursive: true, mode: 0o700 })
  const { uid } = await lstat(dirname(host))
  if (uid !== process.getuid?.()) throw new Error(`${dirname(host)} was taken by uid ${uid}`)
  await symlink(run, host)
}
