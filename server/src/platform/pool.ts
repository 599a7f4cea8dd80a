// The connections of a process to its database: as many as asked for and no more, the one used last first.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { startDeadline } from './deadline.ts'
import type { PostgresAddress } from './embedded-postgres.ts'
import { type Answer, createTag, type Lane, type Request, type Tag } from './sql.ts'
import { Transaction, type TransactionTag } from './transaction.ts'
import { connectionLost, Session } from './wire.ts'

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
  const dial = createDial(options)
  const sessions = new Sessions(options.max, dial)

  /** A statement by itself is its own transaction. */
  async function ask(request: Request): Promise<Answer> {
    const session = await sessions.take()
    return new Promise((resolve, reject) => {
      session.send([{ request, resolve, reject, isLate: true }], () => sessions.give(session))
    })
  }

  async function begin<T>(work: (tx: TransactionTag) => T | Promise<T>, how: Begin = {}) {
    const { opening = ['BEGIN'], last = Infinity } = how
    const session = await sessions.take()
    const transaction = new Transaction(session, opening)
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
      sessions.give(session)
    }
  }

  const noCopy = () => Promise.reject(new Error('COPY needs a transaction'))
  const lane: Lane = { ask, copyOut: noCopy, copyIn: noCopy }
  const listeners = new Listeners(dial)
  const end = async () => {
    listeners.end()
    await sessions.end()
  }
  const listen = (channel: string, heard: (payload: string) => void) =>
    listeners.listen(channel, heard)
  return Object.assign(createTag(lane), { begin, listen, end })
}

/** Connections that are lent and given back; whoever finds none free waits for one, in the order of asking. */
class Sessions {
  readonly #max: number
  readonly #dial: () => Promise<Session>
  readonly #all = new Set<Session>()
  readonly #idle: Session[] = []
  readonly #waiting: Waiting[] = []
  #dialling = 0
  #ended: (() => void) | null = null

  constructor(max: number, dial: () => Promise<Session>) {
    this.#max = max
    this.#dial = dial
  }

  take(): Promise<Session> {
    if (this.#ended) return Promise.reject(coded('CONNECTION_ENDED', 'the pool is being closed'))
    const session = this.#idle.pop()
    if (session) return Promise.resolve(session)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#grow()
    })
  }

  /** Back from whoever had it; one that is not as it was lent is left. */
  give(session: Session): void {
    if (session.isOver || session.sent.length > 0 || session.status !== 'I') {
      session.destroy(coded('CONNECTION_CLOSED', 'the connection was left'))
      return
    }
    const next = this.#waiting.shift()
    if (next) next.resolve(session)
    else if (this.#ended) close(session)
    else this.#idle.push(session)
  }

  async end(): Promise<void> {
    if (this.#ended) return
    const over = Promise.withResolvers<void>()
    this.#ended = over.resolve
    const closed = coded('CONNECTION_ENDED', 'the pool is closed')
    for (const one of this.#waiting.splice(0)) one.reject(closed)
    for (const session of this.#idle.splice(0)) close(session)
    this.#settle()
    const timer = setTimeout(() => {
      const late = coded('CONNECTION_DESTROYED', 'the pool was closed')
      for (const session of this.#all) session.destroy(late)
    }, END_MS)
    await over.promise
    clearTimeout(timer)
  }

  #grow(): void {
    const most = this.#max - this.#all.size
    if (this.#dialling >= Math.min(this.#waiting.length, most)) return
    this.#dialling += 1
    this.#dial().then(
      session => {
        this.#dialling -= 1
        this.#all.add(session)
        session.on('end', () => this.#drop(session))
        this.give(session)
      },
      (error: Error) => {
        this.#dialling -= 1
        this.#waiting.shift()?.reject(error)
        this.#grow()
        this.#settle()
      },
    )
  }

  #drop(session: Session): void {
    this.#all.delete(session)
    const at = this.#idle.indexOf(session)
    if (at !== -1) this.#idle.splice(at, 1)
    this.#grow()
    this.#settle()
  }

  #settle(): void {
    if (this.#all.size === 0 && this.#dialling === 0) this.#ended?.()
  }
}

/** A connection for each channel that is listened to, made again when it is lost. */
class Listeners {
  readonly #dial: () => Promise<Session>
  readonly #all = new Set<Session>()
  #isEnding = false

  constructor(dial: () => Promise<Session>) {
    this.#dial = dial
  }

  async listen(channel: string, heard: (payload: string) => void): Promise<void> {
    const session = await this.#dial()
    if (this.#isEnding) return close(session)
    this.#all.add(session)
    session.on('notification', message => {
      if (message.channel === channel) heard(message.payload ?? '')
    })
    await new Promise<void>((resolve, reject) => {
      const request = { text: `LISTEN "${channel}"`, values: [], oids: [], key: null, simple: true }
      session.send([{ request, resolve: () => resolve(), reject }], () => {})
    })
    session.on('end', () => {
      this.#all.delete(session)
      void this.#listenAgain(channel, heard)
    })
  }

  end(): void {
    this.#isEnding = true
    for (const session of this.#all) close(session)
  }

  async #listenAgain(channel: string, heard: (payload: string) => void): Promise<void> {
    for (let isBack = false; !isBack && !this.#isEnding; ) {
      await sleep(REDIAL_MS, undefined, { ref: false })
      if (this.#isEnding) return
      isBack = await this.listen(channel, heard).then(
        () => true,
        () => false,
      )
    }
  }
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
  const { place, mode, application_name } = readAddress(address, Object.keys(settings))
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
function readAddress(address: PostgresAddress | string, ours: readonly string[]): Place {
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
  // What is set for a session is said by us; anything else would be passed over in silence.
  const known = new Set(['sslmode', 'application_name', ...ours].map(one => one.toLowerCase()))
  const strange = [...searchParams.keys()].find(one => !known.has(one.toLowerCase()))
  if (strange !== undefined) throw new Error(`the parameter ${strange} is not known`)
  const name = searchParams.get('application_name')
  const mode = MODES[searchParams.get('sslmode') ?? 'disable'] ?? 'verify'
  return { place, mode, ...(name === null ? {} : { application_name: name }) }
}
