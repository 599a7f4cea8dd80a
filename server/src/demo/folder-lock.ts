// One process at a time does something to a data folder: a file names who does, and one whose maker is dead is void.
import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { isProcessAlive, readStartTime } from '../platform/postgres-owner.ts'

const PAUSE_MS = 50

/** Waits for its turn and returns what gives the turn up. */
export async function lockFolder(path: string): Promise<() => Promise<void>> {
  const draft = `${path}.${randomUUID()}`
  const maker = { pid: process.pid, started: await readStartTime(process.pid) }
  // Invariant: a lock appears by one link, complete with its maker's name.
  await writeFile(draft, JSON.stringify(maker), { mode: 0o600 })
  try {
    while (!(await take(draft, path))) {
      if (!(await removeDead(path))) await sleep(PAUSE_MS)
    }
  } finally {
    await rm(draft, { force: true })
  }
  return () => rm(path, { force: true })
}

async function take(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Moved aside before it is removed: of several that find it dead, one moves it, and sees what it moved. */
async function removeDead(path: string): Promise<boolean> {
  const seen = await readFile(path, 'utf8').catch(() => '')
  if (seen === '' || (await isMakerAlive(seen))) return false
  const aside = `${path}.${randomUUID()}`
  await rename(path, aside).catch(() => {})
  const moved = await readFile(aside, 'utf8').catch(() => '')
  if (moved !== '' && moved !== seen) await link(aside, path).catch(() => {})
  await rm(aside, { force: true })
  return moved === seen
}

async function isMakerAlive(text: string): Promise<boolean> {
  try {
    const { pid, started } = JSON.parse(text) as { pid: number; started: string | null }
    return await isProcessAlive(pid, started)
  } catch {
    return false
  }
}
