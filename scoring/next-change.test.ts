// Proves that the next change is found to the millisecond: not one early, not one late.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY_MS } from './durations.ts'
import { nextChangeAt } from './next-change.ts'
import { anySettings } from './settings.fixture.ts'
import { DEFAULT_SETTINGS, type ScoringSettings } from './settings.ts'
import { decayTo, type State, scoreAt } from './state.ts'

const NOW = 1_750_000_000_000
const SLOWEST = { ...DEFAULT_SETTINGS, half_life_days: 3650 }
const FASTEST = { ...DEFAULT_SETTINGS, half_life_days: 1 }

const anySize = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 200 }),
  fc.double({ min: 0, max: 120, noNaN: true }),
  fc.double({ min: 0, max: 1e5, noNaN: true }),
)

const anyState: fc.Arbitrary<State> = fc
  .tuple(anySize, anySize)
  .map(([risk, recovery]) => ({ risk: 0 - risk, recovery, as_of: NOW }))

/** Where recovery is just above its cap, so that both pieces lie close together. */
const nearTheCap = fc
  .tuple(anySettings, fc.double({ min: 0, max: 120, noNaN: true }), fc.integer({ max: 40, min: 1 }))
  .map(([settings, risk, bits]): [ScoringSettings, State] => [
    settings,
    { risk: 0 - risk, recovery: settings.recovery_cap * (1 + 2 ** -bits), as_of: NOW },
  ])

function expectUnchanged(state: State, settings: ScoringSettings, from: number, to: number): void {
  const score = scoreAt(state, settings)
  const dense = 60
  const changed: number[] = []
  for (let i = 1; i <= dense; i += 1) {
    for (const t of [from + i, to - i, from + Math.floor(((to - from) * i) / dense)]) {
      if (t > from && t < to && scoreAt(state, settings, t) !== score) changed.push(t)
    }
  }
  expect(changed).toEqual([])
}

function expectFirstChange(state: State, settings: ScoringSettings): void {
  const next = nextChangeAt(state, settings)
  const score = scoreAt(state, settings)
  if (next === null) {
    expectUnchanged(state, settings, state.as_of, state.as_of + 100 * 365 * DAY_MS)
    expect(scoreAt(state, settings, Infinity)).toBe(score)
    return
  }
  expect(Number.isInteger(next) && next > state.as_of).toBe(true)
  expect(scoreAt(state, settings, next)).not.toBe(score)
  expectUnchanged(state, settings, state.as_of, next)
  const cap = Math.log2(state.recovery / settings.recovery_cap) * settings.half_life_days * DAY_MS
  const crossing = state.as_of + Math.floor(cap)
  if (crossing > state.as_of && crossing < next) {
    expectUnchanged(state, settings, Math.max(state.as_of, crossing - 200), next)
  }
}

test('the score differs at the next change and at no millisecond before it', () => {
  fc.assert(
    fc.property(anySettings, anyState, (settings, state) => expectFirstChange(state, settings)),
    { numRuns: 1500 },
  )
})

test('the same holds where recovery falls through its cap', () => {
  fc.assert(
    fc.property(nearTheCap, ([settings, state]) => expectFirstChange(state, settings)),
    { numRuns: 1500 },
  )
})

test.each([
  ['rising under the cap', { risk: -9.5001, recovery: 26 }, 90, 91],
  ['falling after the cap', { risk: -9.4999, recovery: 25.00001 }, 91, 90],
])('checked at every single millisecond: %s', (_, sums, score, then) => {
  const state = { ...sums, as_of: NOW }
  const next = nextChangeAt(state, FASTEST) as number
  const passed = Array.from({ length: next - NOW }, (_, i) => scoreAt(state, FASTEST, NOW + i))
  expect(passed.length).toBeGreaterThan(500)
  expect(new Set(passed)).toEqual(new Set([score]))
  expect(scoreAt(state, FASTEST, next)).toBe(then)
})

test('following the changes one by one leads to the starting score', () => {
  let state: State = { risk: -60, recovery: 45, as_of: NOW }
  const scores = [scoreAt(state, DEFAULT_SETTINGS)]
  for (let next = nextChangeAt(state, DEFAULT_SETTINGS); next !== null; ) {
    state = decayTo(state, DEFAULT_SETTINGS, next)
    scores.push(scoreAt(state, DEFAULT_SETTINGS))
    next = nextChangeAt(state, DEFAULT_SETTINGS)
  }
  expect(scores[0]).toBe(40)
  expect(scores.at(-1)).toBe(75)
  for (const [i, score] of scores.slice(1).entries()) {
    expect(Math.abs(score - scores[i]!)).toBe(1)
  }
})

test.each([
  ['nothing has happened', { risk: 0, recovery: 0 }, DEFAULT_SETTINGS],
  ['what is left rounds away', { risk: -0.4, recovery: 0 }, DEFAULT_SETTINGS],
  [
    'a cap of 0 leaves recovery without effect',
    { risk: -0.4, recovery: 50 },
    { starting_score: 75, recovery_cap: 0, half_life_days: 90 },
  ],
])('there is no next change when %s', (_, sums, settings) => {
  expect(nextChangeAt({ ...sums, as_of: NOW }, settings)).toBe(null)
})

test('with a cap of 0 risk still fades', () => {
  const settings = { starting_score: 75, recovery_cap: 0, half_life_days: 90 }
  expectFirstChange({ risk: -20, recovery: 50, as_of: NOW }, settings)
  expect(nextChangeAt({ risk: -20, recovery: 50, as_of: NOW }, settings)).not.toBe(null)
})

test('a score that peaks between two milliseconds is caught at the later one', () => {
  const half_life = DAY_MS
  const peak = 5_000
  const state = {
    risk: -10.5 * 2 ** ((peak - 0.5) / half_life),
    recovery: 25 * 2 ** ((peak - 0.01) / half_life),
    as_of: NOW,
  }
  expect(nextChangeAt(state, FASTEST)).toBe(NOW + peak)
  const scores = [-1, 0, 1].map(offset => scoreAt(state, FASTEST, NOW + peak + offset))
  expect(scores).toEqual([89, 90, 89])
})

test.each([
  [{ risk: -11.752442727568738, recovery: 12.860312614747455, as_of: 1869858575557 }],
  [{ risk: -76.32057811155516, recovery: 9.795311067714534, as_of: 907873102865 }],
  [{ risk: -12.5, recovery: 928.6245929011917, as_of: NOW }],
  [{ risk: -12.5, recovery: 871.3086429056069, as_of: NOW }],
])('where the closed form is a millisecond off, the answer is not: %j', state => {
  expectFirstChange(state, SLOWEST)
})
