// Proves the names of days and the texts of instants.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY, dayOf, isoOf } from './clock.ts'

const INSTANT = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_800_000 + 400 * DAY })

test('a day is named as the calendar has it, whichever is asked for before and after', () => {
  expect(dayOf(-1)).toBe('1969-12-31')
  expect(dayOf(Date.UTC(2028, 1, 29, 23, 59, 59, 999))).toBe('2028-02-29')
  for (let day = 0; day < 12_000; day++) {
    expect(dayOf(day * DAY + 1)).toBe(new Date(day * DAY).toISOString().slice(0, 10))
  }
})

test('an instant is written as toISOString writes it', () => {
  const check = fc.property(INSTANT, at => {
    expect(isoOf(at)).toBe(new Date(at).toISOString())
  })
  fc.assert(check, { numRuns: 5000 })
  for (const at of [0, DAY - 1, DAY, 253_402_300_799_999, 253_402_300_800_000]) {
    expect(isoOf(at)).toBe(new Date(at).toISOString())
  }
})

test('what is no instant is refused', () => {
  expect(() => isoOf(Number.NaN)).toThrow(RangeError)
})
