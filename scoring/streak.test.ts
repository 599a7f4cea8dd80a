// Proves when a clean streak falls due.

import { expect, test } from 'vitest'
import { DAY_MS } from './durations.ts'
import { streakDueAt } from './streak.ts'

const facts = {
  created_at: 1_000,
  reactivated_at: null,
  last_negative_at: null,
  last_streak_at: null,
  changed_at: null,
  clean_streak_days: 30,
}
const PERIOD = 30 * DAY_MS

test('a streak is due a period after creation when nothing else happened', () => {
  expect(streakDueAt(facts)).toBe(1_000 + PERIOD)
})

test.each(['reactivated_at', 'last_negative_at', 'last_streak_at'] as const)(
  '%s restarts the period when it is the latest, and only then',
  name => {
    expect(streakDueAt({ ...facts, [name]: 5_000 })).toBe(5_000 + PERIOD)
    expect(streakDueAt({ ...facts, [name]: 500 })).toBe(1_000 + PERIOD)
  },
)

test('the latest of all counts', () => {
  const all = { ...facts, reactivated_at: 3_000, last_negative_at: 9_000, last_streak_at: 4_000 }
  expect(streakDueAt(all)).toBe(9_000 + PERIOD)
})

test('no streak falls due before the period was changed', () => {
  expect(streakDueAt({ ...facts, changed_at: 2_000 })).toBe(1_000 + PERIOD)
  expect(streakDueAt({ ...facts, changed_at: 2_000 + PERIOD })).toBe(2_000 + PERIOD)
})
