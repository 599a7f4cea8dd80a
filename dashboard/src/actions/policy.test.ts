// A policy as a sentence, with times as rules say them.
import { expect, test } from 'vitest'
import type { Band } from '../ui/bands.ts'
import { type PolicyInput, sayPolicy } from './policy.ts'

const POLICY: PolicyInput = {
  name: 'A fall',
  trigger: { kind: 'score_drop', points: 30, within: '7d' },
  department: null,
  type: 'open_ticket',
  parameters: {},
  requires_approval: false,
  quiet_for: '24h',
}

test('times have a space between number and unit, as in rules', () => {
  expect(sayPolicy(POLICY)).toBe(
    'When the score of someone drops by 30 within 7 d, open a ticket; at most once in 24 h for each.',
  )
})

test('entering critical is never said to rest, as it never does', () => {
  const entering = (bands: Band[]) =>
    sayPolicy({ ...POLICY, trigger: { kind: 'band_entered', bands } })
  expect(entering(['critical'])).toBe('When someone falls to Critical, open a ticket.')
  expect(entering(['red', 'critical'])).toBe(
    'When someone falls to Red or Critical, open a ticket; at most once in 24 h for each, into Critical every time.',
  )
  expect(entering(['red'])).toContain('; at most once in 24 h for each.')
})

test('no rest is not spoken of, and what is still being typed stands as it is', () => {
  expect(sayPolicy({ ...POLICY, quiet_for: '0h' })).not.toContain('at most')
  const trigger = { kind: 'score_drop', points: 30, within: '7' } as const
  expect(sayPolicy({ ...POLICY, trigger })).toContain('within 7,')
})
