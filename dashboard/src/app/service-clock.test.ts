// The service's time as answers tell it, whatever the viewer's clock says.
import { afterEach, expect, test, vi } from 'vitest'
import { learnTime, serviceNow } from './service-clock.ts'

const DATE = 'Tue, 17 Nov 2026 11:00:00 GMT'
const AT = Date.parse(DATE)
const HOUR = 3_600_000

afterEach(() => {
  vi.useRealTimers()
})

function learnAt(asked_at: number, answered_at = asked_at, date: string | null = DATE): number {
  vi.useFakeTimers({ now: answered_at })
  learnTime(date, asked_at, answered_at)
  return serviceNow()
}

test.each([
  ['three hours behind', -3 * HOUR],
  ['a day ahead', 24 * HOUR],
])('a clock that is %s is put right by an answer', (_, off) => {
  expect(learnAt(AT + off)).toBe(AT)
})

test('a clock that is right but for a little is left as it is, also after one that was wrong', () => {
  learnAt(AT - HOUR)
  expect(learnAt(AT - 60_000)).toBe(AT - 60_000)
})

test('an answer that took long, as on a machine that slept meanwhile, makes no clock wrong', () => {
  expect(learnAt(AT - HOUR, AT + 8 * HOUR)).toBe(AT + 8 * HOUR)
})

test.each([null, '', 'soon'])('an answer dated %j teaches nothing', date => {
  learnAt(AT - HOUR)
  expect(learnAt(AT - HOUR, AT - HOUR, date)).toBe(AT)
})
