// Times as people say them: rounded to one unit, and never to a day of the calendar they were not on.
import { afterEach, expect, test, vi } from 'vitest'
import { beginOf, printLocal, sayDay, sayTime } from './dates.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

test.each([
  [4_000, 'just now'],
  [59_000, '59 seconds ago'],
  [59.6 * MINUTE, '1 hour ago'],
  [23.4 * HOUR, '23 hours ago'],
  [23.6 * HOUR, '1 day ago'],
  [35 * HOUR, '1 day ago'],
  [13 * DAY, '13 days ago'],
  [20 * DAY, '3 weeks ago'],
  [100 * DAY, '3 months ago'],
  [364 * DAY, '12 months ago'],
  [400 * DAY, '1 year ago'],
  [-35 * HOUR, 'in 1 day'],
  [-59.6 * MINUTE, 'in 1 hour'],
])('%d milliseconds ago', (ago, said) => {
  expect(sayTime(0, ago)).toBe(said)
})

afterEach(() => {
  vi.unstubAllEnvs()
})

test.each([
  ['Pacific/Auckland', '2026-11-17T09:30'],
  ['America/Los_Angeles', '2026-11-16T12:30'],
])('today is the day in %s', (zone, printed) => {
  vi.stubEnv('TZ', zone)
  expect(printLocal(Date.parse('2026-11-16T20:30:00Z'))).toBe(printed)
})

test('a day that was named is that day', () => {
  expect(sayDay(beginOf('2026-11-16'))).toBe('16 November 2026')
})
