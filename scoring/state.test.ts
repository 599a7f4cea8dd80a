// Proves the arithmetic of shares: decay, bounds, order, and taking back what was given.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY_MS } from './durations.ts'
import { anySettings } from './settings.fixture.ts'
import { DEFAULT_EDGES, DEFAULT_SETTINGS, type ScoringSettings } from './settings.ts'
import {
  addShare,
  bandOf,
  decayTo,
  emptyState,
  exactScore,
  removeShare,
  type Share,
  type State,
  scoreAt,
  shareValue,
} from './state.ts'

const NOW = 1_750_000_000_000
const YEAR = 365 * DAY_MS
const HALF_LIFE = DEFAULT_SETTINGS.half_life_days * DAY_MS

const anyShare: fc.Arbitrary<Share> = fc.record({
  impact: fc.integer({ min: -100, max: 100 }),
  dated_at: fc.integer({ min: NOW - YEAR, max: NOW }),
})

const anyShares = fc.array(anyShare, { maxLength: 30 })

function applyAll(shares: readonly Share[], settings: ScoringSettings): State {
  return shares.reduce((state, share) => addShare(state, settings, share, NOW), emptyState(NOW))
}

function expectSameState(a: State, b: State): void {
  expect(a.as_of).toBe(b.as_of)
  expect(Math.abs(a.risk - b.risk)).toBeLessThan(1e-6)
  expect(Math.abs(a.recovery - b.recovery)).toBeLessThan(1e-6)
}

test('a share halves with each half-life', () => {
  const share = { impact: -20, dated_at: NOW }
  expect(shareValue(share, DEFAULT_SETTINGS, NOW)).toBe(-20)
  expect(shareValue(share, DEFAULT_SETTINGS, NOW + HALF_LIFE)).toBe(-10)
  expect(shareValue(share, DEFAULT_SETTINGS, NOW + 2 * HALF_LIFE)).toBe(-5)
})

test('risk and recovery are kept apart, and recovery counts up to its cap', () => {
  const state = applyAll(
    [
      { impact: -10, dated_at: NOW },
      { impact: 40, dated_at: NOW },
    ],
    DEFAULT_SETTINGS,
  )
  expect(state).toEqual({ risk: -10, recovery: 40, as_of: NOW })
  expect(exactScore(state, DEFAULT_SETTINGS)).toBe(90)
  expect(exactScore(state, DEFAULT_SETTINGS, NOW + HALF_LIFE)).toBe(90)
  expect(exactScore(state, DEFAULT_SETTINGS, NOW + 2 * HALF_LIFE)).toBe(82.5)
})

test('a half rounds up, and 9 decimals decide what a half is', () => {
  const at = (risk: number) => scoreAt({ risk, recovery: 0, as_of: NOW }, DEFAULT_SETTINGS)
  expect(at(-0.5)).toBe(75)
  expect(at(-0.5000000004)).toBe(75)
  expect(at(-0.5000000006)).toBe(74)
})

test('the exact score is not clamped, the integer score is', () => {
  const state = { risk: -500, recovery: 0, as_of: NOW }
  expect(exactScore(state, DEFAULT_SETTINGS)).toBe(-425)
  expect(scoreAt(state, DEFAULT_SETTINGS)).toBe(0)
})

test('scoring time never runs back', () => {
  const state = { risk: -10, recovery: 2, as_of: NOW }
  expect(decayTo(state, DEFAULT_SETTINGS, NOW - DAY_MS)).toEqual(state)
  expect(exactScore(state, DEFAULT_SETTINGS, NOW - DAY_MS)).toBe(67)
  const share = { impact: -10, dated_at: NOW - HALF_LIFE }
  expect(addShare(state, DEFAULT_SETTINGS, share, NOW - DAY_MS).risk).toBe(-15)
})

test('what has faded away altogether is a plain zero', () => {
  const fast = { starting_score: 0, recovery_cap: 0, half_life_days: 1 }
  const state = decayTo({ risk: -1, recovery: 1, as_of: 0 }, fast, 2000 * DAY_MS)
  expect(state).toEqual({ risk: 0, recovery: 0, as_of: 2000 * DAY_MS })
  expect(exactScore({ risk: -1e-12, recovery: 0, as_of: 0 }, fast)).toBe(0)
})

