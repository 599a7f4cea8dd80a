// The parts of an attempt's time are named after what was going on, also where it went no further.
import { expect, test } from 'vitest'
import { partsOf } from './timing-parts.ts'

type Stage = Parameters<typeof partsOf>[0]['stage']

const sayParts = (marks: readonly (number | null)[], stage: Stage): string[] => {
  const [dns_ms, connect_ms, first_byte_ms, total_ms] = marks as [null, null, null, null]
  const parts = partsOf({ timings: { dns_ms, connect_ms, first_byte_ms, total_ms }, stage })
  return parts.filter(({ ms }) => ms > 0).map(({ name, ms }) => `${name} ${ms}`)
}

test('all that an answer took', () => {
  expect(sayParts([10, 30, 80, 100], null)).toEqual([
    'Look up 10',
    'Connect 20',
    'Wait 50',
    'Read 20',
  ])
})

test('a connection used again is neither looked up nor opened', () => {
  expect(sayParts([null, null, 80, 100], null)).toEqual(['Wait 80', 'Read 20'])
  expect(sayParts([null, null, null, 100], 'headers')).toEqual(['Wait 100'])
})

test.each([
  ['dns', [null, null, null, 33], ['Look up 33']],
  ['destination', [4, null, null, 5], ['Look up 4', 'Connect 1']],
  ['connect', [10, null, null, 3000], ['Look up 10', 'Connect 2990']],
  ['connect', [null, null, null, 3000], ['Connect 3000']],
  ['tls', [10, null, null, 60], ['Look up 10', 'Connect 50']],
] as const)('an attempt that never connected waited for nobody: %s', (stage, marks, parts) => {
  expect(sayParts(marks, stage)).toEqual(parts)
})
