// Decides which process on a data folder stops PostgreSQL, as a kill -9 leaves it running.
//
// <dataDir>/owner.pid names one process. Ownership is never remembered, always read: whoever the
// file names and lives is the owner, so of two processes that claim at once the last writer wins
// and the other sees it. No lock is needed, since PostgreSQL itself refuses to run twice.
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

type Owner = { pid: number; started: string | null; instance: string }

export async function isOwnedByAnother(root: string, instance: string): Promise<boolean> {
  const owner = await readOwner(root)
  if (!owner || owner.instance === instance) return false
  return isProcessAlive(owner.pid, owner.started)
}

async function isOwner(root: string, instance: string): Promise<boolean> {
  return (await readOwner(root))?.instance === instance
}

export async function claimOwnership(root: string, instance: string): Promise<void> {
  if (await isOwner(root, instance)) return
  const owner: Owner = { pid: process.pid, started: await readStartTime(process.pid), instance }
  const draft = join(root, `owner.pid.${instance}`)
  // A full disk may have left an empty draft of an earlier try.
  await rm(draft, { force: true })
  await writeFile(draft, JSON.stringify(owner), { flag: 'wx', mode: 0o644 })
  await rename(draft, join(root, 'owner.pid'))
}

export async function releaseOwnership(root: string, instance: string): Promise<void> {
  if (await isOwner(root, instance)) await rm(join(root, 'owner.pid'), { force: true })
}

async function readOwner(root: string): Promise<Owner | null> {
  const text = await readFile(join(root, 'owner.pid'), 'utf8').catch(() => '')
  try {
    const owner = JSON.parse(text) as Partial<Owner>
    if (!Number.isInteger(owner.pid) || typeof owner.instance !== 'string') return null
    return { pid: Number(owner.pid), started: owner.started ?? null, instance: owner.instance }
  } catch {
    return null
  }
}

// The start time tells a process from a later one with the same number; where it cannot be read
// (macOS), a living process of that number counts.
export async function isProcessAlive(pid: number, started: string | null): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const now = await readStartTime(pid)
  if (now === 'dead') return false
  return started === null || now === null || now === started
}

// A zombie answers kill(pid, 0) but is dead; a container whose first process reaps nothing keeps
// it for ever.
export async function readStartTime(pid: number): Promise<string | 'dead' | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name of the program stands in parentheses and may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return 'dead'
  return fields[19] ?? null
}
