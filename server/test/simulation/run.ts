// `npm run simulate -- --seeds N --from N`, or `--seed N` for one: the simulation by seeds, on no database at all.
import { readCount, readOptions } from '../../../tools/read-options.ts'
import { KILL_STEPS, simulate } from './simulate.ts'

const { values } = readOptions('npm run simulate -- [--seeds N] [--from N] | --seed N', {
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '20000' },
    from: { type: 'string', default: '1' },
  },
})
const from = readCount('from', values.seed ?? values.from)
const count = values.seed === undefined ? readCount('seeds', values.seeds) : 1

const began = performance.now()
const killed = new Map<string, number>(KILL_STEPS.map(name => [name, 0]))
const totals = { kills: 0, mishaps: 0, statements: 0, deadlocks: 0, events: 0 }
const failed: number[] = []
for (let seed = from; seed < from + count; seed++) {
  try {
    const report = await simulate(seed)
    const { killed_at } = report
    if (killed_at) killed.set(killed_at, killed.get(killed_at)! + 1)
    for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += report[name]
  } catch (error) {
    failed.push(seed)
    console.log(`seed ${seed}: ${count === 1 ? (error as Error).stack : (error as Error).message}`)
    console.log(`  once more: npm run simulate -- --seed ${seed}`)
  }
}
for (const [name, times] of killed) console.log(`${name.padEnd(20)} killed ${times} times`)
const seconds = (performance.now() - began) / 1000
console.log(
  Object.entries(totals)
    .map(([name, total]) => `${total} ${name}`)
    .join(', '),
)
console.log(`${count} seeds, ${failed.length} failed, ${seconds.toFixed(1)} s`)
process.exitCode = failed.length === 0 ? 0 : 1
