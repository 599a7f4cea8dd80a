// Proves the names of days, whichever a process asks for first.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const CLOCK = new URL('./clock.ts', import.meta.url).href

test.each([
  [-1, '1969-12-31'],
  [Date.UTC(2028, 1, 29, 23, 59, 59, 999), '2028-02-29'],
])('the first day a process asks for: %d is in %s', (at, day) => {
  const ask = `import { dayOf } from '${CLOCK}'; console.log(dayOf(${at}))`
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', ask])
  expect(said.toString().trim()).toBe(day)
})
