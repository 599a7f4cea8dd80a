// Lays out the data folder so that PostgreSQL can live in it, also when we are root and it is not.
import { chmod, lchown, mkdir, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Account, chooseUnassigned, nameOfUid } from './postgres-account.ts'
import { openSocketFolder, type SocketFolder } from './postgres-socket.ts'
import { readOrMakeSecret } from './secrets.ts'

export type PostgresFolder = {
  root: string
  cluster: string
  run: string
  socket: SocketFolder
  password: string
}

/** In the data folder. */
export const CLUSTER = 'postgres'
const PASSWORD = 'postgres.password'

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

const isRoot = () => process.getuid?.() === 0

export async function preparePostgresFolder(dataDir: string): Promise<PostgresFolder> {
  await makeFolder(dataDir)
  const root = await realpath(dataDir)
  const [cluster, run, password] = [join(root, CLUSTER), join(root, 'run'), join(root, PASSWORD)]
  const owner = await findOwner(cluster)
  if (owner) await refuseStranger(cluster, owner, password)
  // Search permission only: the account reaches its two folders by name but lists nothing, and
  // the secrets beside them are files of root with mode 0600.
  if (isRoot()) await chmod(root, ((await stat(root)).mode & 0o777) | 0o011)
  await mkdir(run, { recursive: true, mode: 0o700 })
  // Invariant: it is there before the cluster, so that of two processes at once both have the same.
  const secret = readOrMakeSecret(password)
  return { root, cluster, run, socket: await openSocketFolder(run), password: secret }
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

/** The account that PostgreSQL has to run under: the owner of the cluster; undefined means ours. */
export async function findAccount({ cluster }: PostgresFolder): Promise<Account | undefined> {
  if (!isRoot()) return undefined
  return (await findOwner(cluster)) ?? chooseUnassigned()
}

/** The folder of the socket is the account's alone. */
export async function giveRun({ run }: PostgresFolder, account: Account | undefined) {
  if (account) await lchown(run, account.uid, account.gid)
  await chmod(run, 0o700)
}

async function findOwner(path: string): Promise<Account | null> {
  const { uid, gid } = await stat(path).catch(() => ({ uid: -1, gid: -1 }))
  return uid === -1 ? null : { uid, gid }
}

/** A folder of that name may be anybody's; a cluster appears there whole, with its password beside it. */
async function refuseStranger(cluster: string, owner: Account, password: string): Promise<void> {
  if (!isRoot() && owner.uid !== process.getuid?.())
    throw new Error(`${cluster} belongs to uid ${owner.uid}: run as that user or as root`)
  const names = await readdir(cluster)
  if (names.length === 0) return
  if (!names.includes('PG_VERSION'))
    throw new Error(`${cluster} is not empty and is no PostgreSQL cluster`)
  const keeper = await findOwner(password)
  if (!keeper) throw new Error(`${cluster} has no ${PASSWORD} beside it: ${NO_PASSWORD}`)
  // What an ordinary user made stays theirs, also where root starts it once.
  const isOwn = owner.uid === keeper.uid && owner.uid !== 0
  const name = isOwn || !isRoot() ? null : await nameOfUid(owner.uid)
  if (name === null) return
  const { uid } = await chooseUnassigned()
  throw new Error(
    `${cluster} belongs to ${name}, whose processes could reach the data; give it a uid of its own: ` +
      `chown -R ${uid}:${uid} ${cluster}`,
  )
}

const NO_PASSWORD =
  'put the file back; if an earlier form of this program made the cluster, back it up with that one and ' +
  'restore a backup into a new data folder'

// Where to start a program of PostgreSQL and what to call its data folder. As root on Linux the
// child enters the folder before it gives up root and then names it by /proc: so a data folder
// below a 0700 home of root works, whose path the account cannot walk.
export function enterCluster(cluster: string, account: Account | undefined) {
  const hidden = account && process.platform === 'linux'
  return {
    dataArgument: hidden ? '/proc/self/cwd' : cluster,
    spawnOptions: { ...account, cwd: cluster, env: POSTGRES_ENVIRONMENT },
  }
}
