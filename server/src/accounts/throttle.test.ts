// How failures slow the next attempt down, to the millisecond.
import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE, MOST_AHEAD_MS, SECOND } from '../platform/clock.ts'
import {
  believable,
  countFailure,
  networkOf,
  THROTTLES,
  type ThrottleKind,
  throttleNames,
  waitOf,
} from './throttle.ts'

const NOW = 1_000_000_000

function fail(kind: ThrottleKind, times: number, every = 0) {
  let state: ReturnType<typeof countFailure> | undefined
  for (let i = 0; i < times; i++) state = countFailure(kind, state, NOW + i * every)
  return state!
}

test('the table is the documented one', () => {
  expect(THROTTLES).toEqual({
    pair: { free: 5, longest_ms: 15 * MINUTE, forget_ms: DAY },
    address: { free: 30, longest_ms: 15 * MINUTE, forget_ms: HOUR },
    account: { free: 50, longest_ms: MINUTE, forget_ms: DAY },
    code: { free: 5, longest_ms: 15 * MINUTE, forget_ms: DAY },
    link: { free: 5, longest_ms: HOUR, forget_ms: DAY },
  })
})

test.each([
  [1, 0],
  [4, 0],
  [5, SECOND],
  [6, 2 * SECOND],
  [7, 4 * SECOND],
  [14, 512 * SECOND],
  [15, 15 * MINUTE],
  [60, 15 * MINUTE],
])('after %i failures of a pair the pause is %i ms', (times, pause) => {
  const state = fail('pair', times)
  expect(state).toEqual({ failures: times, last_failed_at: NOW, blocked_until: NOW + pause })
  expect(waitOf(state, NOW)).toBe(pause)
  expect(waitOf(state, NOW + pause)).toBe(0)
  expect(waitOf(state, NOW + pause + 1)).toBe(0)
})

test('an account from many addresses is slowed for a minute at most, so nobody is locked out', () => {
  expect(fail('account', 10_000).blocked_until).toBe(NOW + MINUTE)
})

test('who has not failed does not wait', () => {
  expect(waitOf(undefined, NOW)).toBe(0)
})

test('failures are forgotten after their time, and not a millisecond before', () => {
  const state = fail('pair', 9)
  expect(countFailure('pair', state, NOW + DAY).failures).toBe(10)
  expect(countFailure('pair', state, NOW + DAY + 1)).toEqual({
    failures: 1,
    last_failed_at: NOW + DAY + 1,
    blocked_until: NOW + DAY + 1,
  })
})

test('what a clock far ahead has written keeps nobody out longer than the failures do', () => {
  const state = fail('pair', 7)
  const bound = NOW - MOST_AHEAD_MS
  expect(believable('pair', state, bound)).toBe(state)
  const read = believable('pair', state, bound - 1)
  expect(read).toEqual({ failures: 7, last_failed_at: bound - 1, blocked_until: bound - 1 + 4000 })
  const over = { ...state, blocked_until: 0 }
  expect(believable('pair', over, bound - 1).blocked_until).toBe(0)
})

test('names tell pairs, addresses and accounts apart, and neither in the clear', () => {
  const names = throttleNames('ann@example.com', '192.0.2.1')
  expect(Object.entries(names).map(([kind, name]) => name.startsWith(`${kind}:`))).toEqual([
    true,
    true,
    true,
  ])
  expect(new Set(Object.values(names)).size).toBe(3)
  for (const name of Object.values(names)) expect(name).toMatch(/^\w+:[\w-]{22}$/)
  const other = throttleNames('ann@example.com', '192.0.2.2')
  expect(other.account).toBe(names.account)
  expect([other.pair === names.pair, other.address === names.address]).toEqual([false, false])
  expect(throttleNames('bob@example.com', '192.0.2.1').address).toBe(names.address)
  const six = throttleNames('ann@example.com', '2001:db8:1:2::1')
  expect(throttleNames('ann@example.com', '2001:db8:1:2:ffff::9')).toEqual(six)
  expect(throttleNames('ann@example.com', '2001:db8:1:3::1').address).not.toBe(six.address)
  expect(throttleNames('ann@example.com', 'odd').address).not.toBe(names.address)
  expect(networkOf('::ffff:192.0.2.1')).toBe('192.0.2.1')
})
