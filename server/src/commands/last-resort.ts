// The last handler: what nothing else caught is logged once, what is under way may end, and the process ends.
import type { Log } from './open-context.ts'

/** What is in memory may be wrong by then: time for the requests under way, no more. */
const PATIENCE_MS = 5_000

/** Invariant: from the first fault on the process ends with code 1, whatever fails or hangs after it. */
export function catchTheRest(log: Log, end: () => void): void {
  let isEnding = false
  const handle = (fault: unknown) => {
    if (isEnding) return
    isEnding = true
    process.exitCode = 1
    setTimeout(() => process.exit(1), PATIENCE_MS)
    try {
      log.fatal({ err: asError(fault) }, 'an error that nothing caught; the process ends')
      end()
    } catch {
      process.exit(1)
    }
  }
  process.on('uncaughtException', handle).on('unhandledRejection', handle)
}

/** An object that is no error may hold anything, so its kind alone is told. */
function asError(fault: unknown): Error {
  if (fault instanceof Error) return fault
  return new Error(typeof fault === 'string' ? fault : `what was thrown is of type ${typeof fault}`)
}
