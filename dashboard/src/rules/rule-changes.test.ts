// What counts as a change of a rule, and what is left of a draft when somebody else saves first.
import { describe, expect, test } from 'vitest'
import type { Rule } from '../generated/api.ts'
import { changesOf, followSaved } from './rule-changes.ts'
import { draftOf, type RuleDraft, writeRule } from './rule-draft.ts'

const RULE: Rule = {
  id: 'rule_1',
  name: 'Badge lent',
  event_type: 'custom.badge',
  category: 'custom',
  impact: -10,
  cooldown: '24h',
  conditions: {},
  priority: 100,
  exclusive: false,
  is_default: false,
  status: 'active',
  created_at: '2026-11-16T00:00:00.000Z',
}

const draft = (change: Partial<Rule> = {}): RuleDraft => draftOf({ ...RULE, ...change })

describe('what is changed', () => {
  test('a rule that was only opened is not, however its conditions were written', () => {
    const written = [
      { severity: { eq: 'high' }, floor: { gte: 2, lte: 9 } },
      { floor: { lte: 9, gte: 2 }, severity: 'high' },
    ]
    const [first, second] = written.map(conditions => draft({ conditions }))
    expect(changesOf(first!, second!)).toEqual([])
  })

  test('each part that says something else is, and nothing more', () => {
    const after = draft({ impact: -20, cooldown: '2d', conditions: { severity: ['high', 'low'] } })
    expect(changesOf(draft(), after)).toEqual(['impact', 'cooldown', 'conditions'])
  })

  test('a condition that is not whole yet counts', () => {
    const conditions = { mode: 'json', text: '{"floor"' } as const
    expect(changesOf(draft(), { ...draft(), conditions })).toEqual(['conditions'])
  })
})

describe('when somebody else saves first', () => {
  test('what one has changed stays, the rest follows', () => {
    const own = { ...draft(), impact: -20, cooldown_count: '' }
    const saved = draft({ name: 'Badge shared', impact: -40, conditions: { floor: 3 } })
    const next = followSaved(own, draft(), saved)
    expect(next).toMatchObject({ impact: -20, cooldown_count: '', name: 'Badge shared' })
    expect(writeRule(next).rule.conditions).toEqual({ floor: 3 })
    expect(changesOf(saved, next)).toEqual(['impact', 'cooldown'])
  })

  test('lines that nobody else touched keep their place', () => {
    const before = draft({ conditions: { floor: 3 } })
    const next = followSaved(before, before, draft({ conditions: { floor: 3 }, priority: 1 }))
    expect(next.conditions).toBe(before.conditions)
    expect(next.priority).toBe(1)
  })
})
