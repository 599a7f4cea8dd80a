// The connections of a process to its database: as many as asked for and no more, the one used last first.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { startDeadline } from './deadline.ts'
import type { PostgresAddress } from './embedded-postgres.ts'
import { type Answer, createTag, type Lane, type Request, type Tag } from './sql.ts'
import { openTransaction, type TransactionTag } from './transaction.ts'
import { connectionLost, type Part, Session } from './wire.ts'

export type PoolOptions = {
  readonly address: PostgresAddress | string
  readonly max: number
  readonly prepare?: boolean
  readonly settings?: Readonly<Record<string, string | number>>
  readonly silence_ms?: number | null
}

export type Begin = {
  /** Statements that open the transaction, BEGIN among them. */
  readonly opening?: readonly string[]
  /** When its caller is told that it failed, by `performance.now()`: nothing of it is kept then. */
  readonly last?: number
}

export type Pool = Tag & {
  begin<T>(work: (tx: TransactionTag) => T | Promise<T>, how?: Begin): Promise<T>
  /** Goes on after a loss of the connection; what was said meanwhile is not heard. */
  listen(channel: string, heard: (payload: string) => void): Promise<void>
  end(): Promise<void>
}

type Waiting = { resolve(session: Session): void; reject(error: Error): void }

const END_MS = 5_000
const REDIAL_MS = 250

export function openPool(options: PoolOptions): Pool {
  const { max } = options
  const dial = createDial(options)
  const sessions = new Set<Session>()
  const idle: Session[] = []
  const waiting: Waiting[] = []
  let [dialling, isEnding] = [0, false]
  let ended = () => {}

  function take(): Promise<Session> {
    if (isEnding) return Promise.reject(coded('CONNECTION_ENDED', 'the pool is being closed'))
    const session = idle.pop()
    if (session) return Promise.resolve(session)
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      grow()
    })
  }

  function grow(): void {
    if (dialling >= waiting.length || sessions.size + dialling >= max) return
    dialling += 1
    dial().then(
      session => {
        dialling -= 1
        sessions.add(session)
        session.on('end', () => drop(session))
        give(session)
      },
      (error: Error) => {
        dialling -= 1
        waiting.shift()?.reject(error)
        grow()
        settle()
      },
    )
  }

  /** Back from whoever had it; one that is not as it was given is left. */
  function give(session: Session): void {
    if (session.isOver || session.sent.length > 0 || session.status !== 'I') {
      session.destroy(coded('CONNECTION_CLOSED', 'the connection was left'))
      return
    }
    const next = waiting.shift()
    if (next) next.resolve(session)
    else if (isEnding) close(session)
    else idle.push(session)
  }

  function drop(session: Session): void {
    sessions.delete(session)
    const at = idle.indexOf(session)
    if (at !== -1) idle.splice(at, 1)
    grow()
    settle()
  }

  function settle(): void {
    if (isEnding && sessions.size === 0 && dialling === 0) ended()
  }

  /** A statement by itself is its own transaction. */
  async function ask(request: Request, more: Partial<Part> = {}): Promise<Answer> {
    const session = await take()
    return new Promise((resolve, reject) => {
      const part = { request, resolve, reject, isLate: true, ...more }
      session.send([part], () => give(session))
    })
  }

  async function begin<T>(
    work: (tx: TransactionTag) => T | Promise<T>,
    how: Begin = {},
  ): Promise<T> {
    const { opening = ['BEGIN'], last = Infinity } = how
    const session = await take()
    const transaction = openTransaction(session, opening)
    // Invariant: of what its caller was told has failed nothing is kept, and it keeps the connection from nobody.
    const leave = () => {
      const late = coded('DEADLINE', 'no answer in time')
      transaction.fail(late)
      session.destroy(late)
    }
    const left = last - performance.now()
    const endDeadline = left === Infinity ? () => {} : startDeadline(Math.max(0, left), leave)
    try {
      const done = await work(transaction.tx)
      const all = Array.isArray(done) ? ((await Promise.all(done)) as T) : done
      if (performance.now() > last) leave()
      await transaction.commit()
      return all
    } catch (error) {
      await transaction.rollBack().catch((lost: Error) => session.destroy(lost))
      throw error
    } finally {
      endDeadline()
      transaction.end()
      give(session)
    }
  }

  const lane: Lane = {
    ask,
    copyOut: async () => Promise.reject(new Error('COPY needs a transaction')),
    copyIn: async () => Promise.reject(new Error('COPY needs a transaction')),
  }
  const listeners = new Set<Session>()

  async function listen(channel: string, heard: (payload: string) => void): Promise<void> {
    const session = await dial()
    listeners.add(session)
    session.on('notification', message => {
      if (message.channel === channel) heard(message.payload ?? '')
    })
    session.on('end', () => {
      listeners.delete(session)
      if (!isEnding) void listenAgain(channel, heard)
    })
    if (isEnding) return close(session)
    await new Promise<void>((resolve, reject) => {
      const part = {
        request: { text: `LISTEN "${channel}"`, values: [], oids: [], key: null, simple: true },
        resolve: () => resolve(),
        reject,
      }
      session.send([part], () => {})
    })
  }

  async function listenAgain(channel: string, heard: (payload: string) => void): Promise<void> {
    while (!isEnding) {
      await sleep(REDIAL_MS, undefined, { ref: false })
      const isBack = await listen(channel, heard).then(
        () => true,
        () => false,
      )
      if (isBack) return
    }
  }

  async function end(): Promise<void> {
    if (isEnding) return
    isEnding = true
    const over = Promise.withResolvers<void>()
    ended = over.resolve
    for (const one of waiting.splice(0)) one.reject(coded('CONNECTION_ENDED', 'the pool is closed'))
    for (const session of [...idle.splice(0), ...listeners]) close(session)
    settle()
    const timer = setTimeout(() => {
      const late = coded('CONNECTION_DESTROYED', 'the pool was closed')
      for (const session of sessions) session.destroy(late)
    }, END_MS)
    await over.promise
    clearTimeout(timer)
  }

  return Object.assign(createTag(lane), { begin, listen, end })
}

