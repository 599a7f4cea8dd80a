// Reads a JSON body strictly: what two parsers could read differently is refused, not guessed.
import { isUtf8 } from 'node:buffer'
import { ApiError, type Fault, invalid } from './errors.ts'

const MAX_DEPTH = 40
const MOST_FAULTS = 20
const TOKENS = /"(?:[^"\\]|\\.)*"|:/g
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * `apart` names a list of objects in the body that are judged one by one: a bad one is replaced by its error, so
 * that it fails alone.
 */
export function parseJsonBody(body: Buffer, apart?: string): unknown {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw malformed('the body is not valid UTF-8')
  const text = body.toString('utf8')
  const value = parse(text)
  const faults: Fault[] = []
  const keys = inspect(value, '', 0, faults)
  if (keys !== countColons(text)) throw malformed('an object in the body has the same key twice')
  const rest = apart === undefined ? faults : setApart(value, apart, faults)
  if (rest.length > 0) throw invalid(rest.slice(0, MOST_FAULTS))
  return value
}

/** Puts the errors of the list's items in their places; returns the other faults. */
function setApart(value: unknown, apart: string, faults: readonly Fault[]): Fault[] {
  const items = (value as Record<string, unknown> | null)?.[apart]
  if (!Array.isArray(items)) return [...faults]
  const own = new Map<number, Fault[]>()
  const rest = faults.filter(({ path, message }) => {
    const [list, index, ...inside] = path.split('.')
    if (list !== apart || index === undefined) return true
    const found = own.get(Number(index)) ?? []
    own.set(Number(index), found)
    if (found.length < MOST_FAULTS) found.push({ path: inside.join('.') || 'event', message })
    return false
  })
  for (const [index, item] of items.entries()) {
    const found = own.get(index) ?? (isObject(item) ? [] : NO_OBJECT)
    if (found.length > 0) items[index] = invalid(found)
  }
  return rest
}

const NO_OBJECT: readonly Fault[] = [{ path: 'event', message: 'must be object' }]

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('the body is not valid JSON')
  }
}

function malformed(message: string): ApiError {
  return new ApiError('VALIDATION_ERROR', message)
}

/** Every key of the text has one colon outside strings; fewer keys after parsing means duplicates. */
function countColons(text: string): number {
  let colons = 0
  for (const [token] of text.matchAll(TOKENS)) if (token === ':') colons++
  return colons
}

/** Counts the keys and finds what the database or the next reader could not hold. */
function inspect(value: unknown, path: string, depth: number, faults: Fault[]): number {
  if (typeof value === 'string') noteText(value, path, faults)
  if (typeof value === 'number' && !Number.isFinite(value)) {
    faults.push({ path, message: 'is a number too large to hold' })
  }
  if (typeof value !== 'object' || value === null) return 0
  if (depth >= MAX_DEPTH) throw invalid([{ path, message: `is nested deeper than ${MAX_DEPTH}` }])
  const under = path === '' ? '' : `${path}.`
  let keys = 0
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      keys += inspect(value[i], `${under}${i}`, depth + 1, faults)
    }
    return keys
  }
  for (const [key, inner] of Object.entries(value)) {
    const at = `${under}${key}`
    noteText(key, path, faults)
    if (FORBIDDEN_KEYS.has(key)) faults.push({ path: at, message: 'is a key that is not allowed' })
    keys += 1 + inspect(inner, at, depth + 1, faults)
  }
  return keys
}

function noteText(text: string, path: string, faults: Fault[]): void {
  if (text.includes('\u0000')) faults.push({ path, message: 'contains a NUL character' })
  if (!text.isWellFormed()) faults.push({ path, message: 'contains half a surrogate pair' })
}
