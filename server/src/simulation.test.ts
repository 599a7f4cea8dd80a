// A hundred seeds of the simulation; two thousand, with a kill at every step, and planted bugs are of the deep run.
import { expect, test } from 'vitest'
import { simulate } from '../test/simulation/simulate.ts'

test('ingestion, the worker and the clock hold under the faults of 100 seeds', async () => {
  for (let seed = 1; seed <= 100; seed++) {
    const report = await simulate(seed).catch((error: Error) => {
      throw new Error(`seed ${seed}, once more: npm run simulate -- --seed ${seed}`, {
        cause: error,
      })
    })
    expect(report.deadlocks, `seed ${seed}`).toBe(0)
  }
})
