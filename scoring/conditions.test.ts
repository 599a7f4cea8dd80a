// Proves what the condition language means and what it refuses.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileConditions, conditionsFaults } from './conditions.ts'

const EVENT = {
  type: 'sim.link_clicked',
  source: 'mailguard',
  timestamp: 0,
  details: {
    severity: 'high',
    count: 3,
    zero: 0,
    nothing: null,
    flag: true,
    tags: ['vip', 7, null],
    type: { inner: 'details' },
    source: 'shadowed',
    metadata: { region: 'eu-west', deep: { level: 2 }, list: [{ a: 1 }], constructor: 'Vault' },
    'metadata.flat': 'x',
  },
}

test.each([
  ['no conditions', {}, true],
  ['scalar: equal', { severity: 'high' }, true],
  ['scalar: unequal', { severity: 'low' }, false],
  ['scalar: no conversion', { count: '3' }, false],
  ['scalar: boolean', { flag: true }, true],
  ['scalar: null', { nothing: null }, true],
  ['scalar: null is not missing', { absent: null }, false],
  ['scalar: case counts', { severity: 'High' }, false],
  ['scalar: an object equals nothing', { metadata: 'eu-west' }, false],
  ['all conditions must hold', { severity: 'high', count: 4 }, false],
  ['array: any of', { severity: ['low', 'high'] }, true],
  ['array: none of', { severity: ['low', 'medium'] }, false],
  ['array: missing', { absent: ['low', null] }, false],
  ['path: nested', { 'metadata.region': 'eu-west' }, true],
  ['path: deeper', { 'metadata.deep.level': 2 }, true],
  ['path: through a scalar', { 'severity.length': 4 }, false],
  ['path: through null', { 'nothing.x': { exists: false } }, true],
  ['path: not into arrays', { 'tags.0': 'vip' }, false],
  ['path: no length of arrays', { 'tags.length': { exists: true } }, false],
  ['path: a dot always means nesting', { 'metadata.flat': { exists: true } }, false],
  ['path: inherited is missing', { toString: { exists: true } }, false],
  ['path: constructor is a word', { 'metadata.constructor': 'Vault' }, true],
  ['path: nothing inherited by way of it', { 'tags.constructor.name': { exists: true } }, false],
  ['path: an own prototype alone', { prototype: { exists: true } }, false],
  ["source is the event's own", { source: 'mailguard' }, true],
  ["type is the event's own", { type: { starts_with: 'sim.' } }, true],
  ['a path below type is in details', { 'type.inner': 'details' }, true],
  ['eq', { count: { eq: 3 } }, true],
  ['eq: unequal', { count: { eq: 4 } }, false],
  ['ne', { count: { ne: 4 } }, true],
  ['ne: equal', { count: { ne: 3 } }, false],
  ['ne: missing', { absent: { ne: 1 } }, true],
  ['ne: an object', { metadata: { ne: 1 } }, true],
  ['gt', { count: { gt: 2 } }, true],
  ['gt: equal', { count: { gt: 3 } }, false],
  ['gt: zero is a value', { zero: { gt: -1 } }, true],
  ['gt: missing', { absent: { gt: -1 } }, false],
  ['gt: a number and a string', { count: { gt: '2' } }, false],
  ['gt: strings', { severity: { gt: 'hi' } }, true],
  ['gt: null', { nothing: { gt: -1 } }, false],
  ['gte: equal', { count: { gte: 3 } }, true],
  ['gte: above', { count: { gte: 4 } }, false],
  ['lt', { count: { lt: 4 } }, true],
  ['lt: equal', { count: { lt: 3 } }, false],
  ['lte: equal', { count: { lte: 3 } }, true],
  ['lte: below', { count: { lte: 2 } }, false],
  ['lte: a boolean', { flag: { lte: 5 } }, false],
  ['in', { count: { in: [1, 3] } }, true],
  ['in: none', { count: { in: [1, 2] } }, false],
  ['not_in', { count: { not_in: [1, 2] } }, true],
  ['not_in: one', { count: { not_in: [1, 3] } }, false],
  ['not_in: missing', { absent: { not_in: [1, null] } }, true],
  ['contains: part of a string', { severity: { contains: 'ig' } }, true],
  ['contains: no part', { severity: { contains: 'x' } }, false],
  ['contains: a number in a string', { severity: { contains: 1 } }, false],
  ['contains: member of an array', { tags: { contains: 7 } }, true],
  ['contains: null as a member', { tags: { contains: null } }, true],
  ['contains: no member', { tags: { contains: 'vi' } }, false],
  ['contains: missing', { absent: { contains: null } }, false],
  ['contains: a number', { count: { contains: 3 } }, false],
  ['starts_with', { 'metadata.region': { starts_with: 'eu-' } }, true],
  ['starts_with: not', { 'metadata.region': { starts_with: 'us-' } }, false],
  ['starts_with: a number', { count: { starts_with: '3' } }, false],
  ['exists', { nothing: { exists: true } }, true],
  ['exists: missing', { absent: { exists: true } }, false],
  ['exists false', { absent: { exists: false } }, true],
  ['exists false: present', { nothing: { exists: false } }, false],
  ['all operators must hold', { count: { gte: 3, lt: 3 } }, false],
  ['a range', { count: { gte: 3, lt: 4, ne: 5 } }, true],
] as [string, Record<string, unknown>, boolean][])('%s', (_, conditions, matches) => {
  expect(conditionsFaults(conditions)).toEqual([])
  expect(compileConditions(conditions)(EVENT)).toBe(matches)
})

