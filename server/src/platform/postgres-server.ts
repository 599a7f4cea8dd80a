// Starts a PostgreSQL server on a data folder, small and durable, and waits until it is ready.
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from './postgres-account.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'
import { enterCluster, type PostgresFolder } from './postgres-folder.ts'
import { forwardPostgresLog, type Log } from './postgres-log.ts'
import { findPostmaster } from './postgres-process.ts'
import { SOCKET_PORT } from './postgres-socket.ts'

export type StartedServer = {
  pid: number | null
  // Why it is no longer there; null as long as it runs.
  failure(): string | null
}

export const POLL_MS = 10

/**
 * 32 random bytes are not guessed faster for being hashed once, and the client hashes on the thread that answers requests.
 */
export const PASSWORD_SETTINGS = {
  password_encryption: 'scram-sha-256',
  scram_iterations: '1',
}

// After a crash the server ends and we start it again, with back-off: on a full disk its own
// restarts spin and were seen to hang when there was space again. Whole pages go to the write-ahead
// log as they are: pglz, all that is compiled into these binaries, took a quarter of an ingest.
// Statements and details of errors stay out of the log, as they carry personal data. Plans made while a table was
// empty hold until its first statistics, which so come seconds after a first import, not a minute.
const SETTINGS = {
  listen_addresses: '',
  unix_socket_directories: '../run',
  port: String(SOCKET_PORT),
  ssl: 'off',
  max_connections: '100',
  shared_buffers: `${chooseBufferMegabytes()}MB`,
  wal_compression: 'off',
  checkpoint_timeout: '15min',
  max_wal_size: '2GB',
  autovacuum_naptime: '10s',
  jit: 'off',
  restart_after_crash: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  cluster_name: 'bellwether',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_line_prefix: '',
  log_statement: 'none',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  ...PASSWORD_SETTINGS,
}

function chooseBufferMegabytes(): number {
  // In a container the limit counts; without one Node answers 0 or a huge number.
  const memory = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())
  return Math.min(2048, Math.max(128, Math.floor(memory / 4 / 1024 / 1024)))
}

// Invariant: the server is detached and unreferenced, in a session of its own. Ctrl-C in the
// terminal does not reach it before we have drained, and it outlives a kill -9 of ours.
export function spawnPostmaster(
  folder: PostgresFolder,
  account: Account | undefined,
  binaries: PostgresBinaries,
  settings: Record<string, string>,
  log: Log,
  onExit: () => void,
): StartedServer {
  const { dataArgument, spawnOptions } = enterCluster(folder.cluster, account)
  const flags = Object.entries({ ...SETTINGS, ...settings }).flatMap(([k, v]) => [
    '-c',
    `${k}=${v}`,
  ])
  const child = spawn(binaries.postgres, ['-D', dataArgument, ...flags], {
    ...spawnOptions,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const lines = forwardPostgresLog(child.stderr, log)
  let failure: string | null = null
  const end = (reason: string) => {
    failure ??= reason
    onExit()
  }
  child.once('error', error => end(error.message))
  // `close` comes after the last line of the log, which the error of a failed start quotes.
  child.once('exit', () => setTimeout(end, 200, 'it ended').unref())
  child.once('close', (code, signal) => end(`it ended with ${signal ?? `exit code ${code}`}`))
  child.unref()
  ;(child.stderr as Socket).unref()
  return { pid: child.pid ?? null, failure: () => failure && [failure, ...lines()].join('\n') }
}

// Null when it did not come up; the reason is then in server.failure().
export async function waitUntilReady(
  folder: PostgresFolder,
  server: StartedServer,
  isOver: () => boolean,
): Promise<number | null> {
  while (!server.failure() && !isOver()) {
    const found = await findPostmaster(folder)
    if (found?.status === 'ready' && found.pid === server.pid) return found.pid
    await sleep(POLL_MS)
  }
  return null
}
