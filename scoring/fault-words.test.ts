// A fault is of use only if it says what to do: every one of them has words, and the right ones.
import { expect, test } from 'vitest'
import { conditionsFaults } from './conditions.ts'
import { eventTypeFaults, ruleFaults } from './rules.ts'
import { DEFAULT_EDGES, DEFAULT_SETTINGS, edgesFaults, settingsFaults } from './settings.ts'

const words = (faults: readonly { path: string; message: string }[]) =>
  faults.map(({ path, message }) => `${path} ${message}`)
const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, 1]))
const OPERATORS = 'eq, ne, gt, gte, lt, lte, in, not_in, contains, starts_with, exists'

test.each([
  [7, ['conditions must be an object']],
  [many, ['conditions must have at most 20 keys']],
  [{ 'a.__proto__': 1 }, ['conditions.a.__proto__ is not a path into details']],
  [{ a: {} }, [`conditions.a must have an operator: ${OPERATORS}`]],
  [{ a: { near: 1 } }, [`conditions.a has an unknown operator; there are ${OPERATORS}`]],
])('conditions %j', (conditions, expected) => {
  expect(words(conditionsFaults(conditions))).toEqual(expected)
})

test('a key too long is named once, and never repeated in full', () => {
  const [fault, ...more] = words(conditionsFaults({ ['k'.repeat(5000)]: 1 }))
  expect(fault).toMatch(/^conditions keys must be at most \d+ characters long$/)
  expect(more).toEqual([])
  const both = words(conditionsFaults({ ['k'.repeat(5000)]: {} }))
  expect(both).toHaveLength(2)
  for (const one of both) expect(one.length).toBeLessThan(500)
})

test('one value of a list that is none is enough to refuse the list', () => {
  expect(conditionsFaults({ a: ['x', {}] })).toHaveLength(1)
  expect(conditionsFaults({ a: { in: [{}, 'x'] } })).toHaveLength(1)
  expect(conditionsFaults({ a: ['x', 1, true] })).toEqual([])
})

test('each fault of a rule is said in its own words', () => {
  const rule = {
    name: ' ',
    event_type: 'nothing',
    category: 'odd',
    impact: 0.5,
    priority: -1,
    cooldown: '1y',
    conditions: {},
  }
  expect(words(ruleFaults(rule as never))).toEqual([
    'name must have 1 to 200 characters and not be blank',
    expect.stringMatching(
      /^event_type must be a dotted kind such as sim\.link_clicked or sim\.\*, of at most \d+ characters$/,
    ),
    'category must be one of identity, email, endpoint, training, custom',
    'impact must be a whole number from -100 to 100',
    'priority must be a whole number from 0 to 1000',
    'cooldown must be a whole number and one of s, m, h, d, w, such as 24h, and at most 365d',
  ])
  const custom = {
    ...rule,
    name: 'x',
    event_type: 'custom.x',
    category: 'email',
    impact: 1,
    priority: 1,
  }
  expect(words(ruleFaults({ ...custom, cooldown: '1h' } as never))).toEqual([
    'category must be custom for an event_type that begins with custom. and for no other',
  ])
  expect(words(eventTypeFaults('manual.x'))).toEqual(['event_type no rule may touch manual events'])
})

test('each fault of settings and edges is said in its own words', () => {
  const settings = {
    ...DEFAULT_SETTINGS,
    starting_score: 90,
    recovery_cap: 20,
    clean_streak_days: 30,
  }
  expect(words(settingsFaults(settings))).toEqual([
    'recovery_cap starting_score + recovery_cap must not pass 100',
  ])
  expect(words(edgesFaults({ ...DEFAULT_EDGES, yellow: 90 }))).toEqual([
    'yellow must be lower than green',
  ])
})
