// Creates the people of a file one after another, a few at a time, and tells how far it has come.
import { CallError, call, isLost } from '../app/call-api.ts'
import { newKey } from '../app/repeat-key.ts'
import { secondsToSpare } from '../app/request-budget.ts'
import { sentence } from '../ui/sentence.ts'
import type { ReadLine } from './read-people.ts'

export type LineLeft = {
  line: number
  email: string
  kind: 'present' | 'refused' | 'unknown'
  why: string
}
export type LineOutcome = { line: number; email: string; kind: 'created'; id: string } | LineLeft

const AT_ONCE = 4
const MOST_WAITS = 5

/** Answers why it stopped by itself: nobody may go on, whatever a line says. The rest waits. */
export async function importPeople(
  lines: readonly ReadLine[],
  tell: (outcomes: readonly LineOutcome[]) => void,
  stop: AbortController,
): Promise<string | null> {
  const outcomes: LineOutcome[] = []
  let halt: string | null = null
  const waiting = [...lines]
  const work = async () => {
    for (;;) {
      await pause(secondsToSpare(), stop.signal)
      const next = stop.signal.aborted ? undefined : waiting.shift()
      if (!next) return
      const outcome = await createOne(next, stop.signal)
      if (typeof outcome === 'string') {
        halt = outcome
        return stop.abort()
      }
      outcomes.push(outcome)
      tell([...outcomes])
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return halt
}

/** Words: it was refused for who asks, so the line is still to be done. */
async function createOne(
  { line, person }: ReadLine,
  stop: AbortSignal,
): Promise<LineOutcome | string> {
  const { email } = person
  // A line whose answer was lost is not refused as already there.
  const idempotency_key = newKey()
  for (let waits = 0; ; waits++) {
    try {
      const { id } = await call('POST /v1/employees', { body: person, idempotency_key })
      return { line, email, kind: 'created', id }
    } catch (error) {
      const halt = sayHalt(error)
      if (halt !== null) return halt
      const wait = waits < MOST_WAITS && !stop.aborted ? secondsToWait(error, waits) : null
      if (wait !== null) await pause(wait, stop)
      if (wait === null || stop.aborted) {
        return { line, email, kind: kindOf(error), why: sayWhy(error) }
      }
    }
  }
}

async function pause(seconds: number, stop: AbortSignal): Promise<void> {
  if (seconds === 0 || stop.aborted) return
  await new Promise(resolve => {
    setTimeout(resolve, seconds * 1000)
    stop.addEventListener('abort', resolve, { once: true })
  })
}

function sayHalt(error: unknown): string | null {
  if (!(error instanceof CallError)) return null
  if (error.code === 'ELSEWHERE')
    return 'Another window went on elsewhere. Switch back there, then go on here.'
  if (error.status === 401)
    return 'Your session had ended. Log in again in another window, then go on here.'
  return error.status === 403 ? sentence(error.message) : null
}

function kindOf(error: unknown): LineLeft['kind'] {
  if (isOpen(error)) return 'unknown'
  const present =
    error instanceof CallError && error.status === 409 && / exists already$/.test(error.message)
  return present ? 'present' : 'refused'
}

/** A service that is busy does not say what became of an answer lost before. */
function isOpen(error: unknown): boolean {
  return isLost(error) || (error instanceof CallError && error.status >= 500)
}

/** Null: asking again would change nothing. */
function secondsToWait(error: unknown, waits: number): number | null {
  if (!(error instanceof CallError)) return null
  if (error.status === 429) return error.retry_after
  return error.status === 0 || error.status >= 500 ? 2 ** waits : null
}

function sayWhy(error: unknown): string {
  if (!(error instanceof CallError)) return String(error)
  const faults = error.faults.map(fault => `${fault.path} ${fault.message}`)
  return faults.length > 0 ? faults.join('; ') : error.message
}
