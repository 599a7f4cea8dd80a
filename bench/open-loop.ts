// Load at a fixed pace, whether or not earlier requests are answered; every answer is kept with its status and its time.
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { open, readAnswers, type Target } from './load.ts'
import { quantile } from './rounds.ts'

/** `status` is 0 where none came; `at` is when the request was due, in ms from the first. */
export type Answered = { at: number; ms: number; status: number; retry: boolean }

export type Pace = {
  target: Target
  rate: number
  seconds: number
  /** The bytes of the next request. */
  next(): string
}

type Line = { socket: Socket; answer(): Promise<string>; since: number }
/** A server closes a line that says nothing for long; one that has rested for half of that is not used again. */
const MOST_REST_MS = 30_000
const MOST_LINES = 12_000
const TICK_MS = 4

export async function sendPaced({ target, rate, seconds, next }: Pace): Promise<Answered[]> {
  const [idle, running, answers]: [Line[], Promise<void>[], Answered[]] = [[], [], []]
  const start = performance.now()
  let lines = 0

  async function ask(at: number): Promise<void> {
    const began = performance.now()
    const line = takeRested(idle) ?? (await openLine(target).catch(() => null))
    const note = (text: string) => {
      const status = Number(text.slice(9, 12))
      const retry = /\r\nretry-after: \d+\r\n/i.test(text)
      answers.push({ at, ms: performance.now() - began, status, retry })
    }
    if (!line) return note('')
    line.socket.write(next())
    const text = await line.answer()
    note(text)
    if (text === '') lines--
    else idle.push({ ...line, since: performance.now() })
  }

  for (let sent = 0; sent < rate * seconds; ) {
    const due = Math.min(rate * seconds, ((performance.now() - start) * rate) / 1000)
    for (; sent < due; sent++) {
      if (idle.length === 0 && ++lines > MOST_LINES) throw new Error('too many lines are open')
      running.push(ask((sent * 1000) / rate))
    }
    await sleep(TICK_MS)
  }
  await Promise.all(running)
  for (const { socket } of idle) socket.destroy()
  return answers
}

/** The last used; those that were not used for long are closed. */
function takeRested(idle: Line[]): Line | undefined {
  const line = idle.pop()
  if (!line || performance.now() - line.since < MOST_REST_MS) return line
  for (const { socket } of [line, ...idle.splice(0)]) socket.destroy()
  return undefined
}

async function openLine(target: Target): Promise<Line> {
  const socket = await open(target)
  return { socket, answer: readAnswers(socket), since: performance.now() }
}

export const isGood = ({ status }: Answered) => status >= 200 && status < 300
export const isRefused = ({ status, retry }: Answered) =>
  (status === 429 || status === 503) && retry

/** The part of the answers that took no longer than this, in ms; 0 where there are none. */
export function slowest(answers: readonly Answered[], share: number): number {
  if (answers.length === 0) return 0
  return quantile(
    answers.map(one => one.ms),
    share,
  )
}
