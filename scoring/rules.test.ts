// Proves which rules fire on an event, in which order, and which rules are refused.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coolingAt, listFirings, noteFiring, openFirings } from './firings.ts'
import {
  candidates,
  compileRule,
  compileRules,
  coolingUntil,
  detailedTypes,
  evaluate,
  type Rule,
  ruleFaults,
  type ScorableEvent,
} from './rules.ts'

const HOUR = 3_600_000

function rule(change: Partial<Rule> = {}): Rule {
  return {
    id: 'rule_a',
    event_type: 'sim.link_clicked',
    impact: -25,
    cooldown: '0h',
    conditions: {},
    priority: 100,
    exclusive: false,
    status: 'active',
    created_at: 0,
    ...change,
  }
}

function event(type = 'sim.link_clicked', timestamp = 0): ScorableEvent {
  return { type, source: 'mailguard', timestamp, details: { severity: 'high' } }
}

function firedIds(rules: Rule[], on = event(), firings: Record<string, number[]> = {}): string[] {
  const { fired } = evaluate(compileRules(rules), on, ({ id, cooldown_ms }) =>
    coolingUntil(firings[id] ?? [], cooldown_ms, on.timestamp),
  )
  return fired.map(rule => rule.id)
}

const anyType = fc
  .array(fc.constantFrom('a', 'b', 'c'), { minLength: 2, maxLength: 4 })
  .map(segments => segments.join('.'))

const anyRule: fc.Arbitrary<Rule> = fc.record({
  id: fc.uuid(),
  event_type: fc.oneof(
    anyType,
    anyType.map(type => `${type.slice(0, type.lastIndexOf('.'))}.*`),
  ),
  impact: fc.integer({ min: -100, max: 100 }),
  cooldown: fc.constantFrom('0h', '1h', '24h'),
  conditions: fc.constantFrom({}, { severity: 'high' }, { severity: 'low' }),
  priority: fc.integer({ min: 0, max: 3 }),
  exclusive: fc.boolean(),
  status: fc.constantFrom('active', 'inactive'),
  created_at: fc.integer({ min: 0, max: 2 }),
})

test.each([
  ['sim.link_clicked', 'sim.link_clicked', true],
  ['sim.link_clicked', 'sim.link_clicked.again', false],
  ['sim.link_clicked', 'sim.link', false],
  ['sim.*', 'sim.a', true],
  ['sim.*', 'sim.a.b', true],
  ['sim.*', 'sim', false],
  ['sim.*', 'sim.', false],
  ['sim.*', 'simulated.a', false],
  ['sim.*', 'other.sim.a', false],
  ['sim.a.*', 'sim.a.b', true],
  ['sim.a.*', 'sim.a', false],
  ['sim.a.*', 'sim.b', false],
])('a rule for %s, an event of %s: %s', (event_type, type, matches) => {
  const written = rule({ event_type })
  expect(candidates(compileRules([written]), event(type)).length).toBe(matches ? 1 : 0)
  expect(compileRule(written).matches(event(type))).toBe(matches)
})

test('rules apply by priority, then age, then id, wildcards among them', () => {
  const rules = [
    rule({ id: 'rule_d', created_at: 5 }),
    rule({ id: 'rule_c', event_type: 'sim.*', created_at: 5 }),
    rule({ id: 'rule_e', created_at: 4 }),
    rule({ id: 'rule_b', priority: 50 }),
    rule({ id: 'rule_f', priority: 200, created_at: 9 }),
  ]
  expect(firedIds(rules)).toEqual(['rule_f', 'rule_e', 'rule_c', 'rule_d', 'rule_b'])
})

test('conditions decide', () => {
  expect(firedIds([rule({ conditions: { severity: 'high' } })])).toEqual(['rule_a'])
  expect(firedIds([rule({ conditions: { severity: 'low' } })])).toEqual([])
})

test('an exclusive rule that fires stops the rules after it, not those before', () => {
  const rules = [
    rule({ id: 'rule_1', priority: 3 }),
    rule({ id: 'rule_2', priority: 2, exclusive: true }),
    rule({ id: 'rule_3', priority: 1 }),
  ]
  expect(firedIds(rules)).toEqual(['rule_1', 'rule_2'])
})

