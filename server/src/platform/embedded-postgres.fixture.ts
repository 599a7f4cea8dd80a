// Starts and ends the real processes that the tests of the embedded server are made of.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach } from 'vitest'
import { PATIENCE_MS } from '../../test/patience.ts'
import { type PostgresAddress, startEmbeddedPostgres } from './embedded-postgres.ts'
import { openPool } from './pool.ts'

export const isRoot = process.getuid?.() === 0
export const NOBODY = 65534
export const HERE = import.meta.dirname
export const log = { info() {}, warn() {}, error() {} }
export const settings = { fsync: 'off', shared_buffers: '16MB' }
export const cleanups: (() => Promise<unknown> | unknown)[] = []

/** To be called by each file: its tests leave nothing behind. */
export function cleanUpAfterEach(): void {
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })
}

export async function makeFolder(parent = tmpdir()): Promise<string> {
  const base = await mkdtemp(join(parent, 'bw-test-'))
  await chmod(base, 0o755)
  cleanups.push(() => rm(base, { recursive: true, force: true }))
  return base
}

export async function start(dataDir: string, onRestart = () => {}) {
  const server = await startEmbeddedPostgres({ dataDir, log, settings, onRestart })
  cleanups.push(() => server.stop())
  return server
}

// Runs statements on a connection of their own, as after a restart the old ones are dead.
export async function query(address: PostgresAddress, ...statements: string[]) {
  const sql = openPool({ address, max: 1 })
  try {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = await sql.unsafe(statement)
    return rows
  } finally {
    await sql.end()
  }
}

export async function eventually(what: string, check: () => Promise<boolean> | boolean) {
  const deadline = Date.now() + PATIENCE_MS
  while (Date.now() < deadline) {
    if (await check()) return
    await sleep(20)
  }
  throw new Error(`not within ${PATIENCE_MS} ms: ${what}`)
}

export async function writeLock(dataDir: string, pid: number | null | undefined) {
  const lock = join(dataDir, 'postgres/postmaster.pid')
  await writeFile(lock, `${pid}\n/x\n1\n5432\n../run\n\n  1  1\nready\n`)
  if (!isRoot) return
  const { uid, gid } = await stat(join(dataDir, 'postgres'))
  await chown(lock, uid, gid)
}

export function isGone(pid: number | null): boolean {
  return !existsSync(`/proc/${pid}/cwd`)
}

const CHILD = `
  const { startEmbeddedPostgres } = await import(process.argv[2])
  const log = { info() {}, warn() {}, error() {} }
  const settings = ${JSON.stringify(settings)}
  const server = await startEmbeddedPostgres({ dataDir: process.argv[1], log, settings })
  console.log(JSON.stringify({ pid: server.pid(), address: server.address }))
  process.stdin.once('data', () => server.stop().then(() => process.exit(0)))
`

type Other = { child: ChildProcess; pid: number; address: PostgresAddress }

export async function startInOtherProcess(dataDir: string, how: SpawnOptions = {}, code = HERE) {
  const args = ['--input-type=module', '-e', CHILD, dataDir, join(code, 'embedded-postgres.ts')]
  const child = spawn(process.execPath, args, {
    cwd: '/',
    ...how,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  cleanups.push(() => end(child, 'SIGKILL'))
  for await (const line of createInterface(child.stdout))
    return { child, ...JSON.parse(line) } as Other
  throw new Error('the other process did not start PostgreSQL')
}

export async function end(child: ChildProcess, how: 'stop' | 'SIGKILL') {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  if (how === 'stop') child.stdin?.write('stop\n')
  else child.kill(how)
  await ended
}
