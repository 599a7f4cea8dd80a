// Makes the cluster of a data folder that has none yet: whole, or not at all.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, lchown, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Account, chooseForInitdb } from './postgres-account.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'
import { enterCluster, type PostgresFolder } from './postgres-folder.ts'
import { isProcessAlive, readStartTime } from './postgres-owner.ts'
import { PASSWORD_SETTINGS } from './postgres-server.ts'

const INITDB_LIMIT_MS = 120_000
// One call for the whole file system, where there is one.
const SYNC_ALL = process.platform === 'linux' ? ['--sync-method=syncfs'] : []

// Invariant: everybody is asked for the password, and nothing of it depends on an account of the system.
const HBA = 'local all all scram-sha-256\n'

// Invariant: <dataDir>/postgres appears by one rename, complete with its database. A kill in the
// middle, or two processes at once, leaves no half-made cluster.
export async function createCluster(
  folder: PostgresFolder,
  account: Account | undefined,
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
    await fillCluster(draft, account && (await chooseForInitdb()), binaries, folder.password)
    await writeFile(join(draft, 'pg_hba.conf'), HBA)
    if (account) await giveTo(account, draft)
    // Once at the end: each step would wait for the disk a thousand times, file by file.
    if (!disposable) await runIn(draft, account, binaries.initdb, ['--sync-only', ...SYNC_ALL])
    await rename(draft, folder.cluster).catch(ignoreLostRace)
    await syncFolder(folder.root)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** `maker` has a name, which these two programs ask for; the server itself does without. */
async function fillCluster(
  draft: string,
  maker: Account | undefined,
  binaries: PostgresBinaries,
  password: string,
): Promise<void> {
  if (maker) await chown(draft, maker.uid, maker.gid)
  await runIn(draft, maker, binaries.initdb, [
    ...['--username=bellwether', '--encoding=UTF8', '--data-checksums'],
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...['--auth=reject', '--no-instructions', '--no-sync'],
  ])
  // A statement that fails would be quoted, password and all.
  const quiet = { log_min_error_statement: 'panic', exit_on_error: 'on', fsync: 'off' }
  const settings = Object.entries({ ...quiet, ...PASSWORD_SETTINGS })
  const flags = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // On its input, as arguments can be read by everybody.
  const statements = `ALTER ROLE bellwether PASSWORD '${password}';\nCREATE DATABASE bellwether;\n`
  const single = ['--single', ...flags, 'postgres']
  await runIn(draft, maker, binaries.postgres, single, statements)
}

async function runIn(
  draft: string,
  account: Account | undefined,
  file: string,
  args: string[],
  input = '',
): Promise<void> {
  const { dataArgument, spawnOptions } = enterCluster(draft, account)
  const options = { ...spawnOptions, timeout: INITDB_LIMIT_MS, killSignal: 'SIGKILL' as const }
  const [first, ...rest] = args
  const all = [first!, '-D', dataArgument, ...rest]
  const running = promisify(execFile)(file, all, options)
  // Without a listener, a program that ends before it reads would end us with EPIPE.
  running.child.stdin?.on('error', () => {}).end(input)
  await running.catch((error: Error & { stderr?: string }) => {
    throw new Error(error.stderr?.trim().slice(-1000) || error.message)
  })
}

async function giveTo(account: Account, path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await giveTo(account, join(path, entry.name))
    else await lchown(join(path, entry.name), account.uid, account.gid)
  }
  await chown(path, account.uid, account.gid)
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
