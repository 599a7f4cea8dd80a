// Reads a JSON body strictly: what two parsers could read differently is refused, not guessed.
import { isUtf8 } from 'node:buffer'
import { type ApiError, type Fault, invalid, MAX_PATH_LENGTH, MOST_FAULTS } from './errors.ts'
import { findRepeatedKeys } from './repeated-keys.ts'

const MAX_DEPTH = 40
/** Many times what a batch of a thousand events has; many more in one object take a second to read. */
const MOST_KEYS = 100_000
/** Without a long exponent or many places no number is too small: a look at each takes two and a half times as long. */
const LONG_EXPONENT = /\d[eE]-\d{3}/
const MANY_PLACES = `.${'0'.repeat(99)}`
const [QUOTE, COLON, BACKSLASH] = [34, 58, 92]

/** A list of objects in the body that are judged one by one, what one is called, and how many there may be. */
export type ItemsApart = { readonly list: string; readonly one: string; readonly most: number }

/** A bad item of the list is replaced by its error, so that it fails alone; too many are left to the schema. */
export function parseJsonBody(body: Buffer, apart?: ItemsApart): unknown {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw malformed('is not valid UTF-8')
  const text = body.toString('utf8').replace(/^\ufeff/, '')
  const colons = countColons(text)
  if (colons > MOST_KEYS) throw malformed(`has more than ${MOST_KEYS} keys`)
  const value = parse(text)
  const items = apart && itemsOf(value, apart)
  const found: Found = { at: [], items, own: new Map(), rest: [] }
  const keys = inspect(value, found)
  if (keys !== colons) {
    for (const at of findRepeatedKeys(text))
      note({ ...found, at }, 'is in its object more than once')
  }
  if (found.rest.length > 0) throw invalid(found.rest)
  if (items) setApart(items, found.own)
  return value
}

function itemsOf(value: unknown, { list, one, most }: ItemsApart): Items | undefined {
  const items = (value as Record<string, unknown> | null)?.[list]
  return Array.isArray(items) && items.length <= most ? { list, one, items } : undefined
}

type Items = { readonly list: string; readonly one: string; readonly items: unknown[] }

/** What is found on the way through a body; `at` is where one is. */
type Found = {
  readonly at: (string | number)[]
  readonly items: Items | undefined
  /** Of the items, by their index. */
  readonly own: Map<number, Fault[]>
  readonly rest: Fault[]
}

/** Invariant: bounded, however many faults there are and however long the keys above them. */
function note({ at, items, own, rest }: Found, message: string, key?: string): void {
  const path = key === undefined ? at : [...at, key]
  const [list, index] = path
  if (items === undefined || list !== items.list || typeof index !== 'number') {
    if (rest.length < MOST_FAULTS) rest.push({ path: printPath(path), message })
    return
  }
  const found = own.get(index) ?? []
  own.set(index, found)
  if (found.length < MOST_FAULTS)
    found.push({ path: printPath(path.slice(2)) || items.one, message })
}

function printPath(path: readonly (string | number)[]): string {
  return path
    .map(part => String(part).slice(0, MAX_PATH_LENGTH))
    .join('.')
    .slice(0, MAX_PATH_LENGTH)
}

function setApart({ one, items }: Items, own: ReadonlyMap<number, Fault[]>): void {
  for (const [index, item] of items.entries()) {
    const found =
      own.get(index) ?? (isObject(item) ? [] : [{ path: one, message: 'must be object' }])
    if (found.length > 0) items[index] = invalid(found)
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(text: string): unknown {
  try {
    const mayBeTiny = LONG_EXPONENT.test(text) || text.includes(MANY_PLACES)
    return mayBeTiny ? JSON.parse(text, markTiny) : JSON.parse(text)
  } catch (error) {
    throw malformed(`is not valid JSON${sayWhere(error)}`)
  }
}

/** What is too small to hold is parsed to 0; as NaN, which no JSON holds, it is found afterwards. */
function markTiny(_key: string, value: unknown, spelling?: { source?: string }): unknown {
  return value === 0 && /^[^e]*[1-9]/i.test(spelling?.source ?? '') ? Number.NaN : value
}

/** In a batch of a thousand events it matters where. The parser tells it for most faults, beside parts of the body. */
function sayWhere(error: unknown): string {
  const found = / \(line (\d+) column (\d+)\)$/.exec((error as Error).message)
  return found ? ` at line ${found[1]}, column ${found[2]}` : ''
}

function malformed(message: string): ApiError {
  return invalid([{ path: 'body', message }])
}

/** Every key of the text has one colon outside strings; fewer keys after parsing means duplicates. */
function countColons(text: string): number {
  let [colons, inString] = [0, false]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) inString = !inString
    else if (inString) i += code === BACKSLASH ? 1 : 0
    else if (code === COLON) colons++
  }
  return colons
}

/** Counts the keys and finds what the database or the next reader could not hold. */
function inspect(value: unknown, found: Found): number {
  if (typeof value === 'string') noteText(value, found)
  if (typeof value === 'number') noteNumber(value, found)
  if (typeof value !== 'object' || value === null) return 0
  const { at } = found
  if (at.length >= MAX_DEPTH) {
    throw invalid([{ path: printPath(at), message: `is nested deeper than ${MAX_DEPTH}` }])
  }
  let keys = 0
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) keys += inspectAt(value[i], i, found)
    return keys
  }
  for (const [key, inner] of Object.entries(value)) {
    noteText(key, found)
    if (isForbidden(key, at)) note(found, 'is a key that is not allowed', key)
    keys += 1 + inspectAt(inner, key, found)
  }
  return keys
}

/** A careless reader of what we hand on would change its prototypes by these; alone, the two words are harmless. */
function isForbidden(key: string, at: Found['at']): boolean {
  return key === '__proto__' || (key === 'prototype' && at.at(-1) === 'constructor')
}

function inspectAt(value: unknown, place: string | number, found: Found): number {
  found.at.push(place)
  const keys = inspect(value, found)
  found.at.pop()
  return keys
}

function noteNumber(number: number, found: Found): void {
  if (Number.isNaN(number)) note(found, 'is a number too small to hold')
  else if (!Number.isFinite(number)) note(found, 'is a number too large to hold')
  else if (Object.is(number, -0)) note(found, 'is a negative zero: send 0')
}

function noteText(text: string, found: Found): void {
  if (text.includes('\u0000')) note(found, 'contains a NUL character')
  if (!text.isWellFormed()) note(found, 'contains half a surrogate pair')
}
