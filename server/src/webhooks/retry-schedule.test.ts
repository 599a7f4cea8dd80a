// The retry schedule holds for every input: never early, never longer than allowed.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY } from '../platform/clock.ts'
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
  const odd = ['', 'soon', '-1', '1.5', 'Mon, 02 Mar 2026', 'Monday 2 March 2026 09:01:00']
  for (const text of [undefined, ...odd]) expect(readRetryAfter(text, now)).toBeNull()
  expect(readRetryAfter('Mon, 99 Foo 2026 09:01:00 GMT', now)).toBeNull()
})

test('both obsolete forms of a date are read, a year of two digits as the nearest that ends so', () => {
  const now = Date.parse('2026-03-02T09:00:00Z')
  expect(readRetryAfter('Monday, 02-Mar-26 09:01:00 GMT', now)).toBe(60_000)
  expect(readRetryAfter('Mon Mar  2 09:01:00 2026', now)).toBe(60_000)
  expect(readRetryAfter('Thu Mar 12 09:00:00 2026', now)).toBe(10 * DAY)
  expect(readRetryAfter('Sunday, 06-Nov-94 08:49:37 GMT', now)).toBe(0)
  const eve = Date.parse('2099-12-31T23:59:00Z')
  expect(readRetryAfter('Friday, 01-Jan-00 00:00:00 GMT', eve)).toBe(60_000)
  const asks = (year: string) => readRetryAfter(`Monday, 01-Jan-${year} 00:00:00 GMT`, now)
  expect(asks('76')).toBe(Date.parse('2076-01-01T00:00:00Z') - now)
  expect(asks('77')).toBe(0)
})

test('a wait of more seconds than anybody can count is the longest there is', () => {
  for (const text of ['99999999999', '9'.repeat(400)]) {
    const asked = readRetryAfter(text, 0)
    expect(nextAttemptAt(1, 0, asked, 0)).toBe(2 * DELAYS[1]!)
  }
})
