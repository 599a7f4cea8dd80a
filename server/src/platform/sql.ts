// The tag for SQL: a template becomes one statement with its parameters, sent when it is awaited. And how values are
// written for PostgreSQL and read from it.
import type { Readable, Writable } from 'node:stream'
import { arrayLiteral } from './array-literal.ts'
import { isoOf } from './clock.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a statement answers is known to whoever wrote it, who says so.
export type Row = Record<string, any>

export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | Date
  | Uint8Array
  | Typed
  | Names
  | Statement<unknown>
  | readonly Value[]

/** One statement as it goes to the database. */
export type Request = {
  readonly text: string
  readonly values: readonly (string | Buffer | null)[]
  /** Empty where no type is declared; 0 leaves one to the database. */
  readonly oids: readonly number[]
  /** Of the same key are those that may share a prepared statement; null: it is not prepared. */
  readonly key: string | null
  /** As it stands, without parameters, and perhaps several: not prepared. */
  readonly simple: boolean
}

/** `changes`: how many rows it wrote, where it writes. */
export type Answer = { readonly rows: Row[]; readonly changes: number }

/** Where statements are sent: a transaction, or whatever connection is free. */
export type Lane = {
  ask(request: Request): Promise<Answer>
  copyOut(request: Request): Promise<Readable>
  copyIn(request: Request): Promise<Writable>
}

export type Tag = {
  <T extends readonly object[] = Row[]>(
    strings: TemplateStringsArray,
    ...values: readonly Value[]
  ): Statement<T>
  /** Names of tables or columns; behind IN a list of values. */
  (names: string | readonly (string | number | Date)[]): Names
  json(value: unknown): Typed
  unsafe<T extends readonly object[] = Row[]>(text: string): Statement<T>
}

/** A value whose type is declared. */
export class Typed {
  readonly text: string
  readonly oid: number
  constructor(text: string, oid: number) {
    this.text = text
    this.oid = oid
  }
}

export class Names {
  readonly list: readonly (string | number | Date)[]
  constructor(names: string | readonly (string | number | Date)[]) {
    this.list = typeof names === 'string' ? [names] : names
  }
}

/** A part of a statement, whatever it would answer alone. */
export type Fragment = Statement<unknown>

/** Part of a larger statement, or, once awaited, a statement of its own. */
export class Statement<T> implements Promise<T> {
  readonly strings: readonly string[]
  readonly values: readonly Value[]
  readonly lane: Lane
  readonly isSimple: boolean
  #sent: Promise<Answer> | null = null

  constructor(lane: Lane, strings: readonly string[], values: readonly Value[], isSimple: boolean) {
    this.lane = lane
    this.strings = strings
    this.values = values
    this.isSimple = isSimple
  }

