// The driver's tagged templates without a driver: a query is its text, its values and the queries inside it.
import type { Tx } from '../../src/platform/database.ts'

export type Query = {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
}

type Name = { readonly name: string }

const QUERY = Symbol('query')

export function isQuery(value: unknown): value is Query {
  return typeof value === 'object' && value !== null && QUERY in value
}

function isName(value: unknown): value is Name {
  return typeof value === 'object' && value !== null && NAME in value
}

const NAME = Symbol('name')

/** A `tx` whose statements go to `run` when they are awaited, as the driver's do. */
export function createTx(run: (query: Query) => Promise<unknown>): Tx {
  const tagged = (first: unknown, ...values: unknown[]) => {
    if (!Array.isArray(first)) return { [NAME]: true, name: String(first) }
    let running: Promise<unknown> | undefined
    const start = () => {
      running ??= run(query)
      return running
    }
    const query = {
      [QUERY]: true,
      strings: first as readonly string[],
      values: readInstants(first, values),
      // biome-ignore lint/suspicious/noThenProperty: a query of the driver runs when it is awaited.
      then: (ok: never, no: never) => start().then(ok, no),
      catch: (no: never) => start().catch(no),
      finally: (then: never) => start().finally(then),
      execute: start,
    }
    return query
  }
  return Object.assign(tagged, { json: (value: unknown) => value }) as unknown as Tx
}

/** One line of text with `$` for each value, the queries inside written out, and their values in order. */
export function flatten(query: Query): { text: string; values: unknown[] } {
  const values: unknown[] = []
  const text = write(query, values)
  return { text: foldRows(foldInstants(text.replace(/\s+/g, ' ').trim())), values }
}

const BEFORE_INSTANTS = "timestamptz 'epoch' + unnest("
const AFTER_INSTANTS = "::bigint[]) * interval '1 ms'"

/** Instants that are sent as numbers are dates to the database. */
function readInstants(strings: readonly string[], values: readonly unknown[]): unknown[] {
  return values.map((value, i) => {
    if (!strings[i]!.endsWith(BEFORE_INSTANTS)) return value
    return (value as readonly (number | null)[]).map(ms => (ms === null ? null : new Date(ms)))
  })
}

function foldInstants(text: string): string {
  return text.replaceAll(`${BEFORE_INSTANTS}$${AFTER_INSTANTS}`, 'unnest($$::timestamptz[])')
}

const ROWS = /\(SELECT (unnest\(.*? AS \w+)\) AS u\b/

/** `(SELECT unnest($) AS a, unnest($) AS b) AS u` is written as `unnest($, $) AS u(a, b)`, which means the same. */
function foldRows(text: string): string {
  return text.replace(ROWS, (_, body: string) => {
    const items = body.split(/, (?=unnest\()/)
    const parts = items.map(item => /^unnest\((.*)\) AS (\w+)$/.exec(item)!)
    return `unnest(${parts.map(part => part[1]).join(', ')}) AS u(${parts.map(part => part[2]).join(', ')})`
  })
}

function write({ strings, values }: Query, into: unknown[]): string {
  let text = strings[0]!
  values.forEach((value, i) => {
    if (isQuery(value)) text += write(value, into)
    else if (isName(value)) text += value.name
    else {
      into.push(value)
      text += '$'
    }
    text += strings[i + 1]
  })
  return text
}

/** The statements that `writeTogether` made one, in the order in which they are carried out; null for any other. */
export function takeApart({ strings, values }: Query): Query[] | null {
  if (strings[0] !== 'WITH ' || strings.length !== 3) return null
  return [...listWrites(values[0] as Query), values[1] as Query]
}

function listWrites({ strings, values }: Query): Query[] {
  if (strings[0] === 'w0 AS (') return [values[0] as Query]
  if (strings[1] !== ' AS (' || strings[2] !== '), ') throw new Error('writeTogether has changed')
  return [...listWrites(values[2] as Query), values[1] as Query]
}
