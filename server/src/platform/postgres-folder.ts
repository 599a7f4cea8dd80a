// Lays out the data folder so that PostgreSQL can live in it, also when we are root and it is not.
import { chmod, chown, lchown, mkdir, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
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

/** In the data folder. */
export const CLUSTER = 'postgres'

// Our own environment stays out: PGDATA, PGPORT or LD_LIBRARY_PATH of the caller would change the
// server, and other languages would change the messages we recognise.
export const POSTGRES_ENVIRONMENT = {
  PATH: '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
  // Memory of one statement is kept for the next: given back each time, the kernel clears it anew.
  MALLOC_TOP_PAD_: '4194304',
  MALLOC_TRIM_THRESHOLD_: '67108864',
  MALLOC_MMAP_THRESHOLD_: '33554432',
}

export async function preparePostgresFolder(dataDir: string): Promise<PostgresFolder> {
  await makeFolder(dataDir)
  const root = await realpath(dataDir)
  const cluster = join(root, CLUSTER)
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
  throw new Error(`${cluster} is not empty and is no PostgreSQL cluster`)
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
