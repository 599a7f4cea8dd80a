// Runs the PostgreSQL that comes with Bellwether, so that a fresh machine needs no database server.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts'
import { createCluster } from './postgres-cluster.ts'
import {
  findAccount,
  giveRun,
  type PostgresFolder,
  preparePostgresFolder,
} from './postgres-folder.ts'
import type { Log } from './postgres-log.ts'
import { claimOwnership, isOwnedByAnother, releaseOwnership } from './postgres-owner.ts'
import { answers, endPostmaster, findPostmaster, removeStaleLocks } from './postgres-process.ts'
import { POLL_MS, type StartedServer, spawnPostmaster, waitUntilReady } from './postgres-server.ts'
import { SOCKET_PORT } from './postgres-socket.ts'

export type PostgresAddress = {
  // The folder of the unix socket.
  host: string
  port: number
  user: string
  database: string
  password: string
}

export type EmbeddedPostgres = {
  address: PostgresAddress
  pid(): number | null
  stop(): Promise<void>
}

export type EmbeddedPostgresOptions = {
  dataDir: string
  log: Log
  settings?: Record<string, string>
  onRestart?: () => void
}

type Launch = {
  folder: PostgresFolder
  options: EmbeddedPostgresOptions
  instance: string
  binaries: PostgresBinaries | null
  server: StartedServer | null
  pid: number | null
  stopping: boolean
  // Aborted to end a pause early: the server ended, or stop() was called.
  wake: AbortController
}

// Left-overs of a kill -9 end, and another owner brings its server back, within this time.
const PATIENCE_MS = 15_000
// Recovery after a crash reads up to max_wal_size again.
const RECOVERY_LIMIT_MS = 300_000
const WATCH_MS = 1_000
const FIRST_BACKOFF_MS = 100
const LONGEST_BACKOFF_MS = 5_000
const STEADY_MS = 30_000
const NO_MEMORY = /could not (?:map|resize|create|open) .*shared memory/
const GIVE_MEMORY =
  'The system gives it too little shared memory: /dev/shm needs some megabytes (docker: --shm-size)'
const GIVE_FOLDER =
  'BELLWETHER_DATA_DIR must name a folder with free space that this user can write'
const LOCKED = /lock file .* already exists|shared memory block .* still in use/

export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const launch = await startFirstTime(options).catch((error: Error) => {
    throw new Error(
      `cannot start the embedded PostgreSQL in ${options.dataDir}: ${error.message}\n` +
        `${NO_MEMORY.test(error.message) ? GIVE_MEMORY : GIVE_FOLDER}; ` +
        'DATABASE_URL names a PostgreSQL server of your own instead.',
      { cause: error },
    )
  })
  const supervision = supervise(launch)
  let stopped: Promise<void> | null = null
  const { password, socket } = launch.folder
  const place = { host: socket.host, port: SOCKET_PORT, database: 'bellwether' }
  return {
    address: { ...place, user: 'bellwether', password },
    pid: () => launch.pid,
    stop: () => {
      stopped ??= stop(launch, supervision)
      return stopped
    },
  }
}

async function startFirstTime(options: EmbeddedPostgresOptions): Promise<Launch> {
  const folder = await preparePostgresFolder(options.dataDir)
  const launch: Launch = {
    folder,
    options,
    instance: randomUUID(),
    binaries: null,
    server: null,
    pid: null,
    stopping: false,
    wake: new AbortController(),
  }
  try {
    await bringUp(launch, true)
  } catch (error) {
    await stop(launch, Promise.resolve()).catch(() => {})
    throw error
  }
  return launch
}

// Attaches to the server that runs on this folder or starts one; every way out is bounded.
async function bringUp(launch: Launch, mayCreate: boolean): Promise<void> {
  const { folder, instance } = launch
  const began = performance.now()
  launch.pid = null
  while (!launch.stopping) {
    const impatient = performance.now() - began > PATIENCE_MS
    const found = await findPostmaster(folder)
    if (found?.status === 'ready' && (await answers(folder))) return useServer(launch, found.pid)
    if (found) {
      if (performance.now() - began > RECOVERY_LIMIT_MS)
        throw new Error(`it is still ${found.status}`)
    } else if (impatient || !(await isOwnedByAnother(folder.root, instance))) {
      const pid = await startServer(launch, mayCreate, began)
      if (pid) return useServer(launch, pid)
      if (impatient) throw new Error(launch.server?.failure() ?? 'it does not start')
    }
    await sleep(POLL_MS * 2)
  }
}

