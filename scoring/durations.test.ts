// Proves which written durations are read, and as how long.

import { expect, test } from 'vitest'
import { MAX_COOLDOWN_MS, parseDuration } from './durations.ts'

test.each([
  ['0h', 0],
  ['30s', 30_000],
  ['15m', 900_000],
  ['24h', 86_400_000],
  ['7d', 604_800_000],
  ['2w', 1_209_600_000],
  ['365d', MAX_COOLDOWN_MS],
  ['31536000s', MAX_COOLDOWN_MS],
])('%s is %d milliseconds', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds)
})

test.each(['', 'h', '1', '1y', '1H', '-1h', '1.5h', '1 h', ' 1h', '1h ', '1h\n', '366d', '53w'])(
  '%j is not a cooldown',
  text => {
    expect(parseDuration(text)).toBe(null)
  },
)

test('a number too long to be a cooldown is refused', () => {
  expect(parseDuration(`${'9'.repeat(400)}s`)).toBe(null)
})
