// Puts a folder that is whole in the place of another in single steps, however many do it at once.
import { renameSync, rmSync } from 'node:fs'

const MOST_TRIES = 100
let moved = 0

/** The old one is moved aside before it is removed, so that nobody finds half of it. */
export function putInPlace(made: string, place: string): void {
  const aside = `${made}.old${++moved}`
  try {
    for (let tries = 1; ; tries++) {
      if (moves(place, aside)) rmSync(aside, { recursive: true, force: true })
      if (moves(made, place)) return
      if (tries >= MOST_TRIES) throw new Error(`${place} is being replaced by others all the time`)
    }
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

/** False where there is nothing to move, or another was put there meanwhile. */
function moves(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EPERM'].includes(code ?? '')) return false
    throw error
  }
}
