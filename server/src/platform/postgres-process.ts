// Recognises and ends the PostgreSQL server process of one data folder, whoever started it.
import { readFile, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresFolder } from './postgres-folder.ts'
import { isProcessAlive } from './postgres-owner.ts'
import { SOCKET_PORT } from './postgres-socket.ts'

export type Postmaster = { pid: number; status: string }

const POLL_MS = 10
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
// Fast shutdown (a checkpoint, nothing to recover), then immediate, then by force.
const END_STEPS = [
  ['SIGINT', 5_000],
  ['SIGQUIT', 3_000],
  ['SIGKILL', 3_000],
] as const

// The server that now runs on this folder, or null. The file alone proves nothing: it survives a
// kill -9, and its number may by then belong to another program.
export async function findPostmaster(folder: PostgresFolder): Promise<Postmaster | null> {
  const noted = await readPostmasterFile(folder)
  return noted && (await isPostmaster(folder, noted.pid)) ? noted : null
}

async function readPostmasterFile(folder: PostgresFolder): Promise<Postmaster | null> {
  const path = join(folder.cluster, 'postmaster.pid')
  const lines = (await readFile(path, 'utf8').catch(ignoreMissing)).trim().split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return null
  return { pid, status: lines.length >= 8 ? (lines.at(-1)?.trim() ?? '') : 'starting' }
}

// Any other error must not look like a server that is gone.
function ignoreMissing(error: NodeJS.ErrnoException): string {
  if (error.code !== 'ENOENT') throw error
  return ''
}

async function isPostmaster(folder: PostgresFolder, pid: number): Promise<boolean> {
  const works = await worksIn(pid, folder.cluster)
  if (works !== null) return works || accepts(folder)
  return (await isProcessAlive(pid, null)) && accepts(folder)
}

// A server works in its data folder, which Linux shows; null where that cannot be seen.
async function worksIn(pid: number, cluster: string): Promise<boolean | null> {
  if (process.platform !== 'linux') return null
  const seen = await stat(`/proc/${pid}/cwd`).catch((error: NodeJS.ErrnoException) => error)
  if (seen instanceof Error) return seen.code === 'ENOENT' ? false : null
  const own = await stat(cluster)
  return seen.ino === own.ino && seen.dev === own.dev
}

// A server in another container on the same folder has a number that means nothing here, but its
// socket accepts.
const accepts = (folder: PostgresFolder) => tryToConnect(folder, 'connect')

// One that was killed this moment still looks ready, and its socket still accepts; but only a
// living one starts a session that answers a question, here the one for TLS.
export const answers = (folder: PostgresFolder) => tryToConnect(folder, 'data')

function tryToConnect(folder: PostgresFolder, proof: 'connect' | 'data'): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(join(folder.socket.host, `.s.PGSQL.${SOCKET_PORT}`))
    const finish = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => socket.write(TLS_REQUEST))
    socket.once(proof, () => finish(true))
    socket.once('error', () => finish(false)).once('end', () => finish(false))
    socket.setTimeout(1_000, () => finish(false))
  })
}

// PostgreSQL refuses to start as long as the number in a left-over lock file is alive, be it a
// zombie or another program of this user. Removed only if that process is seen not to be a server
// of this folder and no socket answers; its shared memory block remains as the second lock.
export async function removeStaleLocks(folder: PostgresFolder): Promise<boolean> {
  let removed = false
  const socket = join(folder.run, `.s.PGSQL.${SOCKET_PORT}.lock`)
  for (const path of [join(folder.cluster, 'postmaster.pid'), socket]) {
    const pid = Number.parseInt(await readFile(path, 'utf8').catch(() => ''), 10)
    if (!(pid > 0) || (await worksIn(pid, folder.cluster)) !== false) continue
    if (await accepts(folder)) continue
    await rm(path, { force: true })
    removed = true
  }
  return removed
}

// `child` is a server we started that may not have written its number yet.
export async function endPostmaster(folder: PostgresFolder, child: number | null): Promise<void> {
  const pid = (await findPostmaster(folder))?.pid ?? child
  if (!pid || (await worksIn(pid, folder.cluster)) === false) return
  for (const [signal, limit] of END_STEPS) {
    if (!sendSignal(pid, signal)) return
    const deadline = performance.now() + limit
    while (performance.now() < deadline) {
      if (!(await isProcessAlive(pid, null))) return
      await sleep(POLL_MS)
    }
  }
  throw new Error(`PostgreSQL (pid ${pid}) does not end`)
}

function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}