test('an exclusive rule that does not fire stops nothing', () => {
  const cooling = rule({ id: 'rule_1', priority: 2, exclusive: true, cooldown: '1h' })
  const other = rule({ id: 'rule_2', priority: 1 })
  expect(firedIds([cooling, other], event(), { rule_1: [0] })).toEqual(['rule_2'])
  const unmet = rule({ ...cooling, conditions: { severity: 'low' } })
  expect(firedIds([unmet, other])).toEqual(['rule_2'])
})

test('a cooling rule is named with the instant until which it cools', () => {
  const book = compileRules([rule({ cooldown: '24h' })])
  const result = evaluate(book, event('sim.link_clicked', 5 * HOUR), ({ cooldown_ms }) =>
    coolingUntil([2 * HOUR], cooldown_ms, 5 * HOUR),
  )
  expect(result).toEqual({ fired: [], cooling: [{ rule_id: 'rule_a', until: 26 * HOUR }] })
})

test.each([
  ['never fired', [], 0, null],
  ['just fired', [0], 0, 10],
  ['the last millisecond', [0], 9, 10],
  ['exactly at the cooldown', [0], 10, null],
  ['a late event before a firing', [20], 15, 30],
  ['a late event exactly at the cooldown', [20], 10, null],
  ['between two firings', [0, 20], 5, 10],
  ['between two firings, free', [0, 20], 10, null],
  ['blocked until the end of an overlap', [0, 15], 5, 25],
  ['both sides at once', [0, 12], 6, 22],
] as [string, number[], number, number | null][])('cooldown of 10: %s', (_, firings, at, until) => {
  expect(coolingUntil(firings, 10, at)).toBe(until)
})

test('without a cooldown a rule fires again at the same instant', () => {
  expect(coolingUntil([0], 0, 0)).toBe(null)
  expect(firedIds([rule()], event(), { rule_a: [0] })).toEqual(['rule_a'])
})

test('a rule cools exactly while some firing is nearer than the cooldown', () => {
  const instant = fc.integer({ min: 0, max: 60 })
  const free = (firings: number[], cooldown: number, at: number) =>
    firings.every(firing => Math.abs(firing - at) >= cooldown)
  fc.assert(
    fc.property(fc.array(instant), fc.nat(20), instant, (firings, cooldown, at) => {
      let first = at
      while (!free(firings, cooldown, first)) first += 1
      const inOrder = firings.toSorted((a, b) => a - b)
      expect(coolingUntil(inOrder, cooldown, at)).toBe(first === at ? null : first)
    }),
    { numRuns: 500 },
  )
})

