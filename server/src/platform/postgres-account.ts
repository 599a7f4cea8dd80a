// Finds accounts for PostgreSQL where we are root, which it refuses to be: one that is nobody's to run under, and for a
// moment one with a name, which initdb asks for.
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { hashToken, newToken } from './tokens.ts'

export type Account = { uid: number; gid: number }

type Known = Account & { name: string }

/** Given to nobody by distributions and systemd, and there in a container that has only 65,536 numbers. */
const UNASSIGNED = { from: 60_706, to: 61_183 }
const NOBODY = 65_534

/** Invariant: no account has this number, no group, and no process runs under it. */
export async function chooseUnassigned(): Promise<Account> {
  const groups = await readIds('/etc/group')
  const taken = new Set([...(await listUsers()), ...groups].map(one => one.uid))
  for (const uid of await listUidsInUse()) taken.add(uid)
  const free: number[] = []
  for (let uid = UNASSIGNED.from; uid <= UNASSIGNED.to; uid++) if (!taken.has(uid)) free.push(uid)
  // Any of them, so that two that start at once hardly take the same.
  const uid = free[hashToken(newToken()).readUInt32BE() % free.length]
  if (uid === undefined) throw new Error('no uid is free for PostgreSQL')
  return { uid, gid: uid }
}

/** initdb looks up its own name; whoever runs under the same account meanwhile could reach into what it makes. */
export async function chooseForInitdb(): Promise<Account> {
  const inUse = await listUidsInUse()
  const idle = (await listUsers()).filter(({ uid }) => uid !== 0 && !inUse.has(uid))
  // More programs run as nobody than as any other account.
  const [first] = idle.toSorted((a, b) => Number(a.uid === NOBODY) - Number(b.uid === NOBODY))
  if (first) return { uid: first.uid, gid: first.gid }
  throw new Error(
    'root may not run PostgreSQL, and every account of /etc/passwd has processes: ' +
      'run the service as an ordinary user',
  )
}

/** Null: nobody has this uid. */
export async function nameOfUid(uid: number): Promise<string | null> {
  return (await listUsers()).find(one => one.uid === uid)?.name ?? null
}

const listUsers = () => readIds('/etc/passwd')

/** Both files name first and then number; of a group the number stands for the uid. */
async function readIds(file: string): Promise<Known[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return [...text.matchAll(/^([^:#\n]+):[^:\n]*:(\d+):(\d*)/gm)].map(([, name, uid, gid]) => ({
    name: name!,
    uid: Number(uid),
    gid: Number(gid),
  }))
}

async function listUidsInUse(): Promise<Set<number>> {
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('ps', ['-axo', 'uid='])
    return new Set(stdout.trim().split(/\s+/).map(Number))
  }
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const uids = await Promise.all(pids.map(readUids))
  return new Set(uids.flat())
}

/** Real, effective, saved and of the file system. */
async function readUids(pid: string): Promise<number[]> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const [, ids] = /^Uid:\s+(.*)$/m.exec(status) ?? []
  return ids?.split(/\s+/).map(Number) ?? []
}
