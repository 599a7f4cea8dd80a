// Makes the cluster of a data folder that has none yet: whole, or not at all.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PostgresBinaries } from './postgres-binaries.ts'
import { enterCluster, type PostgresFolder } from './postgres-folder.ts'
import { isProcessAlive, readStartTime } from './postgres-owner.ts'

const INITDB_LIMIT_MS = 120_000
// One call for the whole file system, where there is one.
const SYNC_ALL = process.platform === 'linux' ? ['--sync-method=syncfs'] : []

// Invariant: <dataDir>/postgres appears by one rename, complete with its database. A kill in the
// middle, or two processes at once, leaves no half-made cluster.
export async function createCluster(
  folder: PostgresFolder,
  binaries: PostgresBinaries,
  disposable: boolean,
): Promise<void> {
  const marker = await stat(join(folder.cluster, 'PG_VERSION')).catch(() => null)
  if (marker) return
  await removeAbandoned(folder.root)
  const maker = `${process.pid}-${(await readStartTime(process.pid)) ?? 0}`
  const draft = join(folder.root, `postgres.init-${maker}-${randomBytes(4).toString('hex')}`)
  try {
    await mkdir(draft, { mode: 0o700 })
    if (folder.account) await chown(draft, folder.account.uid, folder.account.gid)
    await fillCluster(folder, draft, binaries, disposable)
    await rename(draft, folder.cluster).catch(ignoreLostRace)
    await syncFolder(folder.root)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function fillCluster(
  folder: PostgresFolder,
  draft: string,
  binaries: PostgresBinaries,
  disposable: boolean,
): Promise<void> {
  const { dataArgument, spawnOptions } = enterCluster(folder, draft)
  const options = { ...spawnOptions, timeout: INITDB_LIMIT_MS, killSignal: 'SIGKILL' as const }
  // `trust` on a socket in a 0700 folder: only this uid and root get there, and both could read
  // the data files or a password file anyway, so a password would lock nobody out.
  await run(binaries.initdb, [
    ['-D', dataArgument, '--username=bellwether', '--encoding=UTF8', '--data-checksums'],
    ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ['--auth-local=trust', '--auth-host=reject', '--no-instructions', '--no-sync'],
  ])
  const single = ['--single', '-D', dataArgument, '-c', 'exit_on_error=on', '-c', 'fsync=off']
  await run(binaries.postgres, [[...single, 'postgres']], 'CREATE DATABASE bellwether;\n')
  // Once at the end: each step would wait for the disk a thousand times, file by file.
  if (!disposable) await run(binaries.initdb, [['--sync-only', '-D', dataArgument, ...SYNC_ALL]])

  async function run(file: string, args: string[][], input = '') {
    const running = promisify(execFile)(file, args.flat(), options)
    // Without a listener, a program that ends before it reads would end us with EPIPE.
    running.child.stdin?.on('error', () => {}).end(input)
    await running.catch((error: Error & { stderr?: string }) => {
      throw new Error(error.stderr?.trim().slice(-1000) || error.message)
    })
  }
}

function ignoreLostRace(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
}

async function removeAbandoned(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const [, pid, started] = /^postgres\.init-(\d+)-(\d+)-/.exec(name) ?? []
    if (pid && !(await isProcessAlive(Number(pid), started === '0' ? null : (started ?? null)))) {
      await rm(join(root, name), { recursive: true, force: true })
    }
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}
