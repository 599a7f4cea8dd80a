// Runs each statement once more for each tenant it names, as if that one had been forgotten, and compares.

import { setImmediate } from 'node:timers/promises'
import type { Tx } from '../src/platform/database.ts'
import { errorCode } from '../src/platform/database-errors.ts'
import type { Row, Statement } from '../src/platform/sql.ts'

type Words = readonly string[]
type Piece = { readonly strings: Words; readonly values: readonly unknown[] }
/** Where a condition stands: the pieces to go through, and the value after it. */
type Place = readonly number[]

export type Finding = { readonly sql: string; readonly place: string; readonly got: string }

export type Forgetting = {
  wrap<T>(tx: Tx, todo: (tx: Tx) => Promise<T>): Promise<T>
  /** While false statements run as they are. */
  watching: boolean
  /** Every statement seen without one of its conditions. */
  readonly tried: Map<string, number>
  /** Those whose answer changed with it, */
  readonly findings: Finding[]
  /** and those whose answer would have, for a role that no policy holds. */
  readonly leaks: Finding[]
}

const CONDITION = /(?:\b\w+\.)?\btenant_id\s*=\s*$/
const MOST_TRIES = 2
const PIECE = Symbol('piece')

const pieceOf = (value: unknown) => (value as { [PIECE]?: Piece } | null)?.[PIECE]

export function forgetTenants(): Forgetting {
  const state: Forgetting = { wrap, watching: false, tried: new Map(), findings: [], leaks: [] }

  async function wrap<T>(tx: Tx, todo: (tx: Tx) => Promise<T>): Promise<T> {
    let last: Promise<unknown> = Promise.resolve()
    const run = (piece: Piece) => {
      const turn = last.then(async () => {
        if (state.watching) await tryWithout(tx, piece, state)
        return build(tx, piece)
      })
      last = turn.catch(() => {})
      return turn
    }
    const tagged = (strings: TemplateStringsArray, ...values: unknown[]) => {
      if (!strings.raw) return tx(strings as never, ...(values as never[]))
      return lazily({ strings, values }, run)
    }
    try {
      return await todo(Object.assign(tagged, tx) as unknown as Tx)
    } finally {
      // What nobody waits for is tried before the transaction ends.
      await setImmediate()
      await last
    }
  }

  return state
}

/** Like the driver's own: runs when it is awaited, and is part of another statement when it is not. */
function lazily(piece: Piece, run: (piece: Piece) => Promise<unknown>) {
  let answer: Promise<unknown> | undefined
  const start = () => {
    answer ??= run(piece)
    return answer
  }
  return {
    [PIECE]: piece,
    // biome-ignore lint/suspicious/noThenProperty: it stands for a statement, which is awaited.
    then: (...steps: Parameters<Promise<unknown>['then']>) => start().then(...steps),
    catch: (step: (error: unknown) => unknown) => start().catch(step),
    finally: (step: () => void) => start().finally(step),
  }
}

function build(tx: Tx, { strings, values }: Piece): Statement<Row[]> {
  const given = values.map(value => {
    const inner = pieceOf(value)
    return inner ? build(tx, inner) : value
  })
  const template = Object.assign([...strings], { raw: strings })
  return tx(template as unknown as TemplateStringsArray, ...(given as never[]))
}

async function tryWithout(tx: Tx, piece: Piece, state: Forgetting): Promise<void> {
  const { tried, findings, leaks } = state
  const sql = textOf(piece)
  const fresh = placesOf(piece).filter(place => (tried.get(`${place} ${sql}`) ?? 0) < MOST_TRIES)
  if (fresh.length === 0) return
  const right = await attempt(tx, piece)
  for (const place of fresh) {
    const key = `${place} ${sql}`
    tried.set(key, (tried.get(key) ?? 0) + 1)
    const found = (got: string) => ({ sql, place: String(place), got: got.slice(0, 300) })
    const got = await attempt(tx, without(piece, place))
    if (got !== right) findings.push(found(got))
    const loose = await attempt(tx, without(piece, place), 'SET LOCAL ROLE none')
    if (loose !== right) leaks.push(found(loose))
  }
}

/** The rows in any order and how many were touched, or the code of its failure; then as if it had not been. */
async function attempt(tx: Tx, piece: Piece, first = ''): Promise<string> {
  let answer = ''
  const undone = new Error('undone')
  try {
    await tx.savepoint(async inner => {
      if (first) await inner.unsafe(first)
      const statement = build(inner as Tx, piece)
      const rows = await statement
      answer = `${await statement.changes()} ${rows.map(row => JSON.stringify(row)).sort()}`
      throw undone
    })
  } catch (error) {
    if (error !== undone) answer = `failed: ${errorCode(error) || String(error)}`
  }
  return answer
}

function placesOf({ strings, values }: Piece): Place[] {
  return values.flatMap((value, i): Place[] => {
    const inner = pieceOf(value)
    if (inner) return placesOf(inner).map(place => [i, ...place])
    return CONDITION.test(strings[i]!) ? [[i]] : []
  })
}

/** `x.tenant_id = $1` becomes `$1::text IS NOT NULL`. */
function without({ strings, values }: Piece, [at, ...rest]: Place): Piece {
  if (rest.length > 0) {
    const changed = values.map((value, i) =>
      i === at ? { [PIECE]: without(pieceOf(value)!, rest) } : value,
    )
    return { strings, values: changed }
  }
  const changed = strings.map((text, i) => {
    if (i === at! + 1) return `::text IS NOT NULL${text.replace(/^::text/, '')}`
    return i === at ? text.replace(CONDITION, '') : text
  })
  return { strings: changed, values }
}

function textOf({ strings, values }: Piece): string {
  const parts = strings.map((text, i) => {
    const inner = pieceOf(values[i])
    if (i >= values.length) return text
    return text + (inner ? textOf(inner) : '$')
  })
  return parts.join('').replaceAll(/\s+/g, ' ').trim()
}
