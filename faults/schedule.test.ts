// The schedule of faults: every kind on every target, enough on PostgreSQL, few of the long ones, the same by its seed.
import { describe, expect, test } from 'vitest'
import { KINDS, makeSchedule } from './schedule.ts'

const SEEDS = Array.from({ length: 200 }, (_, seed) => seed)

describe('forty faults', () => {
  test.each([1, 2, 3])('of seed %i are the same each time', seed => {
    expect(makeSchedule(seed, 40)).toEqual(makeSchedule(seed, 40))
    expect(makeSchedule(seed, 40)).not.toEqual(makeSchedule(seed + 1, 40))
  })

  test('hold every kind on every target, fifteen on PostgreSQL, three long ones at most', () => {
    for (const seed of SEEDS) {
      const faults = makeSchedule(seed, 40)
      expect(faults).toHaveLength(40)
      const names = new Set(faults.map(({ target, kind }) => `${target} ${kind}`))
      for (const [target, kinds] of Object.entries(KINDS)) {
        for (const kind of kinds) expect(names).toContain(`${target} ${kind}`)
      }
      const count = (hit: (one: (typeof faults)[number]) => boolean) => faults.filter(hit).length
      expect(count(one => one.target === 'postgres')).toBeGreaterThanOrEqual(15)
      expect(count(one => one.kind === 'away 30 s')).toBeLessThanOrEqual(3)
      expect(count(one => one.kind === 'disk full')).toBeLessThanOrEqual(2)
    }
  })
})
