// npm run soak [-- --seconds N]: half of what the service can do, for nine minutes; nothing it holds may grow.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../server/src/demo/random.ts'
import { readCount, readOptions } from '../tools/read-options.ts'
import { check, showChecks } from './checks.ts'
import { newEvent, openCompany } from './company.ts'
import { getRequest, postRequest, putLoad } from './load.ts'
import { isGood, sendPaced, slowest } from './open-loop.ts'
import { serviceEnvironment, startProcess } from './processes.ts'
import { median } from './rounds.ts'
import { subscribe } from './subscribe.ts'

const { values } = readOptions('npm run soak -- [--seconds N]', {
  options: { seconds: { type: 'string', default: '540' } },
})
const seconds = readCount('seconds', values.seconds)
const SAMPLES = 18
const READ_SHARE = 0.02

const random = createRandom(31)
const { stage, company } = await openCompany({ employees: 10_000, events: 50_000 })
const { db } = stage.context
const folder = mkdtempSync(join(tmpdir(), 'bellwether-soak-'))
const heapFile = join(folder, 'heap')
const receiver = await startProcess(process.execPath, ['bench/receiver.ts'])
await subscribe(stage.context, company.tenant_id, `http://127.0.0.1:${receiver.target.port}/hook`)
const flags = ['--expose-gc', '--import', './bench/measure-heap.ts']
const service = await startProcess(process.execPath, [...flags, 'server/bellwether.js', 'serve'], {
  ...serviceEnvironment(stage),
  BENCH_HEAP_FILE: heapFile,
})
const { target, pid } = service
const next = () =>
  random() < READ_SHARE
    ? getRequest(random() < 0.5 ? '/v1/scores/summary' : '/v1/employees?sort=score', company.key)
    : postRequest('/v1/events', company.key, newEvent(random, company))

console.error('  what it can do')
await putLoad([target], { connections: 64, seconds: 10, next })
const closed = await putLoad([target], { connections: 64, seconds: 10, next })
const rate = closed.ok / closed.seconds / 2
console.error(`  ${Math.round(rate)} requests a second for ${seconds} s`)
const load = sendPaced({ target, rate, seconds, next })
const samples: Sample[] = []
for (let i = 0; i < SAMPLES; i++) {
  await sleep((seconds * 1000) / SAMPLES)
  samples.push(await takeSample())
  console.error(`  ${JSON.stringify(samples.at(-1))}`)
}
const answers = await load
await service.stop()
await receiver.stop()
await stage.close()
rmSync(folder, { recursive: true })

type Sample = { heap_mb: number; files: number; connections: number; dead_rows: number }

async function takeSample(): Promise<Sample> {
  rmSync(heapFile, { force: true })
  process.kill(pid, 'SIGUSR2')
  for (let i = 0; i < 100 && !existsSync(heapFile); i++) await sleep(50)
  const [row] = await db.sql<{ connections: number; dead_rows: number }[]>`
    SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) AS connections,
      (SELECT sum(n_dead_tup) FROM pg_stat_user_tables)::int8 AS dead_rows`
  return {
    heap_mb: Number(readFileSync(heapFile, 'utf8')) / 2 ** 20,
    files: readdirSync(`/proc/${pid}/fd`).length,
    ...row!,
  }
}

/** The middle of a third of the samples, without the first two: those are the warming up. */
function third(n: number, read: (sample: Sample) => number): number[] {
  const warm = samples.slice(2)
  const each = Math.floor(warm.length / 3)
  return warm.slice(n * each, (n + 1) * each).map(read)
}

const growth = (read: (sample: Sample) => number) => median(third(2, read)) / median(third(0, read))
const dead = (n: number) => Math.max(...third(n, one => one.dead_rows))
const bad = answers.filter(one => !isGood(one)).length
const heap = growth(one => one.heap_mb)
const files = growth(one => one.files)
const connections = growth(one => one.connections)
showChecks(`soak (${Math.round(rate)} requests/s for ${seconds} s, ${answers.length} in all)`, [
  check('every request was answered 2xx', bad === 0, bad),
  check('the heap after collection is within 10 %', Math.abs(heap - 1) <= 0.1, heap),
  check('open files are flat (within 10 %)', Math.abs(files - 1) <= 0.1, files),
  check('connections are flat (within 10 %)', Math.abs(connections - 1) <= 0.1, connections),
  check('dead rows stay on a plateau (at most 1.5 ×)', dead(2) <= 1.5 * dead(1), dead(2) / dead(1)),
  check('p99, ms', true, slowest(answers, 0.99)),
])