// A server whose owner was killed has no owner any more: it becomes ours, and stop() ends it.
async function useServer(launch: Launch, pid: number): Promise<void> {
  const { folder, instance } = launch
  if (!(await isOwnedByAnother(folder.root, instance))) await claimOwnership(folder.root, instance)
  launch.pid = pid
}

// Null means: left-overs of an earlier server are in the way, try again.
async function startServer(
  launch: Launch,
  mayCreate: boolean,
  began: number,
): Promise<number | null> {
  const { folder, options } = launch
  await claimOwnership(folder.root, launch.instance)
  const chosen = await findAccount(folder)
  launch.binaries ??= await findPostgresBinaries(folder.root, chosen)
  // Only in the first start: if the files vanish later, an empty database in their place would
  // look like success.
  if (mayCreate)
    await createCluster(folder, chosen, launch.binaries, options.settings?.fsync === 'off')
  // Another process may have been faster, and have chosen another.
  const account = await findAccount(folder)
  await giveRun(folder, account)
  const wake = new AbortController()
  launch.wake = wake
  const settings = options.settings ?? {}
  const onExit = () => wake.abort()
  const server = spawnPostmaster(folder, account, launch.binaries, settings, options.log, onExit)
  launch.server = server
  const isOver = () => launch.stopping || performance.now() - began > RECOVERY_LIMIT_MS
  const pid = await waitUntilReady(folder, server, isOver)
  if (pid || launch.stopping) return pid
  // The copy of the programs may have been swept from the temp folder: look again next time.
  launch.binaries = null
  const failure = server.failure() ?? 'it is not ready yet'
  if (!LOCKED.test(failure)) throw new Error(failure)
  const removed = await removeStaleLocks(folder)
  options.log.warn({ removed }, 'an earlier PostgreSQL left locks on the data folder')
  await sleep(removed ? 0 : FIRST_BACKOFF_MS)
  return null
}

async function supervise(launch: Launch): Promise<void> {
  const { log, onRestart } = launch.options
  let backoff = FIRST_BACKOFF_MS
  while (!launch.stopping) {
    const since = performance.now()
    await waitUntilLost(launch)
    if (performance.now() - since > STEADY_MS) backoff = FIRST_BACKOFF_MS
    const postgres_pid = launch.pid
    if (!launch.stopping) log.warn({ postgres_pid }, 'PostgreSQL is gone, starting it again')
    launch.pid = null
    while (!launch.stopping && launch.pid === null) {
      launch.wake = new AbortController()
      await pause(launch, backoff)
      backoff = Math.min(backoff * 2, LONGEST_BACKOFF_MS)
      await bringUp(launch, false).catch(error =>
        log.error({ err: error }, 'PostgreSQL does not start'),
      )
    }
    if (launch.stopping) return
    log.info({ postgres_pid: launch.pid }, 'PostgreSQL runs again')
    try {
      onRestart?.()
    } catch (error) {
      log.error({ err: error }, 'the listener for a restart of PostgreSQL failed')
    }
  }
}

// Cheap on purpose: one small file and one stat a second. It also sees a server that another
// process stopped or replaced, and takes over one whose owner died.
async function waitUntilLost(launch: Launch): Promise<void> {
  const { folder, options } = launch
  while (!launch.stopping) {
    await pause(launch, WATCH_MS)
    if (launch.stopping) return
    // An end wakes us once: it may be that of a server of ours that lost the race for the folder.
    if (launch.wake.signal.aborted) launch.wake = new AbortController()
    try {
      const found = await findPostmaster(folder)
      if (!found || found.pid !== launch.pid) return
      await folder.socket.keep()
      await useServer(launch, found.pid)
    } catch (error) {
      options.log.warn({ err: error }, 'cannot look after PostgreSQL')
    }
  }
}

// Unreferenced, so that looking after the server keeps no process alive.
async function pause(launch: Launch, milliseconds: number): Promise<void> {
  const { signal } = launch.wake
  await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => {})
}

async function stop(launch: Launch, supervision: Promise<void>): Promise<void> {
  const { folder, instance } = launch
  launch.stopping = true
  launch.wake.abort()
  await supervision
  launch.pid = null
  if (!(await isOwnedByAnother(folder.root, instance))) {
    await endPostmaster(folder, launch.server?.failure() ? null : (launch.server?.pid ?? null))
    await releaseOwnership(folder.root, instance)
  }
  await folder.socket.close()
}
