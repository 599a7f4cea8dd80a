// A rule is said in words also while its conditions are being typed.
import { expect, test } from 'vitest'
import { beginDraft, writeRule } from './rule-draft.ts'
import { sayConditions, sayRule } from './rule-words.ts'

const typed = (text: string) =>
  writeRule({
    ...beginDraft('sim.link_clicked'),
    name: 'Clicked',
    conditions: { mode: 'json', text },
  })

test('what is no condition yet is a fault and left open in the sentence', () => {
  for (const text of [
    ...['null', '3', '"a"', 'true', '[]', '[{"a": 1}]', '{"a": {}}', '{"a": {"b": 1}}'],
    ...['{"a": {"g": 2}}', '{"a": {"toString": 1}}', '{"a": {"in": null}}', '{"": 1}'],
  ]) {
    const { rule, faults } = typed(text)
    expect(faults.length, text).toBeGreaterThan(0)
    expect(sayRule(rule), text).toBe(
      'When sim.link_clicked happens and …, −10, at most once in 24 h',
    )
  }
})

test('what is one is said', () => {
  const { rule, faults } = typed('{"severity": "high", "floor": {"gte": 2, "exists": true}}')
  expect(faults).toEqual([])
  expect(sayConditions(rule.conditions).map(({ words }) => words)).toEqual([
    ...['is', 'is at least', 'is given'],
  ])
})
