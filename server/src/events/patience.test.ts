// Four clients that send the largest batches, as fast as they are answered, are all served.
import { expect, test } from 'vitest'
import { MOST_WAIT_MS } from '../platform/fair-gate.ts'
import { patience } from './patience.ts'

test('small requests wait as long as any other', () => {
  expect(patience(0)).toBe(MOST_WAIT_MS)
})

test('behind three batches of a thousand the wait may be as long as these take', () => {
  const slowest_ms_each = 0.9
  expect(patience(3000)).toBeGreaterThan(3000 * slowest_ms_each)
})
