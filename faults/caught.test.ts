// The harness itself on trial: a run without a planted bug finds nothing, and each planted bug is caught.
import { afterAll, expect, test } from 'vitest'
import { catchPlant, PLANT_NAMES, runPlant } from './run-plants.ts'
import { openWorld } from './world.ts'

const world = await openWorld()
afterAll(() => world.close())

test('without a planted bug nothing is found', async () => {
  expect((await runPlant(world, null)).faults).toEqual([])
})

test.each(PLANT_NAMES)('%s is caught', async name => {
  expect((await catchPlant(world, name)).faults).not.toEqual([])
})
