// What would be said again and again is said once a minute, so that no outage and no flood fills a disk with its log.
import { type Clock, MINUTE } from './clock.ts'
import { isOfOneWork, sayCause } from './database-errors.ts'
import { isUnavailable } from './errors.ts'

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

/** While the database is away all work fails in the same way, several times a second; any other fault is told each time. */
export function createOutageFilter(clock: Clock): (what: string, error: unknown) => boolean {
  const isFirst = createOnceAMinute(clock)
  return (what, error) => {
    if (!isUnavailable(error)) return true
    const reason = sayCause(error as Error)
    return isFirst(reason === null || isOfOneWork(error) ? `${what} ${reason}` : reason)
  }
}
