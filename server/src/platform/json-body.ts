// Reads a JSON body strictly: what two parsers could read differently is refused, not guessed.
import { isUtf8 } from 'node:buffer'
import { type ApiError, type Fault, invalid, MAX_PATH_LENGTH, MOST_FAULTS } from './errors.ts'
import { findRepeatedKeys } from './repeated-keys.ts'

const MAX_DEPTH = 40
/** Keys and list items of the whole body: for each event of a full batch forty. */
const MOST_PARTS = 40_000
/** Of one object and one list: events have fewer, and the more keys are together the slower each is read. */
const MOST_KEYS = 1000
const MOST_ITEMS = 10_000
/** The database writes a number out in full, and nobody measures anything by more digits. */
const LARGEST = 1e40

/** A list of objects in the body that are judged one by one, what one is called, and how many there may be. */
export type ItemsApart = { readonly list: string; readonly one: string; readonly most: number }

/** A bad item of the list is replaced by its error, so that it fails alone; too many are left to the schema. */
export function parseJsonBody(body: Buffer, apart?: ItemsApart): unknown {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw malformed('is not valid UTF-8')
  const colons = bound(body)
  const text = body.toString('utf8').replace(/^\ufeff/, '')
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
    return JSON.parse(text)
  } catch (error) {
    throw malformed(`is not valid JSON${sayWhere(error)}`)
  }
}

/** In a batch of a thousand events it matters where. The parser tells it for most faults, beside parts of the body. */
function sayWhere(error: unknown): string {
  const found = / \(line (\d+) column (\d+)\)$/.exec((error as Error).message)
  return found ? ` at line ${found[1]}, column ${found[2]}` : ''
}

function malformed(message: string): ApiError {
  return invalid([{ path: 'body', message }])
}

/**
 * Refuses what would take long to read, before anything is read. Every key has one colon outside texts, which are
 * counted: fewer keys after parsing means that some were repeated. Bytes stand as numbers, which is twice as fast.
 */
function bound(body: Buffer): number {
  let [colons, parts, depth] = [0, 0, 0]
  const keys = new Uint32Array(MAX_DEPTH + 1)
  const items = new Uint32Array(MAX_DEPTH + 1)
  for (let i = 0; i < body.length; i++) {
    switch (body[i]) {
      case 34: // "
        i = endOfText(body, i)
        break
      case 58: // :
        colons++
        if (++keys[depth]! > MOST_KEYS)
          throw malformed(`has more than ${MOST_KEYS} keys in one object`)
        break
      case 44: // ,
        if (++parts > MOST_PARTS) throw malformed(`has more than ${MOST_PARTS} keys and list items`)
        if (++items[depth]! > MOST_ITEMS)
          throw malformed(`has more than ${MOST_ITEMS} items in one list`)
        break
      case 91: // [
      case 123: // {
        parts++
        if (++depth > MAX_DEPTH) throw malformed(`is nested deeper than ${MAX_DEPTH}`)
        keys[depth] = 0
        items[depth] = 1
        break
      case 93: // ]
      case 125: // }
        depth = Math.max(0, depth - 1)
    }
  }
  return colons
}

function endOfText(body: Buffer, start: number): number {
  let end = start + 1
  while (end < body.length && body[end] !== 34) end += body[end] === 92 ? 2 : 1
  return end
}

/** Counts the keys and finds what the database or the next reader could not hold. */
function inspect(value: unknown, found: Found): number {
  if (typeof value === 'string') noteText(value, found)
  if (typeof value === 'number') noteNumber(value, found)
  if (typeof value !== 'object' || value === null) return 0
  let keys = 0
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) keys += inspectAt(value[i], i, found)
    return keys
  }
  for (const key of Object.keys(value)) {
    noteText(key, found)
    if (isForbidden(key, found.at)) note(found, 'is a key that is not allowed', key)
    keys += 1 + inspectAt((value as Record<string, unknown>)[key], key, found)
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
  if (Math.abs(number) > LARGEST) note(found, 'must be between -1e40 and 1e40')
}

function noteText(text: string, found: Found): void {
  if (text.includes('\u0000')) note(found, 'contains a NUL character')
  if (!text.isWellFormed()) note(found, 'contains half a surrogate pair')
}
