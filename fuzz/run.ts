// `npm run fuzz -- --seed N --requests N`: the fuzzer on a PostgreSQL of its own, with a table of what was answered.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../server/src/platform/database.ts'
import { migrate } from '../server/src/platform/migrate.ts'
import { startOwnPostgres } from '../server/test/own-postgres.ts'
import { readCount, readOptions } from '../tools/read-options.ts'
import { type FuzzResult, fuzz } from './fuzz.ts'
import { openStage } from './stage.ts'

const { values } = readOptions('npm run fuzz -- [--seed N] [--requests N]', {
  options: {
    seed: { type: 'string', default: '1' },
    requests: { type: 'string', default: '100000' },
  },
})
const seed = readCount('seed', values.seed)
const wanted = readCount('requests', values.requests)
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

const dataDir = mkdtempSync(join(tmpdir(), 'bellwether-fuzz-'))
const postgres = await startOwnPostgres({ dataDir, settings, temporary: dataDir })
try {
  const db = openDatabase({ address: postgres.address, pool: 1, prepare: true })
  await migrate(db, Date.now())
  await db.close()
  const stage = await openStage(postgres.address)
  const begun = performance.now()
  const result = await fuzz(stage, seed, wanted)
  await stage.close()
  show(result, (performance.now() - begun) / 1000)
  process.exitCode = result.findings.length === 0 ? 0 : 1
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

function show({ counts, findings, requests }: FuzzResult, seconds: number): void {
  for (const [name, own] of counts) {
    const total = [...own.values()].reduce((sum, one) => sum + one, 0)
    const statuses = [...own].sort(([a], [b]) => a - b).map(([status, n]) => `${status}×${n}`)
    console.log(`${name.padEnd(48)} ${String(total).padStart(5)}  ${statuses.join(' ')}`)
  }
  for (const { index, operation, request, faults } of findings) {
    console.log(`\nrequest ${index}, ${operation}: ${faults.join('; ').slice(0, 2000)}`)
    const body = String(request.payload ?? '').slice(0, 500)
    console.log(`  ${request.method} ${request.url.slice(0, 500)}\n  ${body}`)
  }
  const least = Math.min(
    ...[...counts.values()].map(own => [...own.values()].reduce((a, b) => a + b)),
  )
  console.log(
    `\nseed ${seed}: ${requests} requests, ${counts.size} operations, at least ${least} each, ` +
      `${findings.length} findings, ${seconds.toFixed(0)} s`,
  )
}
