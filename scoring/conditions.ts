// The small language in which a rule says which events of its type it means.
//
// A key is a dotted path into `details`; `source` and `type` alone mean the event's own. A scalar
// (string, number, boolean, null) means equality, an array any of its scalars, an object operators
// that must all hold. Values compare without conversion: 1 is not "1", and null is not missing.
// A dot always means nesting, and only objects are entered: not arrays, not strings.

import type { Fault } from './faults.ts'
import { compileSearch } from './text-search.ts'

export type ScorableEvent = {
  type: string
  source: string
  timestamp: number
  details: Record<string, unknown>
}

/** What conditions look at: when it happened is not their matter. */
export type MatchableEvent = Omit<ScorableEvent, 'timestamp'>

export type EventTest = (event: MatchableEvent) => boolean

/** Invariant: a missing path is undefined and passes only `exists: false`, `ne` and `not_in`. */
type ValueTest = (value: unknown) => boolean

const MAX_CONDITIONS = 20
const MAX_KEY_LENGTH = 200
const MAX_STRING_LENGTH = 1000
const MAX_VALUES = 100
const REFUSED_SEGMENTS = ['__proto__', '']

type Scalar = string | number | boolean | null
type Ordered = string | number

type OperandKind = { accepts: (operand: unknown) => boolean; message: string }

const SCALAR: OperandKind = {
  accepts: isScalar,
  message: `must be a string of at most ${MAX_STRING_LENGTH} characters, number, boolean or null`,
}
const SCALARS: OperandKind = {
  accepts: x => Array.isArray(x) && x.length > 0 && x.length <= MAX_VALUES && x.every(isScalar),
  message: `must hold 1 to ${MAX_VALUES} strings, numbers, booleans or nulls`,
}
const ORDERED: OperandKind = {
  accepts: x => isScalar(x) && (typeof x === 'string' || typeof x === 'number'),
  message: 'must be a number or a string',
}
const TEXT: OperandKind = {
  accepts: x => isScalar(x) && typeof x === 'string',
  message: `must be a string of at most ${MAX_STRING_LENGTH} characters`,
}
const FLAG: OperandKind = { accepts: x => typeof x === 'boolean', message: 'must be true or false' }

type Operator = { operand: OperandKind; compile: (operand: never) => ValueTest }

// An order exists between two numbers or between two strings (by code unit), and nowhere else.
const OPERATORS = {
  eq: { operand: SCALAR, compile: (x: Scalar) => v => v === x },
  ne: { operand: SCALAR, compile: (x: Scalar) => v => v !== x },
  gt: { operand: ORDERED, compile: (x: Ordered) => v => isLike(v, x) && v > x },
  gte: { operand: ORDERED, compile: (x: Ordered) => v => isLike(v, x) && v >= x },
  lt: { operand: ORDERED, compile: (x: Ordered) => v => isLike(v, x) && v < x },
  lte: { operand: ORDERED, compile: (x: Ordered) => v => isLike(v, x) && v <= x },
  in: { operand: SCALARS, compile: anyOf },
  not_in: { operand: SCALARS, compile: noneOf },
  contains: { operand: SCALAR, compile: holds },
  starts_with: {
    operand: TEXT,
    compile: (x: string) => v => typeof v === 'string' && v.startsWith(x),
  },
  exists: { operand: FLAG, compile: (x: boolean) => v => (v !== undefined) === x },
} as const satisfies Record<string, Operator>

export function conditionsFaults(conditions: unknown): Fault[] {
  if (!isObject(conditions)) return [{ path: 'conditions', message: 'must be an object' }]
  const entries = Object.entries(conditions)
  if (entries.length > MAX_CONDITIONS) {
    return [{ path: 'conditions', message: `must have at most ${MAX_CONDITIONS} keys` }]
  }
  return entries.flatMap(([key, expected]) => [...keyFaults(key), ...expectedFaults(key, expected)])
}

