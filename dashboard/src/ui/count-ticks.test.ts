// Proves which numbers an axis of counts names.
import { expect, test } from 'vitest'
import { countTicks } from './count-ticks.ts'

test.each([
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [94, [0, 50, 100]],
  [100, [0, 50, 100]],
  [41_000, [0, 20_000, 40_000, 60_000]],
])('up to %i people', (most, ticks) => {
  expect(countTicks(most)).toEqual(ticks)
})
