// Jobs that rest while our clock may be the wrong one say so, once.
import pino from 'pino'
import { expect, test } from 'vitest'
import type { Context } from './context.ts'
import { onlyIfTrusted } from './trust-clock.ts'

test('a job says that it rests when it begins to, and runs once the clock is trusted again', async () => {
  const lines: string[] = []
  const log = pino({}, { write: line => void lines.push(line) }) as Context['log']
  let isTrusted = false
  const job = onlyIfTrusted(async () => isTrusted, {
    name: 'forget',
    every_ms: 1,
    run: async () => true,
  })
  const runs: boolean[] = []
  for (const trusted of [false, false, true, false]) {
    isTrusted = trusted
    runs.push(await job.run({ log } as Context))
  }
  expect(runs).toEqual([false, false, true, false])
  expect(lines.map(line => JSON.parse(line).job)).toEqual(['forget', 'forget'])
})
