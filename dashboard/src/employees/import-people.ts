// Creates the people of a file, some at a time, and tells how far it has come.
import { CallError, call } from '../app/call-api.ts'
import { lookAfter } from '../app/query-client.ts'
import { newKey } from '../app/repeat-key.ts'
import { secondsToSpare } from '../app/request-budget.ts'
import type { EmployeeBatchResult } from '../generated/api.ts'
import { sentence } from '../ui/sentence.ts'
import type { ReadLine } from './read-people.ts'

export type LineLeft = { line: number; email: string; kind: 'present' | 'refused'; why: string }
export type LineOutcome = { line: number; email: string; kind: 'created'; id: string } | LineLeft

/** So many draw one request of the minute. */
const AT_ONCE = 100
const MOST_WAITS = 5

/** Of requests whose answer never came, by their first line: the key by which they are the same request still. */
const unheard = new WeakMap<ReadLine, string>()

/** Answers why it stopped by itself, and of whom it is not known. Lines without an outcome are still to be done. */
export async function importPeople(
  lines: readonly ReadLine[],
  tell: (outcomes: readonly LineOutcome[]) => void,
  stop: AbortSignal,
): Promise<string | null> {
  const outcomes: LineOutcome[] = []
  for (let from = 0; from < lines.length; from += AT_ONCE) {
    const some = lines.slice(from, from + AT_ONCE)
    await pause(secondsToSpare(), stop)
    const answer = stop.aborted ? null : await createSome(some, stop)
    if (!answer || typeof answer === 'string') return sayEnd(answer, some)
    outcomes.push(...answer.data.map((item, i) => readItem(item, some[i]!)))
    tell([...outcomes])
  }
  return null
}

/**
 * Words where it is no use to go on now, null where it was stopped. Asked for once more after a lost answer, the
 * same people are the same request: nobody is refused as already there.
 */
async function createSome(
  lines: readonly ReadLine[],
  stop: AbortSignal,
): Promise<EmployeeBatchResult | string | null> {
  const employees = lines.map(({ person }) => person)
  const first = lines[0]!
  const idempotency_key = unheard.get(first) ?? newKey()
  for (let waits = 0; ; waits++) {
    try {
      const answer = await call('POST /v1/employees/batch', {
        body: { employees },
        idempotency_key,
      })
      unheard.delete(first)
      return answer
    } catch (error) {
      if (isOpen(error)) unheard.set(first, idempotency_key)
      const wait = waits < MOST_WAITS ? secondsToWait(error, waits) : null
      if (wait === null) {
        lookAfter(error)
        return sayHalt(error)
      }
      await pause(wait, stop)
      if (stop.aborted) return null
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

/** Null: asking again would change nothing. */
function secondsToWait(error: unknown, waits: number): number | null {
  if (!(error instanceof CallError)) return null
  if (error.status === 429) return error.retry_after
  return isOpen(error) ? 2 ** waits : null
}

/** It may be done or not. */
const isOpen = (error: unknown): boolean =>
  error instanceof CallError && (error.status === 0 || error.status >= 500)

function sayEnd(halt: string | null, lines: readonly ReadLine[]): string | null {
  const [first, last] = [lines[0]!, lines.at(-1)!]
  if (!unheard.has(first)) return halt
  const which = first === last ? `line ${first.line}` : `lines ${first.line} to ${last.line}`
  const unknown = `Whether ${which} came in is not known. Go on to learn it: nobody is created twice.`
  return halt === null ? unknown : `${halt} ${unknown}`
}

function sayHalt(error: unknown): string {
  if (!(error instanceof CallError)) return String(error)
  if (error.code === 'ELSEWHERE')
    return 'Another window went on elsewhere. Switch back there, then go on here.'
  if (error.status === 401)
    return 'Your session had ended. Log in again in another window, then go on here.'
  if (isOpen(error)) return 'The service does not answer.'
  return sentence(error.message)
}

function readItem(
  { employee, error }: EmployeeBatchResult['data'][number],
  { line, person: { email } }: ReadLine,
): LineOutcome {
  if (employee) return { line, email, kind: 'created', id: employee.id }
  const { code = '', message = '', details } = error ?? {}
  const present = code === 'CONFLICT' && / exists already$/.test(message)
  const faults = details?.map(fault => `${fault.path} ${fault.message}`)
  return {
    line,
    email,
    kind: present ? 'present' : 'refused',
    why: faults?.join('; ') ?? message,
  }
}
