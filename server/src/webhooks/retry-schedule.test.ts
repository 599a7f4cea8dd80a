// The retry schedule holds for every input: never early, never longer than allowed.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DELAYS, MOST_ATTEMPTS, nextAttemptAt, readRetryAfter } from './retry-schedule.ts'

const instant = fc.integer({ min: 0, max: 4e12 })
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('a step is never shorter than its delay, with jitter at most a tenth longer', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), instant, random, (made, ended_at, r) => {
      const wait = nextAttemptAt(made, ended_at, null, r)! - ended_at
      expect(wait).toBeGreaterThanOrEqual(DELAYS[made]!)
      expect(wait).toBeLessThanOrEqual(DELAYS[made]! * 1.1)
    }),
  )
})

test('Retry-After is honoured up to double the step', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.nat(), random, (made, asked, r) => {
      const step = DELAYS[made]!
      const wait = nextAttemptAt(made, 0, asked, r)!
      expect(wait).toBeGreaterThanOrEqual(Math.min(Math.max(step, asked), 2 * step))
      expect(wait).toBeLessThanOrEqual(2 * step)
    }),
  )
})

test('after the fifth attempt there is none', () => {
  expect(nextAttemptAt(MOST_ATTEMPTS, 0, null, 0)).toBeNull()
  expect(MOST_ATTEMPTS).toBe(5)
})

test('Retry-After may be seconds or a date; anything else says nothing', () => {
  const now = Date.parse('2026-03-02T09:00:00Z')
  expect(readRetryAfter('120', now)).toBe(120_000)
  expect(readRetryAfter('Mon, 02 Mar 2026 09:01:00 GMT', now)).toBe(60_000)
  expect(readRetryAfter('Mon, 02 Mar 2026 08:00:00 GMT', now)).toBe(0)
  for (const odd of [undefined, '', 'soon', '-1', '99999999999'])
    expect(readRetryAfter(odd, now)).toBeNull()
})
