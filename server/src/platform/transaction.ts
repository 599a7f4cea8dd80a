// A transaction on one connection. What is asked in one turn of the loop goes out together, the first time behind BEGIN
// and what is to be set, under one Sync: where any of it fails, nothing behind it is run.
import { copyOut, openCopyIn } from './copy.ts'
import { type Answer, createTag, type Lane, type Request, type Tag } from './sql.ts'
import type { Part, Session, Status } from './wire.ts'

export type TransactionTag = Tag & {
  /** What fails within it is undone and may be caught. */
  savepoint<T>(work: (tx: Tag) => Promise<T>): Promise<T>
}

type State = 'unopened' | 'opening' | 'open'

const coded = (message: string) => Object.assign(new Error(message), { code: 'CONNECTION_CLOSED' })

/** What names a tenant is of another text for each, and not worth preparing. */
const plain = (text: string): Request => {
  const key = text.includes("'") ? null : text
  return { text, values: [], oids: [], key, simple: false }
}

export class Transaction {
  readonly tx: TransactionTag
  readonly #session: Session
  /** BEGIN and what is set for the transaction, a statement each. */
  readonly #opening: readonly string[]
  #state: State = 'unopened'
  #turn: Part[] = []
  #isScheduled = false
  /** The first fault is what the caller is told: those behind it only say that there was one. */
  #fault: Error | null = null
  readonly #opened = Promise.withResolvers<void>()

  constructor(session: Session, opening: readonly string[]) {
    this.#session = session
    this.#opening = opening
    const lane: Lane = {
      ask: request => this.#add(request),
      copyOut: request => copyOut(session, more => this.#add({ ...request, simple: true }, more)),
      copyIn: request => openCopyIn(more => this.#add({ ...request, simple: true }, more)),
    }
    this.tx = Object.assign(createTag(lane), {
      savepoint: <T>(work: (tx: Tag) => Promise<T>) => this.#savepoint(work),
    })
  }

  async commit(): Promise<void> {
    if (this.#fault) throw this.#fault
    this.#flush()
    if (this.#turn.length > 0) {
      await this.#opened.promise
      if (this.#fault) throw this.#fault
    }
    if (this.#state === 'unopened') return
    const tag = await this.#endWith('COMMIT')
    // Of a transaction that failed meanwhile COMMIT succeeds, and says so by its tag alone.
    if (this.#fault) throw this.#fault
    if (tag !== 'COMMIT') throw new Error(`the database answered ${tag} to COMMIT`)
  }

  async rollBack(): Promise<void> {
    this.fail(coded('the transaction was rolled back'))
    if (this.#state === 'unopened' || this.#session.isOver) return
    await this.#endWith('ROLLBACK')
  }

  /** What is asked from here on is refused with this, unless there was a fault before. */
  fail(error: Error): void {
    this.#fault ??= error
    for (const part of this.#turn.splice(0)) part.reject(this.#fault)
  }

  /** Invariant: its connection may be in another transaction, of another tenant; nothing reaches it any more. */
  end(): void {
    this.#fault = coded('the transaction is over')
  }

  #add(request: Request, more: Partial<Part> = {}): Promise<Answer> {
    if (this.#fault) return Promise.reject(this.#fault)
    return new Promise((resolve, reject) => {
      const refuse = (error: Error) => {
        this.fail(error)
        reject(error)
      }
      this.#turn.push({ request, resolve, reject: refuse, ...more })
      if (this.#isScheduled) return
      this.#isScheduled = true
      process.nextTick(() => {
        this.#isScheduled = false
        this.#flush()
      })
    })
  }

  /** Invariant: until the server has said that a transaction is open, nothing but its end is sent behind the opening. */
  #flush(): void {
    const turn = this.#turn
    while (this.#state !== 'opening' && turn.length > 0) {
      const simple = turn.findIndex(part => part.request.simple)
      if (simple === -1) this.#send(turn.splice(0))
      else if (simple > 0 || this.#state === 'unopened') this.#send(turn.splice(0, simple))
      else this.#send(turn.splice(0, 1))
    }
  }

  #send(parts: Part[]): void {
    if (this.#state === 'open') {
      this.#session.send(parts, () => {})
      return
    }
    this.#state = 'opening'
    const reject = (error: Error) => this.fail(error)
    const first = this.#opening.map(text => ({ request: plain(text), resolve() {}, reject }))
    this.#session.send([...first, ...parts], status => this.#hearOpened(status))
  }

  #hearOpened(status: Status): void {
    if (status === 'T') this.#state = 'open'
    else this.fail(coded('the transaction did not begin'))
    // Whatever was sent here would be carried out by itself.
    if (status === 'I') this.#session.destroy(this.#fault!)
    this.#opened.resolve()
    if (status === 'T') this.#flush()
  }

  /** Sent at once, also behind an opening that was not answered. */
  #endWith(text: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const done = (_: Answer, tag: string) => resolve(tag)
    this.#session.send([{ request: plain(text), resolve: done, reject, isLate: true }], () => {})
    return promise
  }

  async #savepoint<T>(work: (tx: Tag) => Promise<T>): Promise<T> {
    await this.#add(plain('SAVEPOINT attempt'))
    try {
      return await work(this.tx)
    } catch (error) {
      this.#fault = null
      await this.#add(plain('ROLLBACK TO SAVEPOINT attempt'))
      throw error
    }
  }
}
