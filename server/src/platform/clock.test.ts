// Proves the names of days, whichever is asked for first.
import { expect, test, vi } from 'vitest'

test.each([
  [-1, '1969-12-31'],
  [0, '1970-01-01'],
  [Date.UTC(2028, 1, 29, 23, 59, 59, 999), '2028-02-29'],
])('the first day a process asks for: %d is in %s', async (at, day) => {
  vi.resetModules()
  const { dayOf } = await import('./clock.ts')
  expect(dayOf(at)).toBe(day)
})
