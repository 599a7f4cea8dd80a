// The benchmark program: npm run bench [-- NAME …] [--rounds N] [--full] [--set key=value].
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Bench, Size, Trial } from './bench.ts'
import { median, type Figures, ratioOf, type Result, showResult, spread, WAYS, type Way } from './rounds.ts'

const BENCHES: Record<string, () => Promise<{ bench: Bench }>> = {
  rules: () => import('./rules.bench.ts'),
  ingest: () => import('./ingest.bench.ts'),
  'ingest-one': () => import('./ingest-one.bench.ts'),
  batch: () => import('./batch.bench.ts'),
}

const LEAST_ROUNDS = 5
const RESULTS = new URL('./results/', import.meta.url)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: String(LEAST_ROUNDS) },
    full: { type: 'boolean', default: false },
    set: { type: 'string', multiple: true, default: [] },
  },
})

const names = positionals.length > 0 ? positionals : Object.keys(BENCHES)
let failed = false
for (const name of names) {
  const load = BENCHES[name]
  if (!load) throw new Error(`no benchmark "${name}"; there are ${Object.keys(BENCHES).join(', ')}`)
  const { bench } = await load()
  const result = await measure(bench, Number(values.rounds))
  console.log(`\n${showResult(result)}`)
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(new URL(`${name}.json`, RESULTS), `${JSON.stringify(result, null, 2)}\n`)
  failed ||= result.checks.some(check => !check.ok)
}
process.exit(failed ? 1 : 0)

async function measure(bench: Bench, rounds: number): Promise<Result> {
  const asked = values.full ? { ...bench.size, ...bench.full } : bench.size
  const size = { ...asked, ...readSizes(values.set) }
  const trial = await bench.open(size)
  try {
    const figures = await takeTurns(bench, trial, rounds)
    const medians = mapWays(figures, median)
    const also = (await trial.also?.(medians)) ?? {}
    const checks = await trial.checks()
    const goals = trial.goals(medians, also)
    const asInTable = Object.entries(bench.size).every(([key, value]) => size[key]! >= value)
    const good = checks.every(one => one.ok) && goals.every(one => one.ok)
    return {
      name: bench.name,
      size,
      unit: bench.unit,
      rounds,
      median: medians,
      spread: mapWays(figures, spread),
      ratio: ratiosOf(medians, bench.unit),
      also,
      checks,
      goals,
      reached: good && asInTable && rounds >= LEAST_ROUNDS,
    }
  } finally {
    await trial.close()
  }
}

type Taken = Partial<Record<Way, number[]>>

/** The ways are measured in turns, so that a slow moment of the machine hits all of them. */
async function takeTurns(bench: Bench, trial: Trial, rounds: number): Promise<Taken> {
  const figures: Taken = {}
  for (let round = 0; round < rounds; round++) {
    for (const way of WAYS) {
      const run = trial.ways[way]
      if (!run) continue
      const figure = await run()
      figures[way] = [...(figures[way] ?? []), figure]
      process.stderr.write(`  ${bench.name} ${way} ${round + 1}: ${figure.toPrecision(4)} ${bench.unit}\n`)
    }
  }
  return figures
}

function mapWays(figures: Taken, read: (values: number[]) => number): Figures {
  return Object.fromEntries(Object.entries(figures).map(([way, list]) => [way, read(list)]))
}

function ratiosOf(medians: Figures, unit: string): Result['ratio'] {
  const ours = medians.ours ?? 0
  const usual = ratioOf(ours, medians.usual, unit)
  const limit = ratioOf(ours, medians.limit, unit)
  return { ...(usual === undefined ? {} : { usual }), ...(limit === undefined ? {} : { limit }) }
}

function readSizes(pairs: readonly string[]): Size {
  return Object.fromEntries(
    pairs.map(pair => {
      const [key = '', value] = pair.split('=')
      return [key, Number(value)]
    }),
  )
}
