// Conditions survive the builder: what is read into lines and written back means the same.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { conditionsFaults } from '../../../scoring/conditions.ts'
import { parseValue, printValue, readRows, rowFaults, writeConditions } from './condition-rows.ts'

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('', ' ', '3', '-0.5', 'true', 'null', '"3"', '"'),
)
const number = fc.oneof(
  fc.integer(),
  fc.integer({ min: -9999, max: 9999 }).map(n => n / 8),
)
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null))
const scalars = fc.array(scalar, { minLength: 1, maxLength: 4 })
const ordered = fc.oneof(text, number)
const operators = fc
  .record(
    {
      eq: scalar,
      ne: scalar,
      in: scalars,
      not_in: scalars,
      contains: scalar,
      gt: ordered,
      gte: ordered,
      lt: ordered,
      lte: ordered,
      starts_with: text,
      exists: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  .filter(one => Object.keys(one).length > 0)
const field = fc.constantFrom('severity', 'source', 'metadata.region', 'a.b.c')
const conditions = fc.dictionary(field, fc.oneof(scalar, scalars, operators), { maxKeys: 4 })

/** Short forms written out, so that two ways to say the same are equal. */
function spellOut(one: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(one).map(([name, expected]) => {
      if (Array.isArray(expected)) return [name, { in: expected }]
      return [name, typeof expected === 'object' && expected ? expected : { eq: expected }]
    }),
  )
}

describe('the lines of the builder', () => {
  test('write what they read', () => {
    fc.assert(
      fc.property(conditions, given => {
        const rows = readRows(given)
        const written = writeConditions(rows)
        expect(rowFaults(rows)).toEqual([])
        expect(conditionsFaults(written)).toEqual([])
        expect(spellOut(written)).toEqual(spellOut(given))
      }),
    )
  })

  test('keep the kind of a value', () => {
    fc.assert(
      fc.property(scalar, value => {
        expect(parseValue(printValue(value))).toBe(value)
      }),
    )
    expect([parseValue('3'), parseValue('"3"'), parseValue(' high ')]).toEqual([3, '3', 'high'])
  })

  test('tell what is missing or said twice', () => {
    const [row] = readRows({ severity: 'high' })
    const messages = (...rows: Parameters<typeof rowFaults>[0]) =>
      rowFaults(rows).map(fault => fault.message)
    expect(messages({ ...row!, field: ' ' })).toEqual(['name a field of the event'])
    expect(messages({ ...row!, values: [''] })).toEqual(['needs a value'])
    expect(messages(row!, { ...row!, id: -1 })).toHaveLength(1)
    expect(messages({ ...row!, operator: 'missing', values: [] })).toEqual([])
  })
})
