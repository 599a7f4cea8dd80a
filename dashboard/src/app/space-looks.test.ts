// Looks while changes come in one after the other: the first at once, the others with a gap, a longer one where requests run low.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { learnBudget } from './request-budget.ts'
import { spaceLooks } from './space-looks.ts'

let looked: number
beforeEach(() => {
  vi.useFakeTimers()
  learnBudget('600')
  looked = 0
})
afterEach(() => {
  vi.useRealTimers()
})

const open = () =>
  spaceLooks(() => {
    looked += 1
  })

/** A change each second and a half. */
function bringChanges(ask: () => void, seconds: number): void {
  for (let ms = 0; ms < seconds * 1000; ms += 1_500) {
    ask()
    vi.advanceTimersByTime(1_500)
  }
}

test('the first change after a quiet time is looked at at once, several in a row as one', () => {
  const { ask } = open()
  for (let times = 1; times <= 2; times++) {
    ask()
    ask()
    vi.advanceTimersByTime(400)
    expect(looked).toBe(times)
    vi.advanceTimersByTime(60_000)
    expect(looked).toBe(times)
  }
})

test('a change soon after a look waits, and is looked at all the same', () => {
  const { ask } = open()
  ask()
  vi.advanceTimersByTime(400)
  ask()
  vi.advanceTimersByTime(4_999)
  expect(looked).toBe(1)
  vi.advanceTimersByTime(1)
  expect(looked).toBe(2)
})

test('while changes come in all the time, it looks every five seconds', () => {
  bringChanges(open().ask, 60)
  expect(looked).toBeGreaterThan(8)
  expect(looked).toBeLessThanOrEqual(12)
})

test('while few requests of the minute are left, it looks every twenty seconds', () => {
  learnBudget('149')
  bringChanges(open().ask, 60)
  expect(looked).toBe(3)
})

test('what was dropped is not looked at, the next change is', () => {
  const { ask, drop } = open()
  ask()
  drop()
  vi.advanceTimersByTime(60_000)
  expect(looked).toBe(0)
  ask()
  vi.advanceTimersByTime(400)
  expect(looked).toBe(1)
})
