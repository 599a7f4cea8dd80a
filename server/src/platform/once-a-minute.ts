// What is told at most once a minute, however often it happens: so that a flood of it fills no disk.
import { type Clock, MINUTE } from './clock.ts'

const MOST_A_MINUTE = 100

/** True for the first of its kind in a minute. */
export function createOnceAMinute(clock: Clock): (what: string) => boolean {
  const told = new Set<string>()
  let minute = 0
  return what => {
    const now = Math.floor(clock.now() / MINUTE)
    if (now !== minute) told.clear()
    minute = now
    if (told.has(what) || told.size >= MOST_A_MINUTE) return false
    told.add(what)
    return true
  }
}
