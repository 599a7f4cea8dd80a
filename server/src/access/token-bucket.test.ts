// The arithmetic of a bucket: what it refills, what it shows, and how long it lets wait.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fullBucket, holds, refill, secondsUntil, show } from './token-bucket.ts'

const spec = { bucket: 'requests', per_minute: 60, capacity: 100 }
const NOW = 1_000_000

test('a new bucket is full as of now', () => {
  expect(fullBucket(spec, NOW)).toEqual({ tokens: 100, updated_at: NOW })
})

test('a token comes back each second, and never more than fit', () => {
  const state = { tokens: 10, updated_at: NOW }
  expect(refill(state, spec, NOW + 1000)).toEqual({ tokens: 11, updated_at: NOW + 1000 })
  expect(refill(state, spec, NOW + 90_000)).toEqual({ tokens: 100, updated_at: NOW + 90_000 })
  expect(refill(state, spec, NOW + 89_000).tokens).toBe(99)
})

test('a clock that is behind neither refills nor turns the bucket back', () => {
  const state = { tokens: 10, updated_at: NOW }
  expect(refill(state, spec, NOW - 5000)).toEqual(state)
})

test('the reserve for bursts is served but not shown', () => {
  const shown = (tokens: number) => show({ tokens, updated_at: NOW }, spec).remaining
  expect([100, 99.5, 41, 40.999, 40, 0].map(shown)).toEqual([60, 59, 1, 0, 0, 0])
  expect(shown(41 - 1e-12)).toBe(1)
})

test('shows the limit of a minute, and the second in which it is full again', () => {
  expect(show({ tokens: 100, updated_at: NOW }, spec)).toEqual({
    limit: 60,
    remaining: 60,
    reset: 1000,
  })
  expect(show({ tokens: 90, updated_at: NOW }, spec).reset).toBe(1010)
  expect(show({ tokens: 89.5, updated_at: NOW }, spec).reset).toBe(1011)
})

test('tells how many seconds until there is enough, one at least', () => {
  const wait = (tokens: number, cost: number) =>
    secondsUntil({ tokens, updated_at: NOW }, spec, cost)
  expect([wait(0, 1), wait(0, 30), wait(0.5, 1), wait(5, 1), wait(-3, 1)]).toEqual([1, 30, 1, 1, 4])
  expect(secondsUntil({ tokens: 0, updated_at: NOW }, { ...spec, per_minute: 10 }, 1)).toBe(6)
})

test('after the wait it tells, there is enough', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -50, max: 100, noNaN: true }),
      fc.integer({ min: 1, max: 100 }),
      (tokens, cost) => {
        const state = { tokens, updated_at: NOW }
        const seconds = secondsUntil(state, spec, cost)
        expect(refill(state, spec, NOW + seconds * 1000).tokens).toBeGreaterThanOrEqual(cost - 1e-6)
      },
    ),
  )
})

test('a whole token less a rounding is a whole token', () => {
  const has = (tokens: number, cost: number) => holds({ tokens, updated_at: NOW }, cost)
  expect([has(1, 1), has(1 - 1e-12, 1), has(0.999, 1), has(5, 6), has(6, 5)]).toEqual([
    ...[true, true, false, false, true],
  ])
})

test('what a clock far ahead has written does not keep the bucket from filling', () => {
  const ahead = { tokens: 10, updated_at: NOW + 60_001 }
  expect(refill(ahead, spec, NOW)).toEqual({ tokens: 10, updated_at: NOW })
  const near = { tokens: 10, updated_at: NOW + 60_000 }
  expect(refill(near, spec, NOW)).toEqual(near)
})