function close(session: Session): void {
  session.end().catch(() => {})
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

type Mode = 'disable' | 'prefer' | 'require' | 'verify'

/** Opens a connection; one that may be without TLS is tried with it first. */
function createDial({ address, prepare = true, settings = {}, silence_ms = null }: PoolOptions) {
  const { place, mode, application_name } = readAddress(address)
  const name = application_name ?? settings.application_name
  const said = { ...settings, ...(name === undefined ? {} : { application_name: name }) }
  const ssl = { disable: false, prefer: UNPROVEN, require: UNPROVEN, verify: {} }[mode]

  async function connect(how: pg.ClientConfig['ssl']): Promise<Session> {
    const session = new Session({
      place: { ...place, ssl: how },
      settings: said,
      prepare,
      silence_ms,
    })
    try {
      await session.connect()
      return session
    } catch (error) {
      session.connection.stream.destroy()
      throw readDialError(error as Error)
    }
  }

  return async () => {
    try {
      return await connect(ssl)
    } catch (error) {
      if (mode === 'prefer' && (error as { code?: string }).code === 'NO_TLS') return connect(false)
      throw error
    }
  }
}

const UNPROVEN = { rejectUnauthorized: false }

/** The driver tells of these in words alone. */
const DIAL_ERRORS: readonly (readonly [says: string, code: string])[] = [
  ['timeout expired', 'CONNECT_TIMEOUT'],
  ['does not support SSL', 'NO_TLS'],
  ['Connection terminated', 'EARLY_END'],
]

function readDialError(error: Error & { code?: string }): Error {
  if (error.code !== undefined) return error
  const [, code] = DIAL_ERRORS.find(([says]) => error.message.includes(says)) ?? []
  return code ? coded(code, error.message) : connectionLost(error)
}

type Place = { place: pg.ClientConfig; mode: Mode; application_name?: string }

const MODES: Readonly<Record<string, Mode>> = {
  disable: 'disable',
  allow: 'prefer',
  prefer: 'prefer',
  require: 'require',
  'verify-ca': 'verify',
  'verify-full': 'verify',
}

/** The host of a URL may be a percent-encoded folder, that of a unix socket, or [::1]. */
function readAddress(address: PostgresAddress | string): Place {
  if (typeof address !== 'string') {
    const { host, port, user, database, password } = address
    return { place: { host, port, user, database, password }, mode: 'disable' }
  }
  const { hostname, port, pathname, username, password, searchParams } = new URL(address)
  const read = (text: string) => (text === '' ? {} : { of: decodeURIComponent(text) }).of
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : decodeURIComponent(hostname)
  const user = read(username)
  const place = {
    host: host || 'localhost',
    port: Number(port || 5432),
    user,
    password: read(password),
    database: read(pathname.slice(1)) ?? user,
  }
  const name = searchParams.get('application_name')
  const mode = MODES[searchParams.get('sslmode') ?? 'disable'] ?? 'verify'
  return { place, mode, ...(name === null ? {} : { application_name: name }) }
}