describe('refused', () => {
  const long = 'x'.repeat(1001)
  test.each([
    ['a list', [], 'conditions'],
    ['null', null, 'conditions'],
    ['text', 'severity=high', 'conditions'],
    ['an empty key', { '': 1 }, 'conditions.'],
    ['an empty segment', { 'a..b': 1 }, 'conditions.a..b'],
    ['a trailing dot', { 'a.': 1 }, 'conditions.a.'],
    ['__proto__', JSON.parse('{"__proto__": 1}'), 'conditions.__proto__'],
    ['a long key', { ['k'.repeat(201)]: 1 }, 'conditions'],
    ['a long string', { a: long }, 'conditions.a'],
    ['infinity', { a: Infinity }, 'conditions.a'],
    ['undefined', { a: undefined }, 'conditions.a'],
    ['an empty list', { a: [] }, 'conditions.a'],
    ['a list of lists', { a: [[1]] }, 'conditions.a'],
    ['a list of objects', { a: [{ eq: 1 }] }, 'conditions.a'],
    ['a list too long', { a: Array(101).fill(1) }, 'conditions.a'],
    ['no operator', { a: {} }, 'conditions.a'],
    ['an unknown operator', { a: { like: 'x' } }, 'conditions.a'],
    ['an inherited name as operator', { a: { toString: 'x' } }, 'conditions.a'],
    ['eq of a list', { a: { eq: [1] } }, 'conditions.a.eq'],
    ['ne of an object', { a: { ne: {} } }, 'conditions.a.ne'],
    ['gt of a boolean', { a: { gt: true } }, 'conditions.a.gt'],
    ['gte of null', { a: { gte: null } }, 'conditions.a.gte'],
    ['lt of not a number', { a: { lt: Number.NaN } }, 'conditions.a.lt'],
    ['lte of a long string', { a: { lte: long } }, 'conditions.a.lte'],
    ['in of a scalar', { a: { in: 1 } }, 'conditions.a.in'],
    ['not_in of nothing', { a: { not_in: [] } }, 'conditions.a.not_in'],
    ['contains of a list', { a: { contains: ['x'] } }, 'conditions.a.contains'],
    ['starts_with of a number', { a: { starts_with: 1 } }, 'conditions.a.starts_with'],
    ['exists of text', { a: { exists: 'yes' } }, 'conditions.a.exists'],
  ] as [string, unknown, string][])('%s', (_, conditions, path) => {
    expect(conditionsFaults(conditions).map(fault => fault.path)).toEqual([path])
  })

  test('more than 20 conditions, but not 20', () => {
    const many = (n: number) =>
      Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, 1]))
    expect(conditionsFaults(many(20))).toEqual([])
    expect(conditionsFaults(many(21)).map(fault => fault.path)).toEqual(['conditions'])
  })

  test('every fault is told at once', () => {
    const faults = conditionsFaults({ a: { gt: true, like: 1 }, 'b.': 1 })
    expect(faults.map(fault => fault.path)).toEqual([
      'conditions.a.gt',
      'conditions.a',
      'conditions.b.',
    ])
  })
})

test('the largest values allowed are accepted', () => {
  const largest = { ['k'.repeat(200)]: Array(100).fill('x'.repeat(1000)) }
  expect(conditionsFaults(largest)).toEqual([])
})

test('anything at all is either refused or compiles and answers for any details', () => {
  const key = fc.oneof(fc.string(), fc.constantFrom('a', 'a.b', 'source', 'type', '__proto__'))
  const operator = fc.constantFrom('eq', 'ne', 'gt', 'lte', 'in', 'contains', 'exists', 'odd')
  const value = fc.oneof(fc.jsonValue(), fc.dictionary(operator, fc.jsonValue()))
  fc.assert(
    fc.property(
      fc.dictionary(key, value, { maxKeys: 4 }),
      fc.dictionary(key, fc.jsonValue()),
      (conditions, details) => {
        if (conditionsFaults(conditions).length > 0) return
        const answer = compileConditions(conditions)({ ...EVENT, details })
        expect(typeof answer).toBe('boolean')
      },
    ),
    { numRuns: 500 },
  )
})
