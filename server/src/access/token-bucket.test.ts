// The bucket's arithmetic where clocks disagree.
import { describe, expect, test } from 'vitest'
import { HOUR, MINUTE, SECOND } from '../platform/clock.ts'
import { type BucketState, refill } from './token-bucket.ts'

const spec = { bucket: 'requests', per_minute: 60, capacity: 100 }
const NOW = 1_800_000_000_000
const empty = (updated_at: number): BucketState => ({ tokens: 0, updated_at })

describe('a clock that runs behind the one that wrote last', () => {
  test('by less than a minute refills nothing twice', () => {
    const state = refill(empty(NOW), spec, NOW - 30 * SECOND)
    expect(state).toEqual({ tokens: 0, updated_at: NOW })
    expect(refill(state, spec, NOW + SECOND).tokens).toBe(1)
  })

  test('by an hour: the bucket fills from now on, not in an hour', () => {
    const state = refill(empty(NOW + HOUR), spec, NOW)
    expect(state).toEqual({ tokens: 0, updated_at: NOW })
    expect(refill(state, spec, NOW + MINUTE).tokens).toBe(60)
  })
})
