// The machine a simulation runs on: processes that can die, one statement at a time, and a clock that jumps.
import { createRequire, syncBuiltinESMExports } from 'node:module'
import type { Random } from '../../src/demo/random.ts'
import type { Context } from '../../src/platform/context.ts'
import type { Database, Tx } from '../../src/platform/database.ts'
import { isAway, isRetryable } from '../../src/platform/database-errors.ts'
import { unavailable } from '../../src/platform/errors.ts'
import { createSecrets, keyFromSetting } from '../../src/platform/secrets.ts'
import { type StepName, watchSteps } from '../../src/platform/steps.ts'
import { perform } from './statements.ts'
import { createStore, type Plants, sqlError, type Transaction, type Work } from './store.ts'
import { createTx, type Query } from './tagged.ts'

const secrets = createSecrets(keyFromSetting('of the simulation'))

export type Process = {
  readonly name: string
  readonly context: Context
  dead: boolean
}

type Pending = {
  /** Null is the COMMIT. */
  query: Query | null
  work: Work | null
  /** A lock it was refused and asks for again. */
  wants: string | null
  resolve(rows: unknown): void
  reject(error: unknown): void
}

type Session = { tx: Transaction; process: Process; queue: Pending[]; failure?: unknown }
type Sleeper = { process: Process; wake(): void }

/** What goes wrong with one statement: the connection is lost before or after it, or it fails. */
export type Mishap = 'lost' | 'unanswered' | 'failed'

export type Machine = ReturnType<typeof createMachine>

const FAILURES: Record<Mishap, [code: string, message: string] | null> = {
  lost: ['CONNECTION_CLOSED', 'connection lost'],
  failed: ['XX000', 'internal error'],
  unanswered: null,
}
const ATTEMPTS = 5

