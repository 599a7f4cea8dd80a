// What goes over the wire together: a group of statements behind one Sync, of which one that fails keeps those behind it
// from being run. And the connection it goes over, which leaves a peer that falls silent.
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import pg from 'pg'
import { DatabaseError, serialize } from 'pg-protocol'
import { type Answer, type Read, type Request, type Row, readerOf } from './sql.ts'
import { newToken } from './tokens.ts'

type Column = { readonly name: string; readonly read: Read }

/** A statement that the server knows by its name. */
type Prepared = {
  readonly name: string
  columns: readonly Column[] | null
  isParsed: boolean
  /** What the server knows by this name may be gone, or of another form. */
  isStale: boolean
}

/** A statement on its way. */
export type Part = {
  readonly request: Request
  resolve(answer: Answer, tag: string): void
  reject(error: Error): void
  /** Its answer counts only once the whole group was carried out. */
  readonly isLate?: boolean
  readonly copyOut?: Readable
  readonly copyIn?: (into: Connection) => void
}

type Flight = {
  readonly part: Part
  columns: readonly Column[]
  rows: Row[]
  tag: string
  prepared: Prepared | null
  hasParse: boolean
  fault: Error | null
}

type Field = { readonly name: string; readonly dataTypeID: number }
export type Status = 'I' | 'T' | 'E'

/** What of the driver's connection is used. */
export type Connection = { readonly stream: Socket }

const NONE: readonly Column[] = []
const [SYNC, EXECUTE] = [serialize.sync(), serialize.execute({})]

/** The driver sends in a pipeline what is a query of its own alone, and knows only one answer to each. */
const Query = pg.Query as unknown as new (config: { text: string }) => object

/** Statements in the order in which they are answered; `ended` hears how the session stands after them. */
export class Group extends Query {
  readonly #session: Session
  readonly #flights: Flight[]
  readonly #ended: (status: Status) => void
  #at = 0

