// What is told again, and when: each thing once a minute, and never more than so many things.
import { expect, test } from 'vitest'
import { testClock } from '../../test/service.ts'
import { busy, unavailable } from './errors.ts'
import { createOnceAMinute, createOutageFilter } from './once-a-minute.ts'

const ONE_EACH = [true, false, true]

test('each thing once a minute, and at most a hundred of them', () => {
  const clock = testClock()
  const isFirst = createOnceAMinute(clock)
  expect([isFirst('a'), isFirst('a'), isFirst('b')]).toEqual([true, false, true])
  clock.advance(60_000)
  const told = Array.from({ length: 200 }, (_, i) => isFirst(`${i}`)).filter(Boolean)
  expect(told).toHaveLength(100)
})

test('an outage is told once for each reason, whatever work it stops; other faults each time', () => {
  const isNews = createOutageFilter(testClock())
  const away = (code: string) => Object.assign(unavailable(), { cause: { code } })
  expect(isNews('job', away('ECONNREFUSED'))).toBe(true)
  expect(isNews('job', away('ECONNREFUSED'))).toBe(false)
  expect(isNews('job', away('57P03'))).toBe(true)
  expect(isNews('other job', away('ECONNREFUSED'))).toBe(false)
  // Of work that took too long, waited for a lock or found no room, it matters which it was.
  for (const code of ['57014', '25P04', 'DEADLINE', '55P03'])
    expect(['job', 'job', 'other job'].map(job => isNews(job, away(code)))).toEqual(ONE_EACH)
  expect(['job', 'job', 'other job'].map(job => isNews(job, busy()))).toEqual(ONE_EACH)
  expect([isNews('job', new Error('x')), isNews('job', new Error('x'))]).toEqual([true, true])
})
