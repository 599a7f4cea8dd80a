// Conditions of a rule as rows one can fill in, and back: the builder needs no JSON. Pure.
import type { Fault } from '../../../scoring/faults.ts'

export const OPERATORS = {
  eq: { words: 'is', takes: 'one' },
  in: { words: 'is one of', takes: 'many' },
  ne: { words: 'is not', takes: 'one' },
  not_in: { words: 'is none of', takes: 'many' },
  gt: { words: 'is above', takes: 'one' },
  gte: { words: 'is at least', takes: 'one' },
  lt: { words: 'is below', takes: 'one' },
  lte: { words: 'is at most', takes: 'one' },
  contains: { words: 'contains', takes: 'one' },
  starts_with: { words: 'begins with', takes: 'one' },
  given: { words: 'is given', takes: 'none' },
  missing: { words: 'is missing', takes: 'none' },
} as const satisfies Record<string, { words: string; takes: 'one' | 'many' | 'none' }>

export type Operator = keyof typeof OPERATORS

/** Values are kept as typed; what they mean is read when the rule is written. */
export type ConditionRow = { id: number; field: string; operator: Operator; values: string[] }

type Conditions = Record<string, unknown>

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/
const WORDS: Record<string, boolean | null> = { true: true, false: false, null: null }

/** A bare number is a number; quotes make anything text. */
export function parseValue(typed: string): string | number | boolean | null {
  const text = typed.trim()
  if (NUMBER.test(text)) return Number(text)
  if (Object.hasOwn(WORDS, text)) return WORDS[text] as boolean | null
  return unquote(text)
}

function unquote(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text
  try {
    return JSON.parse(text) as string
  } catch {
    return text
  }
}

export function printValue(value: unknown): string {
  if (typeof value !== 'string') return String(value)
  return parseValue(value) === value && value !== '' ? value : JSON.stringify(value)
}

export function kindOfValue(typed: string): 'text' | 'number' | 'yes or no' | 'null' {
  const value = parseValue(typed)
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'yes or no'
  return typeof value === 'number' ? 'number' : 'text'
}

let last = 0
export const newRow = (field = ''): ConditionRow => {
  last += 1
  return { id: last, field, operator: 'eq', values: [] }
}

/** Invariant: the conditions have no faults. */
export function readRows(conditions: Conditions): ConditionRow[] {
  return Object.entries(conditions).flatMap(([field, expected]) => {
    const row = (operator: Operator, values: unknown[]): ConditionRow => {
      return { ...newRow(field), operator, values: values.map(printValue) }
    }
    if (Array.isArray(expected)) return [row('in', expected)]
    if (typeof expected !== 'object' || expected === null) return [row('eq', [expected])]
    return Object.entries(expected).map(([name, operand]) => {
      if (name === 'exists') return row(operand === true ? 'given' : 'missing', [])
      return row(name as Operator, Array.isArray(operand) ? operand : [operand])
    })
  })
}

function operandOf({ operator, values }: ConditionRow): [name: string, operand: unknown] {
  if (operator === 'given' || operator === 'missing') return ['exists', operator === 'given']
  if (OPERATORS[operator].takes === 'many') return [operator, values.map(parseValue)]
  const [typed = ''] = values
  // What a text begins with is text, whatever it looks like.
  return [operator, operator === 'starts_with' ? unquote(typed.trim()) : parseValue(typed)]
}

export type RowFault = Fault & { row: number }

export function rowFaults(rows: readonly ConditionRow[]): RowFault[] {
  const seen = new Set<string>()
  return rows.flatMap(row => {
    const fault = (message: string) => [{ row: row.id, path: 'conditions', message }]
    if (row.field.trim() === '') return fault('name a field of the event')
    const filled = row.values.some(value => value.trim() !== '')
    if (OPERATORS[row.operator].takes !== 'none' && !filled) return fault('needs a value')
    const key = `${row.field.trim()} ${operandOf(row)[0]}`
    if (seen.has(key)) return fault('is asked for twice; put both into one line')
    seen.add(key)
    return []
  })
}

/** One line of a field is written in the short form, several as operators that must all hold. */
export function writeConditions(rows: readonly ConditionRow[]): Conditions {
  const fields = Map.groupBy(rows, row => row.field.trim())
  return Object.fromEntries(
    [...fields].map(([field, lines]) => {
      const operands = lines.map(operandOf)
      const [name, operand] = operands[0]!
      const short = operands.length === 1 && (name === 'eq' || name === 'in')
      return [field, short ? operand : Object.fromEntries(operands)]
    }),
  )
}