  constructor(session: Session, parts: readonly Part[], ended: (status: Status) => void) {
    super({ text: '' })
    this.#session = session
    this.#ended = ended
    this.#flights = parts.map(part => ({
      part,
      columns: NONE,
      rows: [],
      tag: '',
      prepared: null,
      hasParse: false,
      fault: null,
    }))
  }

  submit({ stream }: Connection): null {
    corkForTurn(stream)
    const first = this.#flights[0]!
    if (first.part.request.simple) stream.write(serialize.query(first.part.request.text))
    else {
      for (const flight of this.#flights) this.#write(flight, stream)
      stream.write(SYNC)
    }
    this.#session.sent.push(this)
    return null
  }

  #write(flight: Flight, stream: Socket): void {
    const { text, values, oids, key } = flight.part.request
    const known = this.#session.prepare(key)
    flight.prepared = known
    const name = known?.name ?? ''
    if (known?.isStale) stream.write(serialize.close({ type: 'S', name }))
    if (!known?.isParsed) {
      stream.write(serialize.parse({ name, text, types: oids as number[] }))
      flight.hasParse = true
      if (known) Object.assign(known, { isParsed: true, isStale: false, columns: null })
    }
    stream.write(serialize.bind({ statement: name, values: values as string[] }))
    if (known?.columns) flight.columns = known.columns
    else stream.write(serialize.describe({ type: 'P' }))
    stream.write(EXECUTE)
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    const flight = this.#flights[this.#at]!
    flight.columns = fields.map(({ name, dataTypeID }) => ({ name, read: readerOf(dataTypeID) }))
    flight.rows = []
    if (flight.prepared) flight.prepared.columns = flight.columns
  }

  /** Invariant: nothing thrown leaves the socket's handler, where nobody could catch it. */
  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const flight = this.#flights[this.#at]!
    if (flight.fault) return
    try {
      const { columns } = flight
      const row: Row = {}
      for (let i = 0; i < columns.length; i++) {
        const [text, { name, read }] = [fields[i]!, columns[i]!]
        row[name] = text === null || read === null ? text : read(text)
      }
      flight.rows.push(row)
    } catch (error) {
      flight.fault = error as Error
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    const flight = this.#flights[this.#at]!
    flight.tag = text
    if (flight.prepared) flight.prepared.columns ??= flight.columns
    flight.part.copyOut?.push(null)
    // A message of several statements is answered as a whole.
    if (flight.part.request.simple) return
    this.#at += 1
    if (!flight.part.isLate) settle(flight)
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  handleCopyData({ chunk }: { chunk: Buffer }, { stream }: Connection): void {
    const copy = this.#flights[this.#at]!.part.copyOut
    if (!copy || copy.destroyed || copy.push(chunk)) return
    this.#session.isPaused = true
    stream.pause()
  }

  handleCopyInResponse(connection: Connection): void {
    const { copyIn } = this.#flights[this.#at]!.part
    if (copyIn) copyIn(connection)
    else connection.stream.write(serialize.copyFail('there is nothing to copy'))
  }

  /** What the server said, or the end of the connection: what stands behind it is not run. */
  handleError(cause: Error): void {
    const error = cause instanceof DatabaseError ? cause : connectionLost(cause)
    const failed = this.#flights[this.#at]
    const code = (error as { code?: string }).code
    if (failed?.prepared && (code === '26000' || code === '0A000')) forget(failed.prepared)
    for (const { part, prepared, hasParse } of this.#flights.splice(this.#at)) {
      if (prepared && hasParse) forget(prepared)
      part.reject(error)
      part.copyOut?.destroy(error)
    }
    for (const { part } of this.#flights.splice(0)) if (part.isLate) part.reject(error)
  }

  /** The session tells, also after an error. */
  handleReadyForQuery(): void {}

  end(status: Status): void {
    for (const flight of this.#flights) {
      if (flight.part.isLate || flight.part.request.simple) settle(flight)
    }
    this.#ended(status)
  }
}

function settle({ part, rows, tag, fault }: Flight): void {
  if (fault) part.reject(fault)
  else part.resolve({ rows, changes: countOf(tag) }, tag)
}

/** "INSERT 0 5", "UPDATE 5", "SELECT 5", "BEGIN". */
function countOf(tag: string): number {
  return Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0
}

function forget(prepared: Prepared): void {
  prepared.isParsed = false
  prepared.isStale = true
  prepared.columns = null
}

/** What is asked in one turn of the loop is one write. */
function corkForTurn(stream: Socket): void {
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** The same error is told to all who wait: each gets one of its own, with a code. */
export function connectionLost(cause: Error & { code?: string }): Error {
  const code = cause.code ?? 'CONNECTION_CLOSED'
  return Object.assign(new Error(cause.message, { cause }), { code })
}

export type SessionOptions = {
  readonly place: pg.ClientConfig
  /** Said when the connection is made. */
  readonly settings: Readonly<Record<string, string | number>>
  readonly prepare: boolean
  /** How long a peer that was asked something may say nothing; null: as long as it likes. */
  readonly silence_ms: number | null
}

type DriverInside = { _handleReadyForQuery(this: pg.Client, message: { status: Status }): void }
const DRIVER = pg.Client.prototype as unknown as DriverInside

const CONNECT_MS = 5_000
const KEEPALIVE_MS = 60_000

/** One connection, and what the server knows on it. */
export class Session extends pg.Client {
  readonly sent: Group[] = []
  isPaused = false
  status: Status = 'I'
  isOver = false
  readonly #settings: SessionOptions['settings']
  readonly #prepared: Map<string, Prepared> | null
  /** Invariant: behind a pooler two processes never mean different statements by one name. */
  readonly #prefix = newToken().slice(0, 12)

  constructor({ place, settings, prepare, silence_ms }: SessionOptions) {
    super({
      ...place,
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_MS,
      connectionTimeoutMillis: CONNECT_MS,
    } as pg.ClientConfig)
    this.#settings = settings
    this.#prepared = prepare ? new Map() : null
    // Without a listener its errors would end the process.
    this.on('error', () => {
      this.isOver = true
    })
    this.on('end', () => {
      this.isOver = true
      for (const group of this.sent.splice(0)) group.end('E')
    })
    if (silence_ms !== null) this.#watch(silence_ms)
  }

  getStartupConf() {
    const { user, database } = this
    const said = Object.entries(this.#settings).map(([name, value]) => [name, String(value)])
    return { user, database, ...Object.fromEntries(said) }
  }

  /** The driver's own bookkeeping, then ours: it tells a group nothing of the end after an error. */
  _handleReadyForQuery(message: { status: Status }): void {
    const group = this.sent.shift()
    this.status = message.status
    DRIVER._handleReadyForQuery.call(this, message)
    group?.end(message.status)
  }

  prepare(key: string | null): Prepared | null {
    if (!this.#prepared || key === null) return null
    const known = this.#prepared.get(key)
    if (known) return known
    const name = `${this.#prefix}${this.#prepared.size}`
    const made = { name, columns: null, isParsed: false, isStale: false }
    this.#prepared.set(key, made)
    return made
  }

  send(parts: readonly Part[], ended: (status: Status) => void): void {
    this.query(new Group(this, parts, ended) as never)
  }

  resume(): void {
    this.isPaused = false
    this.connection.stream.resume()
  }

  destroy(cause: Error): void {
    this.isOver = true
    this.connection.stream.destroy(cause)
  }

  /**
   * A host that is gone without a word answers nothing, and the system tries for a quarter of an hour. Only a
   * connection that was asked something is silent; one that rests is not, nor one that we do not read.
   */
  #watch(silence_ms: number): void {
    const watch = () => {
      const { stream } = this.connection as unknown as Connection
      const leave = (read: number) => {
        if (this.sent.length === 0 || this.isPaused) return
        // After a pause of this process an answer may be there that was not read yet; it is before the next turn.
        if (stream.bytesRead !== read) return
        this.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }))
      }
      stream.setTimeout(silence_ms, () => {
        const read = stream.bytesRead
        setImmediate(() => leave(read))
      })
    }
    watch()
    this.connection.on('sslconnect', watch)
  }
}
