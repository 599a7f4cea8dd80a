// Lays out the data folder so that PostgreSQL can live in it, also when we are root and it is not.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmod,
  chown,
  lchown,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { PostgresBinaries } from './postgres-binaries.ts'
import { isProcessAlive, readStartTime } from './postgres-owner.ts'
import { openSocketFolder, type SocketFolder } from './postgres-socket.ts'

export type Account = { uid: number; gid: number }
export type PostgresFolder = {
  root: string
  cluster: string
  run: string
  socket: SocketFolder
  // Set only when we are root: PostgreSQL refuses to run as root.
  account: Account | undefined
}

const INITDB_LIMIT_MS = 120_000
// One call for the whole file system, where there is one.
const SYNC_ALL = process.platform === 'linux' ? ['--sync-method=syncfs'] : []

// Our own environment stays out: PGDATA, PGPORT or LD_LIBRARY_PATH of the caller would change the
// server, and other languages would change the messages we recognise.
export const POSTGRES_ENVIRONMENT = {
  ...{ PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  // Memory of one statement is kept for the next: given back each time, the kernel clears it anew.
  ...{ MALLOC_TOP_PAD_: '4194304', MALLOC_TRIM_THRESHOLD_: '67108864' },
  MALLOC_MMAP_THRESHOLD_: '33554432',
}

export async function preparePostgresFolder(dataDir: string): Promise<PostgresFolder> {
  await makeFolder(dataDir)
  const root = await realpath(dataDir)
  const cluster = join(root, 'postgres')
  const owner = await findOwner(cluster)
  const account = process.getuid?.() === 0 ? await chooseAccount(owner) : undefined
  const run = join(root, 'run')
  if (account) {
    // Search permission only: the account reaches its two folders by name but lists nothing, and
    // the secrets beside them are files of root with mode 0600.
    await chmod(root, ((await stat(root)).mode & 0o777) | 0o011)
    if (owner) await refuseStranger(cluster)
    // A cluster of root's is a backup that root copied back.
    if (owner?.uid === 0) await giveTo(account, cluster)
  } else if (owner && owner.uid !== process.getuid?.()) {
    throw new Error(`${cluster} belongs to uid ${owner.uid}: run as that user or as root`)
  } else if (owner) await refuseStranger(cluster)
  await mkdir(run, { recursive: true, mode: 0o700 })
  if (account) await lchown(run, account.uid, account.gid)
  await chmod(run, 0o700)
  return { root, cluster, run, socket: await openSocketFolder(run), account }
}

// Step by step: Node's own recursive way tries for ever where nothing can be made, as below /proc.
async function makeFolder(path: string): Promise<void> {
  const fault = await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => error)
  if (!fault || (fault.code === 'EEXIST' && (await stat(path)).isDirectory())) return
  const above = dirname(path)
  if (fault.code !== 'ENOENT' || (await findOwner(above))) throw fault
  await makeFolder(above)
  await makeFolder(path)
}

// As root, keep to whoever already owns the cluster: after one `sudo` an ordinary user must still
// be able to start it.
async function chooseAccount(owner: Account | null): Promise<Account> {
  if (owner && owner.uid !== 0) return owner
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(users) ?? []
  return { uid: Number(uid ?? 65534), gid: Number(gid ?? 65534) }
}

async function findOwner(path: string): Promise<Account | null> {
  const { uid, gid } = await stat(path).catch(() => ({ uid: -1, gid: -1 }))
  return uid === -1 ? null : { uid, gid }
}

/** A folder of that name may be anybody's; a cluster appears there whole. */
async function refuseStranger(cluster: string): Promise<void> {
  const names = await readdir(cluster)
  if (names.length === 0 || names.includes('PG_VERSION')) return
  throw new Error(`${cluster} is not empty and no PostgreSQL cluster`)
}

async function giveTo(account: Account, path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await giveTo(account, join(path, entry.name))
    else await lchown(join(path, entry.name), account.uid, account.gid)
  }
  await chown(path, account.uid, account.gid)
  await chmod(path, 0o700)
}

// Where to start a program of PostgreSQL and what to call its data folder. As root on Linux the
// child enters the folder before it gives up root and then names it by /proc: so a data folder
// below a 0700 home of root works, whose path `nobody` cannot walk.
export function enterCluster(folder: PostgresFolder, cluster = folder.cluster) {
  const hidden = folder.account && process.platform === 'linux'
  return {
    dataArgument: hidden ? '/proc/self/cwd' : cluster,
    spawnOptions: { ...folder.account, cwd: cluster, env: POSTGRES_ENVIRONMENT },
  }
}

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
