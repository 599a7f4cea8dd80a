// Starts the processes that faults strike, starts them again when they end, and ends them at last.
import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Task } from './service.ts'

export type Running = {
  readonly name: string
  /** Where it listens now; 0 while it does not. */
  port(): number
  pid(): number | undefined
  signal(signal: NodeJS.Signals): void
  /** Sets the clock, `offset` milliseconds from the true one, also of what is started later. */
  setClock(offset: number): Promise<void>
  /** Resolves when it runs, at the latest when it was started anew. */
  ready(): Promise<void>
  /** Changes what the next process of this name is told. */
  tell(change: Partial<Task>): void
  /** How often it has ended by itself or by a fault. */
  deaths(): number
  /** Resolves at its next end. */
  ended(): Promise<void>
  stop(): Promise<void>
}

/** For a busy machine; nothing waits for it when all is well. */
const START_LIMIT_MS = 240_000
const PAUSE_MS = 250
/** Before it has run once; one may end by the step it was told to end at. */
const MOST_EARLY_ENDS = 3
const TAIL_CHARACTERS = 1000
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

export function startService(name: string, task: Task, log: string): Promise<Running> {
  return keep(name, log, task, told => [
    ...(told.plant === null ? [] : ['--import', new URL('plant.ts', import.meta.url).href]),
    path('service.ts'),
    JSON.stringify(told),
  ])
}

export function startReceiver(file: string, log: string): Promise<Running> {
  return keep('receiver', log, {} as Task, () => [path('receiver.ts'), file])
}

/** Where a run ends by a fault of its own, nothing of it goes on running. */
const living = new Set<Running>()
process.once('exit', () => {
  for (const one of living) one.signal('SIGKILL')
})

/** As a supervisor does it: whatever ends is started again after a short pause. */
async function keep(
  name: string,
  log: string,
  first: Task,
  args: (task: Task) => string[],
): Promise<Running> {
  const errors = openSync(log, 'a')
  let task = first
  let child: ChildProcess
  let port = 0
  let stopping = false
  const onEnd: (() => void)[] = []
  const onReady: (() => void)[] = []
  let isReady = false
  let hasRun = false
  let deaths = 0
  const lost = Promise.withResolvers<never>()

  function start(): void {
    const started = spawn(process.execPath, args(task), {
      stdio: ['ignore', 'ignore', errors, 'ipc'],
    })
    child = started
    // Only one process dies by its own hand; the next one of its name is ordinary.
    task = { ...task, dies_at: null }
    started.on('message', (said: { port?: number }) => {
      if (said.port === undefined) return
      port = said.port
      isReady = hasRun = true
      for (const tell of onReady.splice(0)) tell()
    })
    started.once('exit', () => {
      port = 0
      isReady = false
      deaths += 1
      for (const tell of onEnd.splice(0)) tell()
      if (!hasRun && deaths === MOST_EARLY_ENDS) lost.reject(new Error(tellEnds(name, deaths, log)))
      setTimeout(() => stopping || start(), PAUSE_MS)
    })
  }

  const running: Running = {
    name,
    port: () => port,
    pid: () => child.pid,
    signal: signal => void child.kill(signal),
    setClock: offset => {
      task = { ...task, offset }
      return isReady ? sendClock(child, offset) : Promise.resolve()
    },
    ready: () => (isReady ? Promise.resolve() : new Promise(resolve => void onReady.push(resolve))),
    tell: change => {
      task = { ...task, ...change }
    },
    deaths: () => deaths,
    ended: () => new Promise(resolve => void onEnd.push(resolve)),
    stop: () => {
      stopping = true
      living.delete(running)
      return end(child)
    },
  }
  living.add(running)
  start()
  await withLimit(Promise.race([running.ready(), lost.promise]), name).catch(error => {
    running.stop()
    throw error
  })
  return running
}

function sendClock(child: ChildProcess, offset: number): Promise<void> {
  return new Promise(resolve => {
    child.once('message', () => resolve())
    child.once('exit', () => resolve())
    child.send({ offset }, () => {})
  })
}

function tellEnds(name: string, ends: number, log: string): string {
  const said = readFileSync(log, 'utf8').slice(-TAIL_CHARACTERS).trim()
  return `${name} ended ${ends} times at its start: ${said}`
}

const END_LIMIT_MS = 9_000

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise(resolve => {
    child.once('exit', () => resolve())
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS).unref()
  })
}

async function withLimit(ready: Promise<void>, name: string): Promise<void> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} did not start`)), START_LIMIT_MS)
  })
  await Promise.race([ready, late]).finally(() => clearTimeout(timer))
}