test('firings known beforehand cool along a log as all of them together do', () => {
  const instant = fc.integer({ min: 0, max: 60 })
  const events = fc.array(fc.record({ at: instant, fires: fc.boolean() }), { maxLength: 20 })
  fc.assert(
    fc.property(
      fc.array(instant),
      events,
      fc.integer({ min: 1, max: 20 }),
      (known, log, cooldown) => {
        const firings = openFirings(known)
        const all = () => known.toSorted((a, b) => a - b)
        for (const { at, fires } of log.toSorted((a, b) => a.at - b.at)) {
          expect(coolingAt(firings, cooldown, at)).toBe(coolingUntil(all(), cooldown, at))
          const left = openFirings(listFirings(firings, at))
          expect(coolingAt(left, cooldown, at)).toBe(coolingUntil(all(), cooldown, at))
          if (!fires) continue
          noteFiring(firings, at)
          known.push(at)
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('the book finds what a search through all rules finds, and inactive rules never fire', () => {
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 12 }), anyType, (rules, type) => {
      const found = candidates(compileRules(rules), event(type)).map(rule => rule.id)
      const expected = rules
        .filter(rule => rule.status === 'active' && compileRule(rule).matches(event(type)))
        .sort(
          (a, b) =>
            b.priority - a.priority || a.created_at - b.created_at || (a.id < b.id ? -1 : 1),
        )
      expect(found).toEqual(expected.map(rule => rule.id))
      const inactive = rules.filter(rule => rule.status === 'inactive').map(rule => rule.id)
      const fired = firedIds(rules, event(type))
      expect(fired.filter(id => inactive.includes(id))).toEqual([])
    }),
    { numRuns: 500 },
  )
})

describe('a written rule', () => {
  const fields = {
    name: 'Simulated link clicked',
    event_type: 'sim.link_clicked',
    category: 'email',
    impact: -25,
    cooldown: '24h',
    conditions: {},
    priority: 100,
  }

  test.each([
    [{}, []],
    [{ event_type: 'sim.*' }, []],
    [{ event_type: 'a-1.b_2.c.*' }, []],
    [{ event_type: `sim.${'x'.repeat(96)}` }, []],
    [{ event_type: `sim.${'x'.repeat(97)}` }, ['event_type']],
    [{ event_type: 'sim' }, ['event_type']],
    [{ event_type: '*' }, ['event_type']],
    [{ event_type: '.*' }, ['event_type']],
    [{ event_type: 'sim.*.a' }, ['event_type']],
    [{ event_type: 'sim.a*' }, ['event_type']],
    [{ event_type: 'sim.clícked' }, ['event_type']],
    [{ event_type: 'sim..clicked' }, ['event_type']],
    [{ event_type: 'sim.clicked\n' }, ['event_type']],
    [{ event_type: 'manual.adjustment' }, ['event_type']],
    [{ event_type: 'manual.*' }, ['event_type']],
    [{ event_type: 'manually.done' }, []],
    [{ event_type: 'recovery.clean_streak', category: 'training' }, []],
    [{ event_type: 'custom.door', category: 'custom' }, []],
    [{ event_type: 'custom.*', category: 'custom' }, []],
    [{ event_type: 'custom.door' }, ['category']],
    [{ category: 'custom' }, ['category']],
    [{ category: 'other' }, ['category']],
    [{ impact: 100, priority: 0 }, []],
    [{ impact: -100, priority: 1000 }, []],
    [{ impact: -101 }, ['impact']],
    [{ impact: 1.5 }, ['impact']],
    [{ priority: 1001 }, ['priority']],
    [{ priority: -1 }, ['priority']],
    [{ cooldown: '366d' }, ['cooldown']],
    [{ cooldown: 'soon' }, ['cooldown']],
    [{ conditions: { a: {} } }, ['conditions.a']],
    [{ name: '' }, ['name']],
    [{ name: ' ' }, ['name']],
    [{ name: 'x'.repeat(200) }, []],
    [{ name: 'x'.repeat(201), impact: 101 }, ['name', 'impact']],
    [{ name: '🦊'.repeat(200) }, []],
    [{ name: '🦊'.repeat(201) }, ['name']],
  ])('with %j has faults at %j', (change, paths) => {
    expect(ruleFaults({ ...fields, ...change }).map(fault => fault.path)).toEqual(paths)
  })
})

describe('types of which more than the type is looked at', () => {
  const conditions = { severity: 'high' }

  test('are those of active rules with conditions', () => {
    const rules = [
      rule({ id: 'a' }),
      rule({ id: 'b', event_type: 'custom.a', conditions }),
      rule({ id: 'c', event_type: 'custom.b', conditions, status: 'inactive' }),
      rule({ id: 'd', event_type: 'sim.*' }),
    ]
    expect(detailedTypes(compileRules(rules))).toEqual(['custom.a'])
  })

  test('are so by one such rule among others of the type or prefix', () => {
    const mixed = [rule({ id: 'a' }), rule({ id: 'b', conditions })]
    expect(detailedTypes(compileRules(mixed))).toEqual(['sim.link_clicked'])
    const covering = mixed.map(one => ({ ...one, event_type: 'sim.*' }))
    const other = rule({ id: 'c', event_type: 'custom.*' })
    expect(detailedTypes(compileRules([...covering, other]))).toBeNull()
  })

  test('may be any where a covering rule has conditions', () => {
    const rules = [rule({ event_type: 'sim.*', conditions })]
    expect(detailedTypes(compileRules(rules))).toBeNull()
  })
})
