// The waterfall of an explanation adds up, whatever its parts.
import { expect, test } from 'vitest'
import type { ExplainedShare, Explanation } from '../generated/api.ts'
import { stepsOf } from './why-steps.ts'

const share = (current_impact: number, day: number): ExplainedShare => ({
  kind: 'rule',
  event_id: `evt_${day}`,
  event_type: 'sim.link_clicked',
  source: 'x',
  timestamp: `2026-03-${String(day).padStart(2, '0')}T00:00:00.000Z`,
  rule_id: 'rule_1',
  rule_name: 'A rule',
  impact: Math.sign(current_impact) * 40,
  current_impact,
  dated_at: '2026-03-01T00:00:00.000Z',
})

const explanation = (shares: ExplainedShare[], change: Partial<Explanation> = {}): Explanation => ({
  employee_id: 'emp_1',
  at: '2026-03-30T00:00:00.000Z',
  status: 'active',
  score: 0,
  band: 'green',
  exact_score: 0,
  starting_score: 75,
  shares,
  rest: { count: 0, current_impact: 0 },
  older_than_retention: 0,
  totals: { risk: 0, recovery: 0 },
  cap_adjustment: 0,
  edge_adjustment: 0,
  ...change,
})

test('start, what lifts, the cap, what lowers, the rest and the edges end at the score', () => {
  const parts = {
    rest: { count: 3, current_impact: -0.1 },
    older_than_retention: -1.5,
    cap_adjustment: -7,
    edge_adjustment: 4.1,
  }
  const shares = [share(-39, 2), share(32, 9), share(-63.5, 1), share(0.5, 20)]
  const exact_score = 75 - 39 + 32 - 63.5 + 0.5 - 0.1 - 1.5 - 7 + 4.1
  const steps = stepsOf(explanation(shares, { ...parts, exact_score }))
  expect(steps.map(step => step.key)).toEqual([
    'start',
    'evt_9-rule_1',
    'evt_20-rule_1',
    'cap',
    'evt_1-rule_1',
    'evt_2-rule_1',
    'rest',
    'older',
    'edge',
    'score',
  ])
  const before = steps.at(-2)!
  expect(before.to).toBeCloseTo(steps.at(-1)!.to, 9)
  for (const [i, step] of steps.slice(1, -1).entries()) expect(step.from).toBe(steps[i]!.to)
})

test('of very many shares the smallest are one line, and the sum stays', () => {
  const shares = Array.from({ length: 40 }, (_, i) => share(-40 / (i + 1), (i % 28) + 1))
  const sum = shares.reduce((total, one) => total + one.current_impact, 75)
  const steps = stepsOf(explanation(shares, { exact_score: sum }))
  expect(steps.length).toBeLessThan(20)
  expect(steps.find(step => step.key === 'rest')?.label).toBe('26 smaller shares')
  expect(steps.at(-2)!.to).toBeCloseTo(sum, 9)
})

test('small shares that lifted stand before the cap, which takes from them; those that lowered after it', () => {
  const shares = Array.from({ length: 20 }, (_, i) => share(i % 2 ? -10 : 10, i + 1))
  const rest = { count: 400, current_impact: -30 }
  const totals = { risk: -350, recovery: 320 }
  const cap_adjustment = -295
  const exact_score = 0
  const edge_adjustment = 350 - 320 + 295 - 75
  const given = { rest, totals, cap_adjustment, edge_adjustment, exact_score }
  const steps = stepsOf(explanation(shares, given))
  const unnamed = steps.filter(step => step.key.startsWith('rest'))
  expect(unnamed.map(({ label, value }) => [label, value])).toEqual([
    ['Smaller shares that raised it', 250],
    ['Smaller shares that lowered it', -280],
  ])
  const keys = steps.map(step => step.key)
  expect(keys.indexOf('rest-up')).toBe(keys.indexOf('cap') - 1)
  const cap = steps.find(step => step.key === 'cap')!
  expect(cap.to, 'never below the start').toBe(75 + 25)
  expect(steps.at(-2)!.to).toBeCloseTo(exact_score, 9)
})
