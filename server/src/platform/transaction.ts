// A transaction on one connection. What is asked in one turn of the loop goes out together, the first time behind BEGIN
// and what is to be set, under one Sync: where any of it fails, nothing behind it is run.
import { copyOut, openCopyIn } from './copy.ts'
import { type Answer, createTag, type Lane, type Request, type Tag } from './sql.ts'
import type { Part, Session, Status } from './wire.ts'

export type TransactionTag = Tag & {
  savepoint<T>(work: (tx: Tag) => Promise<T>): Promise<T>
}

export type Transaction = {
  readonly tx: TransactionTag
  commit(): Promise<void>
  rollBack(): Promise<void>
  /** What is asked from here on is refused with this, unless there was a fault before. */
  fail(error: Error): void
  /** Invariant: its connection may be in another transaction, of another tenant; nothing reaches it any more. */
  end(): void
}

type State = 'unopened' | 'opening' | 'open'

const coded = (message: string) => Object.assign(new Error(message), { code: 'CONNECTION_CLOSED' })
/** What names a tenant is of another text for each, and not worth preparing. */
const plain = (text: string): Request => {
  const key = text.includes("'") ? null : text
  return { text, values: [], oids: [], key, simple: false }
}

/** `opening` is BEGIN and what is set for the transaction, a statement each. */
export function openTransaction(session: Session, opening: readonly string[]): Transaction {
  let state: State = 'unopened'
  const turn: Part[] = []
  let isScheduled = false
  /** The first fault is what the caller is told: those behind it only say that there was one. */
  let fault: Error | null = null
  const opened = Promise.withResolvers<void>()

  function fail(error: Error): void {
    fault ??= error
    for (const part of turn.splice(0)) part.reject(fault)
  }

  function add(request: Request, more: Partial<Part> = {}): Promise<Answer> {
    if (fault) return Promise.reject(fault)
    return new Promise((resolve, reject) => {
      const refuse = (error: Error) => {
        fail(error)
        reject(error)
      }
      turn.push({ request, resolve, reject: refuse, ...more })
      if (isScheduled) return
      isScheduled = true
      process.nextTick(() => {
        isScheduled = false
        flush()
      })
    })
  }

  /** Invariant: until the server has said that a transaction is open, nothing but its end is sent behind the opening. */
  function flush(): void {
    while (state !== 'opening' && turn.length > 0) {
      const simple = turn.findIndex(part => part.request.simple)
      if (simple === -1) send(turn.splice(0))
      else if (simple > 0 || state === 'unopened') send(turn.splice(0, simple))
      else send(turn.splice(0, 1))
    }
  }

  function send(parts: Part[]): void {
    if (state === 'open') {
      session.send(parts, () => {})
      return
    }
    state = 'opening'
    const first = opening.map(text => ({ request: plain(text), resolve() {}, reject: fail }))
    session.send([...first, ...parts], hearOpened)
  }

  function hearOpened(status: Status): void {
    if (status === 'T') state = 'open'
    else {
      fail(coded('the transaction did not begin'))
      // Whatever was sent here would be carried out by itself.
      if (status === 'I') session.destroy(fault!)
    }
    opened.resolve()
    if (status === 'T') flush()
  }

  /** Sent at once, also behind an opening that was not answered. */
  function end(text: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const done = (_: Answer, tag: string) => resolve(tag)
    session.send([{ request: plain(text), resolve: done, reject, isLate: true }], () => {})
    return promise
  }

  const lane: Lane = {
    ask: request => add(request),
    copyOut: request => copyOut(session, more => add({ ...request, simple: true }, more)),
    copyIn: request => openCopyIn(more => add({ ...request, simple: true }, more)),
  }
  /** What fails within it is undone and may be caught. */
  async function savepoint<T>(work: (tx: Tag) => Promise<T>): Promise<T> {
    await add(plain('SAVEPOINT inner'))
    try {
      return await work(tx)
    } catch (error) {
      fault = null
      await add(plain('ROLLBACK TO SAVEPOINT inner'))
      throw error
    }
  }

  const tx = Object.assign(createTag(lane), { savepoint })
  return {
    tx,
    fail,
    end() {
      fault = coded('the transaction is over')
    },
    async commit() {
      if (fault) throw fault
      flush()
      if (turn.length > 0) {
        await opened.promise
        if (fault) throw fault
      }
      if (state === 'unopened') return
      const tag = await end('COMMIT')
      if (fault || tag !== 'COMMIT')
        throw fault ?? new Error(`the database answered ${tag} to COMMIT`)
    },
    async rollBack() {
      fail(coded('the transaction was rolled back'))
      if (state === 'unopened' || session.isOver) return
      await end('ROLLBACK')
    },
  }
}
