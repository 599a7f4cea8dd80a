// Numbers as people read them.
import { expect, test } from 'vitest'
import { sayPercent } from './numbers.ts'

test('few of many are not said to be none, nor nearly all to be all', () => {
  expect(sayPercent(0.016, 8, 50_000)).toBe('< 0.1 %')
  expect(sayPercent(100, 49_992, 50_000)).toBe('> 99.9 %')
  expect(sayPercent(0, 0, 50_000)).toBe('0.0 %')
  expect(sayPercent(100, 3, 3)).toBe('100.0 %')
  expect(sayPercent(4.8, 12, 250)).toBe('4.8 %')
})
