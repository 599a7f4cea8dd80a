// Reads a JSON body strictly: what two parsers could read differently is refused, not guessed.
import { isUtf8 } from 'node:buffer'
import { ApiError, invalid } from './errors.ts'

const MAX_DEPTH = 40
const TOKENS = /"(?:[^"\\]|\\.)*"|:/g
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw malformed('the body is not valid UTF-8')
  const text = body.toString('utf8')
  const value = parse(text)
  const keys = inspect(value, '', 0)
  if (keys !== countColons(text)) throw malformed('an object in the body has the same key twice')
  return value
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

/** Counts the keys and refuses what the database or the next reader could not hold. */
function inspect(value: unknown, path: string, depth: number): number {
  if (typeof value === 'string') {
    checkText(value, path)
    return 0
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw invalid([{ path, message: 'is a number too large to hold' }])
  }
  if (typeof value !== 'object' || value === null) return 0
  if (depth >= MAX_DEPTH) throw invalid([{ path, message: `is nested deeper than ${MAX_DEPTH}` }])
  if (Array.isArray(value)) {
    let keys = 0
    for (let i = 0; i < value.length; i++) keys += inspect(value[i], `${path}/${i}`, depth + 1)
    return keys
  }
  let keys = 0
  for (const [key, inner] of Object.entries(value)) {
    checkText(key, path)
    if (FORBIDDEN_KEYS.has(key)) {
      throw invalid([{ path: `${path}/${key}`, message: 'is a key that is not allowed' }])
    }
    keys += 1 + inspect(inner, `${path}/${key}`, depth + 1)
  }
  return keys
}

function checkText(text: string, path: string): void {
  if (text.includes('\u0000')) throw invalid([{ path, message: 'contains a NUL character' }])
  if (!text.isWellFormed()) throw invalid([{ path, message: 'contains half a surrogate pair' }])
}