test.each([
  [100, 'green'],
  [80, 'green'],
  [79, 'yellow'],
  [60, 'yellow'],
  [59, 'orange'],
  [40, 'orange'],
  [39, 'red'],
  [20, 'red'],
  [19, 'critical'],
  [0, 'critical'],
] as const)('a score of %d is %s', (score, band) => {
  expect(bandOf(score, DEFAULT_EDGES)).toBe(band)
})

test('the score is a whole number from 0 to 100, whatever the shares', () => {
  const later = fc.integer({ min: 0, max: 20 * YEAR })
  fc.assert(
    fc.property(anySettings, anyShares, later, (settings, shares, wait) => {
      const state = applyAll(shares, settings)
      expect(state.risk).toBeLessThanOrEqual(0)
      expect(state.recovery).toBeGreaterThanOrEqual(0)
      const score = scoreAt(state, settings, NOW + wait)
      expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true)
    }),
  )
})

test('the order of shares does not matter', () => {
  const shuffled = anyShares.chain(shares =>
    fc.tuple(
      fc.constant(shares),
      fc.shuffledSubarray(shares, { minLength: shares.length, maxLength: shares.length }),
    ),
  )
  fc.assert(
    fc.property(anySettings, shuffled, (settings, [shares, others]) => {
      expectSameState(applyAll(shares, settings), applyAll(others, settings))
    }),
  )
})

test('the state equals the sum of the recorded shares, however often it was moved on', () => {
  fc.assert(
    fc.property(anySettings, anyShares, (settings, shares) => {
      const inOrder = shares.toSorted((a, b) => a.dated_at - b.dated_at)
      const live = inOrder.reduce(
        (state, share) => addShare(state, settings, share, share.dated_at),
        emptyState(NOW - YEAR),
      )
      const values = shares.map(share => shareValue(share, settings, NOW))
      expectSameState(decayTo(live, settings, NOW), {
        risk: values.filter(value => value < 0).reduce((a, b) => a + b, 0),
        recovery: values.filter(value => value > 0).reduce((a, b) => a + b, 0),
        as_of: NOW,
      })
    }),
  )
})

test('a negative share worth 1e-8 or more in size lowers the exact score', () => {
  const size = fc.double({ min: 1e-8, max: 100, noNaN: true })
  fc.assert(
    fc.property(anySettings, anyShares, size, (settings, shares, impact) => {
      const before = applyAll(shares, settings)
      const after = addShare(before, settings, { impact: -impact, dated_at: NOW }, NOW)
      expect(exactScore(after, settings)).toBeLessThan(exactScore(before, settings))
    }),
  )
})

test('removing a share undoes adding it, also after time has passed', () => {
  const wait = fc.integer({ min: 0, max: YEAR })
  fc.assert(
    fc.property(anySettings, anyShares, anyShare, wait, (settings, shares, share, passed) => {
      const before = applyAll(shares, settings)
      const added = addShare(before, settings, share, NOW)
      const removed = removeShare(added, settings, share, NOW + passed)
      expectSameState(removed, decayTo(before, settings, NOW + passed))
    }),
  )
})

test('removing every share leaves nothing at all', () => {
  fc.assert(
    fc.property(anySettings, anyShares, (settings, shares) => {
      const left = shares.reduce(
        (state, share) => removeShare(state, settings, share, NOW + DAY_MS),
        applyAll(shares, settings),
      )
      const at = shares.length === 0 ? NOW : NOW + DAY_MS
      expect(left).toEqual(emptyState(at))
    }),
  )
})

test('removing more than there is never turns a sum over', () => {
  const state = { risk: -1, recovery: 1, as_of: NOW }
  const removed = [-5, 5].reduce(
    (left, impact) => removeShare(left, DEFAULT_SETTINGS, { impact, dated_at: NOW }, NOW),
    state,
  )
  expect(removed).toEqual(emptyState(NOW))
})

test('a state moved on scores exactly as the state it came from', () => {
  const wait = fc.integer({ min: 0, max: YEAR })
  fc.assert(
    fc.property(anySettings, anyShares, wait, (settings, shares, passed) => {
      const state = applyAll(shares, settings)
      const moved = decayTo(state, settings, NOW + passed)
      expect(exactScore(moved, settings)).toBe(exactScore(state, settings, NOW + passed))
    }),
  )
})