export function createMachine(start: number, plants: Plants) {
  const store = createStore(plants)
  const sessions = new Set<Session>()
  const sleepers = new Set<Sleeper>()
  const machine = {
    store,
    now: start,
    statements: 0,
    deadlocks: 0,
    /** Whose code runs now: everything until the next choice is its doing. */
    current: null as Process | null,
    onStep: (_name: StepName, _process: Process): void => {},
    /** Asked before each statement. */
    mishap: (_isCommit: boolean): Mishap | null => null,
    startProcess,
    kill,
    runnable,
    advance,
    sleepers,
    wake(sleeper: Sleeper): void {
      sleepers.delete(sleeper)
      machine.current = sleeper.process
      sleeper.wake()
    },
    isIdle: () => sessions.size === 0 && sleepers.size === 0,
  }

  function startProcess(name: string, skew: number): Process {
    const clock = { now: () => machine.now + skew }
    const log = { error() {}, warn() {}, info() {}, debug() {} }
    const process: Process = { name, dead: false, context: null as never }
    const db = {
      inTenant: transact,
      readTenant: transact,
      acrossTenants: scan,
    } as never as Database
    function transact<T>(_tenant_id: string, work: (tx: Tx) => Promise<T>): Promise<T> {
      return guarded(() => runIn(process, work))
    }
    function scan<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      return transact('', work)
    }
    const context = { db, clock, log, config: {}, secrets } as never as Context
    return Object.assign(process, { context })
  }

  /** As platform/database does it. */
  async function guarded<T>(run: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run()
      } catch (error) {
        if (isRetryable(error) && attempt < ATTEMPTS) continue
        if (isAway(error) || isRetryable(error)) {
          throw Object.assign(unavailable(), { cause: error })
        }
        throw error
      }
    }
  }

  async function runIn<T>(process: Process, work: (tx: Tx) => Promise<T>): Promise<T> {
    const session: Session = { tx: store.begin(process.name), process, queue: [] }
    if (process.dead) return new Promise(() => {})
    sessions.add(session)
    try {
      const done = await work(createTx(query => enqueue(session, query)))
      await enqueue(session, null)
      return done
    } catch (error) {
      close(session)
      throw error
    }
  }

  function enqueue(session: Session, query: Query | null): Promise<unknown> {
    return new Promise((resolve, reject) => {
      // The code of a dead process is never answered again.
      if (session.process.dead) return
      // The driver tells what broke the transaction, whatever is asked for after it.
      if (session.tx.ended) {
        return reject(session.failure ?? sqlError('25P02', 'the transaction is over'))
      }
      session.queue.push({ query, work: null, wants: null, resolve, reject })
    })
  }

  function close(session: Session): void {
    store.rollback(session.tx)
    session.queue.length = 0
    sessions.delete(session)
  }

  function kill(process: Process): void {
    process.dead = true
    for (const session of sessions) if (session.process === process) close(session)
    for (const sleeper of sleepers) if (sleeper.process === process) sleepers.delete(sleeper)
  }

  function runnable(): Session[] {
    return [...sessions].filter(({ tx, queue: [head] }) => {
      if (!head) return false
      return head.wants === null || !store.isHeldByOther(tx, head.wants)
    })
  }

  /** Carries out the next statement of a session, or as much of it as the locks allow. */
  function advance(session: Session): void {
    const head = session.queue[0]!
    machine.current = session.process
    const mishap = head.wants === null && head.work === null ? begin(head) : null
    const failure = mishap && FAILURES[mishap]
    if (failure) fail(session, sqlError(...failure))
    else if (head.query === null) commit(session, head, mishap)
    else work(session, head, head.query)
  }

  function work(session: Session, head: Pending, query: Query): void {
    head.work ??= perform(store, session.tx, query)
    try {
      const rows = goOn(session.tx, head)
      if (rows === null) return
      session.queue.shift()
      head.resolve(rows)
    } catch (error) {
      fail(session, error)
    }
  }

  function begin(head: Pending): Mishap | null {
    machine.statements++
    return machine.mishap(head.query === null)
  }

  /** A commit whose answer is lost has happened all the same. */
  function commit(session: Session, head: Pending, mishap: Mishap | null): void {
    store.commit(session.tx)
    sessions.delete(session)
    if (mishap) head.reject(sqlError('CONNECTION_CLOSED', 'connection lost'))
    else head.resolve(undefined)
  }

  function goOn(tx: Transaction, head: Pending): unknown[] | null {
    const work = head.work!
    if (head.wants !== null && !store.lock(tx, head.wants)) return null
    head.wants = null
    tx.waits_for = null
    for (let next = work.next(); ; next = work.next()) {
      if (next.done) return next.value
      if (store.lock(tx, next.value)) continue
      head.wants = next.value
      tx.waits_for = next.value
      if (!store.isDeadlock(tx)) return null
      machine.deadlocks++
      throw sqlError('40P01', 'deadlock detected')
    }
  }

  function fail(session: Session, error: unknown): void {
    session.failure = error
    const waiting = [...session.queue]
    close(session)
    for (const one of waiting) one.reject(error)
  }

  return machine
}

type Duty = { machine: Machine; random: Random }
let duty: Duty | null = null

/** While `work` runs, sleeping waits for the machine's choice, chance comes from the seed, and steps are heard. */
export async function occupy<T>(now: Duty, work: () => Promise<T>): Promise<T> {
  const { machine } = now
  installOnce()
  duty = now
  watchSteps(name => machine.current && machine.onStep(name, machine.current))
  try {
    return await work()
  } finally {
    duty = null
    watchSteps(() => {})
  }
}

let installed = false

/** The service takes both from the runtime itself; off duty they are what they were. */
function installOnce(): void {
  if (installed) return
  installed = true
  const load = createRequire(import.meta.url)
  const [timers, crypto] = [load('node:timers/promises'), load('node:crypto')]
  const { setTimeout } = timers
  const { randomBytes } = crypto
  timers.setTimeout = (...given: unknown[]) => {
    if (!duty) return setTimeout(...given)
    const { machine } = duty
    return new Promise<void>(wake => {
      machine.sleepers.add({ process: machine.current!, wake })
    })
  }
  crypto.randomBytes = (size: number, ...rest: unknown[]) => {
    if (!duty) return randomBytes(size, ...rest)
    const { random } = duty
    const bytes = Buffer.alloc(size)
    for (let i = 0; i + 4 <= size; i += 4) bytes.writeUInt32BE(random() * 0x1_0000_0000, i)
    return bytes
  }
  syncBuiltinESMExports()
}
