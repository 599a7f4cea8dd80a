// Proves that the parts of an explanation add up to the last decimal, whatever the shares.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY_MS } from './durations.ts'
import { type Explanation, explain } from './explain.ts'
import { anySettings } from './settings.fixture.ts'
import { DEFAULT_SETTINGS, type ScoringSettings } from './settings.ts'
import { addShare, emptyState, exactScore, type Share, type State, scoreAt } from './state.ts'

const NOW = 1_750_000_000_000
const NANO = 1e9
const units = (value: number) => Math.round(value * NANO)

const anyShare: fc.Arbitrary<Share> = fc.record({
  impact: fc.integer({ min: -100, max: 100 }),
  dated_at: fc.integer({ min: NOW - 700 * DAY_MS, max: NOW }),
})

function stateOf(shares: readonly Share[], settings: ScoringSettings): State {
  return shares.reduce((state, one) => addShare(state, settings, one, NOW), emptyState(NOW))
}

function expectSum(parts: Explanation<Share>): void {
  const named = parts.named.reduce((sum, { current_impact }) => sum + units(current_impact), 0)
  const others = [parts.starting_score, parts.rest.current_impact, parts.older_than_retention]
  const limits = [parts.cap, parts.edges]
  const sum = [...others, ...limits].reduce((total, part) => total + units(part), named)
  expect(sum).toBe(units(parts.exact))
  expect(Math.round(parts.exact)).toBe(parts.score)
  const shown = [...others, ...limits, parts.risk, parts.recovery, parts.exact]
  for (const value of shown)
    expect(Object.is(value, -0) || value !== units(value) / NANO).toBe(false)
}

test('the parts add up to the exact value and round to the score', () => {
  fc.assert(
    fc.property(
      anySettings,
      fc.array(anyShare, { maxLength: 30 }),
      fc.integer({ min: 0, max: 800 * DAY_MS }),
      (settings, shares, later) => {
        const state = stateOf(shares, settings)
        const parts = explain(state, settings, NOW + later, shares)
        expectSum(parts)
        expect(parts.score).toBe(scoreAt(state, settings, NOW + later))
        expect(parts.exact).toBe(Math.max(0, exactScore(state, settings, NOW + later)))
        expect(parts.older_than_retention).toBe(0)
        expect(parts.named.length + parts.rest.count).toBe(shares.length)
        expect(Math.abs(parts.rest.current_impact)).toBeLessThan(0.05 * parts.rest.count + 1e-6)
      },
    ),
  )
})

test('what the kept shares do not account for is older than retention', () => {
  fc.assert(
    fc.property(
      anySettings,
      fc.array(anyShare, { maxLength: 8 }),
      fc.array(anyShare, { minLength: 1, maxLength: 4 }),
      (settings, kept, gone) => {
        const state = stateOf([...gone, ...kept], settings)
        const parts = explain(state, settings, NOW, kept)
        expectSum(parts)
        const worth = stateOf(gone, settings)
        expect(parts.older_than_retention).toBeCloseTo(worth.risk + worth.recovery, 5)
      },
    ),
  )
})

test('one share of each size: what is named, what is rest, and in which order', () => {
  const shares = [4, -8, 1].map(impact => ({ impact, dated_at: NOW }))
  const old = { impact: -100, dated_at: NOW - 11 * 90 * DAY_MS }
  const parts = explain(stateOf([...shares, old], DEFAULT_SETTINGS), DEFAULT_SETTINGS, NOW, [
    ...shares,
    old,
  ])
  expect(parts.named.map(one => one.current_impact)).toEqual([-8, 4, 1])
  expect(parts.rest).toEqual({ count: 1, current_impact: -0.048828125 })
  expect(parts).toMatchObject({ risk: -8.048828125, recovery: 5, cap: 0, edges: 0, score: 72 })
})

test('at most a thousand are named; those told of by their number and worth alone are rest too', () => {
  const share = { impact: -1, dated_at: NOW }
  const shares = Array.from({ length: 1001 }, () => share)
  const all = stateOf([...shares, share, share], DEFAULT_SETTINGS)
  const parts = explain(all, DEFAULT_SETTINGS, NOW, shares, { count: 2, worth: -2 })
  expectSum(parts)
  expect(parts.named).toHaveLength(1000)
  expect(parts).toMatchObject({ truncated: true, rest: { count: 3, current_impact: -3 } })
  expect(parts.older_than_retention).toBe(0)
  const few = explain(stateOf([share], DEFAULT_SETTINGS), DEFAULT_SETTINGS, NOW, [share])
  expect(few).toMatchObject({ truncated: false, rest: { count: 0 } })
})

test('a share just worth 0.05 is named, one just below is not', () => {
  const at = (half_lives: number) => ({ impact: 1, dated_at: NOW - half_lives * 90 * DAY_MS })
  const shares = [at(Math.log2(20) - 1e-6), at(Math.log2(20) + 1e-6)]
  const parts = explain(stateOf(shares, DEFAULT_SETTINGS), DEFAULT_SETTINGS, NOW, shares)
  expect(parts.named.map(one => one.share)).toEqual([shares[0]])
})

test('the cap takes from recovery, and the edge 0 gives back what lies below it', () => {
  const good = { impact: 40, dated_at: NOW }
  const capped = explain(stateOf([good], DEFAULT_SETTINGS), DEFAULT_SETTINGS, NOW, [good])
  expect(capped).toMatchObject({ recovery: 40, cap: -15, edges: 0, exact: 100, score: 100 })
  const bad = { impact: -100, dated_at: NOW }
  const floored = explain(stateOf([bad], DEFAULT_SETTINGS), DEFAULT_SETTINGS, NOW, [bad])
  expect(floored).toMatchObject({ risk: -100, cap: 0, edges: 25, exact: 0, score: 0 })
  expectSum(capped)
  expectSum(floored)
})
