// The fault tests: npm run faults -- --seed N [--faults N] | --steps [NAME …] | --plant NAME | --plants.
import { readCount, readOptions } from '../tools/read-options.ts'
import { report } from './report.ts'
import { type Caught, catchPlant, PLANT_NAMES, runPlant } from './run-plants.ts'
import { runSeeded, say } from './run-seeded.ts'
import { runSteps } from './run-steps.ts'
import { openWorld } from './world.ts'

const USAGE = 'npm run faults -- --seed N [--faults N] | --steps [NAME …] | --plant NAME | --plants'
const { values, positionals } = readOptions(USAGE, {
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    faults: { type: 'string', default: '40' },
    steps: { type: 'boolean', default: false },
    plant: { type: 'string' },
    plants: { type: 'boolean', default: false },
  },
})
const seed = readCount('seed', values.seed)
const faults = readCount('faults', values.faults)
const began = Date.now()
const ALL = 40

/** Only whole runs are kept: a part of one would look like all of it. */
async function main(): Promise<boolean> {
  if (values.steps) {
    const outcomes = await runSteps(positionals)
    if (positionals.length === 0) report('steps', began, outcomes)
    return outcomes.every(one => one.faults.length === 0)
  }
  if (values.plants || values.plant !== undefined) return runPlants()
  const outcome = await runSeeded(seed, faults)
  if (faults === ALL) report('seeded', began, outcome)
  for (const fault of outcome.faults) say(`WRONG ${fault}`)
  return outcome.faults.length === 0
}

async function runPlants(): Promise<boolean> {
  const names = values.plants ? [null, ...PLANT_NAMES] : [values.plant!]
  const caught: Caught[] = []
  const world = await openWorld()
  try {
    for (const name of names) {
      const isPlanted = name !== null && name !== 'none'
      const one = await (isPlanted ? catchPlant(world, name) : runPlant(world, null))
      caught.push(one)
      say(
        `${one.plant ?? 'nothing planted'}, ${one.seconds} s: ${one.faults[0] ?? 'nothing found'}`,
      )
    }
  } finally {
    await world.close()
  }
  if (values.plants) report('plants', began, caught)
  return caught.every(one => (one.plant === null) === (one.faults.length === 0))
}

const good = await main().catch(error => {
  console.error(error)
  return false
})
process.exit(good ? 0 : 1)