  get [Symbol.toStringTag]() {
    return 'Statement'
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise that begins when it is awaited.
  then<A = T, B = never>(
    fulfilled?: ((rows: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#rows().then(fulfilled, rejected)
  }

  catch<B = never>(rejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.#rows().catch(rejected)
  }

  finally(settled?: (() => void) | null): Promise<T> {
    return this.#rows().finally(settled)
  }

  /** Sends it without waiting: where it fails, the transaction fails. */
  execute(): this {
    this.#send().catch(() => {})
    return this
  }

  /** How many rows it wrote. */
  async changes(): Promise<number> {
    return (await this.#send()).changes
  }

  async readable(): Promise<Readable> {
    return this.lane.copyOut(compile(this))
  }

  async writable(): Promise<Writable> {
    return this.lane.copyIn(compile(this))
  }

  #rows(): Promise<T> {
    return this.#send().then(({ rows }) => rows as T)
  }

  #send(): Promise<Answer> {
    this.#sent ??= sendTo(this.lane, this)
    return this.#sent
  }
}

async function sendTo(lane: Lane, statement: Fragment): Promise<Answer> {
  return lane.ask(compile(statement))
}

export function createTag(lane: Lane): Tag {
  const tag = (first: TemplateStringsArray | Names['list'] | string, ...values: Value[]) =>
    typeof first === 'object' && 'raw' in first
      ? new Statement(lane, first, values, false)
      : new Names(first as Names['list'] | string)
  return Object.assign(tag, {
    json: (value: unknown) => new Typed(JSON.stringify(value), JSONB),
    unsafe: (text: string) => new Statement(lane, [text], [], true),
  }) as unknown as Tag
}

const [BOOLEAN, BYTES, BIGINT, INSTANT, JSONB] = [16, 17, 20, 1184, 3802]

type Draft = { text: string; values: (string | Buffer | null)[]; oids: number[]; typed: boolean }

/** The text of a template without fragments is always the same, and so is its key as long as its types are. */
const known = new WeakMap<readonly string[], { text: string; types: string; key: string }>()

export function compile(statement: Statement<unknown>): Request {
  const { strings, values, isSimple } = statement
  const kept = known.get(strings)
  const draft: Draft = { text: '', values: [], oids: [], typed: false }
  if (kept) for (const value of values) addValue(draft, value)
  else append(draft, strings, values)
  const text = kept?.text ?? draft.text
  const types = draft.typed ? draft.oids.join() : ''
  const key = kept?.types === types ? kept.key : `${types} ${text}`
  if (!isSimple && kept?.key !== key && !values.some(isFragment)) {
    known.set(strings, { text, types, key })
  }
  return { text, values: draft.values, oids: draft.typed ? draft.oids : [], key, simple: isSimple }
}

function isFragment(value: Value): boolean {
  if (Array.isArray(value)) return value[0] instanceof Statement
  return value instanceof Statement || value instanceof Names
}

function append(draft: Draft, strings: readonly string[], values: readonly Value[]): void {
  draft.text += strings[0]
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    if (value instanceof Statement) append(draft, value.strings, value.values)
    else if (value instanceof Names) appendNames(draft, value)
    else if (Array.isArray(value) && value[0] instanceof Statement) {
      for (const one of value as Statement<unknown>[]) {
        draft.text += ' '
        append(draft, one.strings, one.values)
      }
    } else appendParameter(draft, value)
    draft.text += strings[i + 1]
  }
}

function appendNames(draft: Draft, { list }: Names): void {
  if (!/\bin\s*$/i.test(draft.text)) {
    draft.text += list.map(name => quoteName(String(name))).join(', ')
    return
  }
  draft.text += '('
  for (let i = 0; i < list.length; i++) {
    if (i > 0) draft.text += ', '
    appendParameter(draft, list[i]!)
  }
  draft.text += list.length === 0 ? 'NULL)' : ')'
}

function quoteName(name: string): string {
  return name
    .split('.')
    .map(part => `"${part.replaceAll('"', '""')}"`)
    .join('.')
}

function appendParameter(draft: Draft, value: Value): void {
  addValue(draft, value)
  draft.text += `$${draft.values.length}`
}

const MOST_PARAMETERS = 65_534

function addValue(draft: Draft, value: Value | undefined): void {
  const [written, oid] = write(value)
  draft.values.push(written)
  draft.oids.push(oid)
  if (oid !== 0) draft.typed = true
  if (draft.values.length > MOST_PARAMETERS) throw new RangeError('too many parameters')
}

/** As text, with its type where the database must know it; a list takes the type that the statement asks for. */
function write(value: Value | undefined): [string | Buffer | null, number] {
  if (typeof value === 'string') return [value, 0]
  if (value === null) return [null, 0]
  if (typeof value === 'number') return [String(value), 0]
  if (typeof value === 'boolean') return [value ? 't' : 'f', BOOLEAN]
  if (typeof value === 'bigint') return [String(value), BIGINT]
  if (value instanceof Date) return [isoOf(value.getTime()), INSTANT]
  if (value instanceof Uint8Array) return [Buffer.from(value), BYTES]
  if (Array.isArray(value)) return [arrayLiteral(value), 0]
  if (value instanceof Typed) return [value.text, value.oid]
  throw new TypeError(`${value === undefined ? 'undefined' : typeof value} is no value of SQL`)
}

/** Null: a text, as it is. */
export type Read = ((text: string) => unknown) | null

const number = (text: string) => Number(text)
const instant = (text: string) => readInstant(text)
const json = (text: string) => JSON.parse(text) as unknown
const bytes = (text: string) => Buffer.from(text.slice(2), 'hex')
const boolean = (text: string) => text === 't'

const READERS = new Map<number, Read>([
  ...[20, 21, 23, 26, 700, 701].map(oid => [oid, number] as const),
  ...[1114, 1184].map(oid => [oid, instant] as const),
  ...[114, 3802].map(oid => [oid, json] as const),
  [BOOLEAN, boolean],
  [BYTES, bytes],
])

/** The types of lists by those of their elements, so that nothing has to be asked of the catalog. */
const LISTS: readonly (readonly [list: number, element: number])[] = [
  [199, 114],
  [1000, BOOLEAN],
  [1001, BYTES],
  [1003, 19],
  [1005, 21],
  [1007, 23],
  [1009, 25],
  [1015, 1043],
  [1016, 20],
  [1021, 700],
  [1022, 701],
  [1028, 26],
  [1115, 1114],
  [1182, 1082],
  [1185, INSTANT],
  [1231, 1700],
  [3807, JSONB],
]
for (const [list, element] of LISTS) {
  const read = READERS.get(element) ?? null
  READERS.set(list, text => readList(text, read))
}

export function readerOf(oid: number): Read {
  return READERS.get(oid) ?? null
}

/** "2026-03-04 05:06:07.089+00", as a session in UTC writes it; anything else by the language's own reading. */
function readInstant(text: string): Date {
  const digits = (from: number, count: number) => {
    let sum = 0
    for (let i = from; i < from + count; i++) sum = sum * 10 + text.charCodeAt(i) - 48
    return sum
  }
  const end = text.length - 3
  if (text.charCodeAt(4) !== 45 || end < 19 || end > 23 || !text.endsWith('+00')) {
    return new Date(text)
  }
  const ms = end === 19 ? 0 : digits(20, end - 20) * 10 ** (23 - end)
  return new Date(
    Date.UTC(
      digits(0, 4),
      digits(5, 2) - 1,
      digits(8, 2),
      digits(11, 2),
      digits(14, 2),
      digits(17, 2),
      ms,
    ),
  )
}

/** A list as PostgreSQL writes it: {1,NULL,"a \"b\"",{2,3}}. */
function readList(text: string, read: Read): unknown[] {
  let at = text.indexOf('{')
  const element = (raw: string) => (read ? read(raw) : raw)
  const readQuoted = () => {
    let raw = ''
    for (at++; text[at] !== '"'; at++) {
      if (text[at] === '\\') at++
      raw += text[at]
    }
    at++
    return element(raw)
  }
  const readPlain = () => {
    const from = at
    while (text[at] !== ',' && text[at] !== '}') at++
    const raw = text.slice(from, at)
    return raw === 'NULL' ? null : element(raw)
  }
  const readLevel = (): unknown[] => {
    const list: unknown[] = []
    for (at++; text[at] !== '}'; ) {
      if (text[at] === ',') at++
      else if (text[at] === '{') list.push(readLevel())
      else list.push(text[at] === '"' ? readQuoted() : readPlain())
    }
    at++
    return list
  }
  return readLevel()
}
