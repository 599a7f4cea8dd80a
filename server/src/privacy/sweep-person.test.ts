// How many rows of unknown size an erasure looks through at once.
import { expect, test } from 'vitest'
import { SECOND } from '../platform/clock.ts'
import { nextSize } from './sweep-person.ts'

test('a transaction that took long is followed by smaller ones, a quick one by larger ones up to the most', () => {
  expect(nextSize(50, 0, 1000)).toBe(100)
  expect(nextSize(800, SECOND / 4, 1000)).toBe(1000)
  expect(nextSize(400, SECOND, 1000)).toBe(400)
  expect(nextSize(400, 3 * SECOND, 1000)).toBe(100)
  expect(nextSize(2, 20 * SECOND, 1000)).toBe(1)
})