function keyFaults(key: string): Fault[] {
  if (key.length > MAX_KEY_LENGTH) {
    const message = `keys must be at most ${MAX_KEY_LENGTH} characters long`
    return [{ path: 'conditions', message }]
  }
  if (!key.split('.').some(segment => REFUSED_SEGMENTS.includes(segment))) return []
  return [{ path: `conditions.${key}`, message: 'is not a path into details' }]
}

function expectedFaults(key: string, expected: unknown): Fault[] {
  const path = `conditions.${key.slice(0, MAX_KEY_LENGTH)}`
  if (Array.isArray(expected)) return operandFaults(path, SCALARS, expected)
  if (!isObject(expected)) return operandFaults(path, SCALAR, expected)
  const operators = Object.entries(expected)
  const names = Object.keys(OPERATORS).join(', ')
  if (operators.length === 0) return [{ path, message: `must have an operator: ${names}` }]
  return operators.flatMap(([name, operand]) => {
    if (isOperator(name)) return operandFaults(`${path}.${name}`, OPERATORS[name].operand, operand)
    return [{ path, message: `has an unknown operator; there are ${names}` }]
  })
}

function operandFaults(path: string, kind: OperandKind, operand: unknown): Fault[] {
  return kind.accepts(operand) ? [] : [{ path, message: kind.message }]
}

/** Tests by what they say: rules that say the same share one, so that many rules touch little memory. */
export type KnownTests = Map<string, EventTest>

/** Invariant: the conditions have no faults. */
export function compileConditions(
  conditions: Record<string, unknown>,
  known: KnownTests = new Map(),
): EventTest {
  const tests = Object.entries(conditions).map(([key, expected]) => {
    const name = JSON.stringify([key, expected])
    const test = known.get(name) ?? compileTest(key, expected)
    known.set(name, test)
    return test
  })
  return event => tests.every(test => test(event))
}

function compileTest(key: string, expected: unknown): EventTest {
  const read = compilePath(key)
  const checks = compileExpected(expected)
  return event => {
    const value = read(event)
    return checks.every(check => check(value))
  }
}

function compilePath(key: string): (event: MatchableEvent) => unknown {
  if (key === 'source') return event => event.source
  if (key === 'type') return event => event.type
  const segments = key.split('.')
  return event => {
    let value: unknown = event.details
    for (const segment of segments) {
      // Own properties only: what objects inherit is not part of the event.
      if (!isObject(value) || !Object.hasOwn(value, segment)) return undefined
      value = value[segment]
    }
    return value
  }
}

function compileExpected(expected: unknown): ValueTest[] {
  if (Array.isArray(expected)) return [anyOf(expected)]
  if (!isObject(expected)) return [OPERATORS.eq.compile(expected as Scalar)]
  return Object.entries(expected).map(([name, operand]) =>
    OPERATORS[name as keyof typeof OPERATORS].compile(operand as never),
  )
}

function anyOf(values: readonly Scalar[]): ValueTest {
  const set = new Set<unknown>(values)
  return value => set.has(value)
}

function noneOf(values: readonly Scalar[]): ValueTest {
  const set = new Set<unknown>(values)
  return value => !set.has(value)
}

/** A part of a string, or a member of an array. */
function holds(part: Scalar): ValueTest {
  const isMember: ValueTest = value => Array.isArray(value) && value.includes(part)
  if (typeof part !== 'string') return isMember
  const search = compileSearch(part)
  return value => (typeof value === 'string' ? search(value) : isMember(value))
}

function isOperator(name: string): name is keyof typeof OPERATORS {
  return Object.hasOwn(OPERATORS, name)
}

function isLike(value: unknown, operand: Ordered): value is Ordered {
  return typeof value === typeof operand
}

function isScalar(x: unknown): x is Scalar {
  if (typeof x === 'string') return x.length <= MAX_STRING_LENGTH
  return typeof x === 'boolean' || x === null || Number.isFinite(x)
}

function isObject(x: unknown): x is Record<string, unknown> {
  return typeof x === 'object' && x !== null && !Array.isArray(x)
}
