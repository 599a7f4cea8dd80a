// The benchmark program: npm run bench [-- NAME …] [--rounds N] [--full] [--curve] [--set key=value] [--fresh].
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { readCount, readOptions, refuse } from '../tools/read-options.ts'
import type { Bench, Size, Trial } from './bench.ts'
import { BENCHES } from './benches.ts'
import { readMachine } from './machine.ts'
import {
  type CurvePoint,
  type Figures,
  median,
  type Result,
  ratioOf,
  showResult,
  spread,
  WAYS,
  type Way,
} from './rounds.ts'
import { STAGES } from './stage.ts'

const LEAST_ROUNDS = 5
const CURVE_ROUNDS = 3
const CURVE_SHARES = [0.1, 0.3]
const RESULTS = new URL('./results/', import.meta.url)

const USAGE =
  'npm run bench -- [NAME …] [--rounds N] [--full] [--curve] [--set key=value] [--fresh]'
const { values, positionals } = readOptions(USAGE, {
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: String(LEAST_ROUNDS) },
    full: { type: 'boolean', default: false },
    curve: { type: 'boolean', default: false },
    set: { type: 'string', multiple: true, default: [] },
    fresh: { type: 'boolean', default: false },
  },
})

const askedRounds = readCount('rounds', values.rounds)
const names = positionals.length > 0 ? positionals : Object.keys(BENCHES)
const unknown = names.find(name => !Object.hasOwn(BENCHES, name))
if (unknown !== undefined) {
  refuse(`no benchmark "${unknown}"; there are ${Object.keys(BENCHES).join(', ')}`)
}
if (values.fresh) rmSync(STAGES, { recursive: true, force: true })
let failed = false
for (const name of names) {
  const { bench } = await BENCHES[name]!()
  const result = await judge(bench)
  console.log(`\n${showResult(result)}`)
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(new URL(`${name}.json`, RESULTS), `${JSON.stringify(result, null, 2)}\n`)
  failed ||= result.checks.some(check => !check.ok)
}
process.exit(failed ? 1 : 0)

async function judge(bench: Bench): Promise<Result> {
  const asked = values.full ? { ...bench.size, ...bench.full } : bench.size
  const size = { ...asked, ...readSizes(values.set) }
  const rounds = askedRounds
  const curve = values.curve ? await drawCurve(bench, size) : []
  const measured = await measure(bench, size, rounds)
  const { checks, goals } = measured
  const asInTable = Object.entries(bench.size).every(([key, value]) => size[key]! >= value)
  const good = [...checks, ...goals].every(one => one.ok)
  return {
    name: bench.name,
    about: bench.about,
    at: new Date().toISOString(),
    machine: readMachine(),
    unit: bench.unit,
    ...measured,
    ratio: ratiosOf(measured.median, bench.unit),
    curve: [...curve, { size, median: measured.median }],
    reached: good && asInTable && rounds >= LEAST_ROUNDS,
  }
}

async function measure(bench: Bench, size: Size, rounds: number) {
  const trial = await bench.open(size)
  try {
    const began = performance.now()
    const figures = await takeTurns(bench, trial, rounds)
    const medians = mapWays(figures, median)
    const also = (await trial.also?.(medians)) ?? {}
    const checks = await trial.checks()
    const goals = trial.goals(medians, also)
    const seconds = Math.round((performance.now() - began) / 1000)
    const spreads = mapWays(figures, spread)
    return { size, rounds, median: medians, spread: spreads, also, checks, goals, seconds }
  } finally {
    await trial.close()
  }
}

/** The same at smaller sizes, over a decade. */
async function drawCurve(bench: Bench, size: Size): Promise<CurvePoint[]> {
  const points: CurvePoint[] = []
  for (const part of bench.grows ? CURVE_SHARES : []) {
    const smaller = bench.grows!.map(key => [key, Math.max(1, Math.round(size[key]! * part))])
    const at = { ...size, ...Object.fromEntries(smaller) }
    const { median, checks } = await measure(bench, at, CURVE_ROUNDS)
    failed ||= checks.some(check => !check.ok)
    points.push({ size: at, median })
  }
  return points
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
      const shown = `${figure.toPrecision(4)} ${bench.unit}`
      process.stderr.write(`  ${bench.name} ${way} ${round + 1}: ${shown}\n`)
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
