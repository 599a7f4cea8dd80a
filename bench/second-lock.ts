// What row-level security costs PostgreSQL: CPU time of its processes per event and per read, with the lock and without.
// node bench/second-lock.ts: rounds alternate on one database; counted in CPU time, so that a busy machine does not show.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { readConfig } from '../server/src/config.ts'
import { createRandom } from '../server/src/demo/random.ts'
import { readEmployeePage } from '../server/src/employees/list-employees.ts'
import { readScoreHistory } from '../server/src/employees/read-employees.ts'
import { applyDueChangesJob } from '../server/src/events/apply-due-changes.job.ts'
import { createIngest } from '../server/src/events/ingest-queue.ts'
import { systemClock } from '../server/src/platform/clock.ts'
import type { Context } from '../server/src/platform/context.ts'
import { openDatabase, type Tx } from '../server/src/platform/database.ts'
import { type DatabaseRoles, nameRoles } from '../server/src/platform/database-roles.ts'
import { runDueJobs } from '../server/src/platform/jobs.ts'
import { migrate } from '../server/src/platform/migrate.ts'
import { createSecrets, keyFromSetting } from '../server/src/platform/secrets.ts'
import { agePastJob } from '../server/src/scores/age-past.job.ts'
import { closeDaysJob } from '../server/src/scores/close-days.job.ts'
import { startOwnPostgres } from '../server/test/own-postgres.ts'
import { enterCompany, newEvent } from './company.ts'
import { fillCompany } from './fill-company.ts'
import { median } from './rounds.ts'

const [EMPLOYEES, EVENTS, ROUNDS] = [5_000, 20_000, 7]
const [CLIENTS, EACH, READS] = [128, 12, 200]
const random = createRandom(3)

const dataDir = mkdtempSync(join(tmpdir(), 'bellwether-lock-'))
const server = await startOwnPostgres({ dataDir, temporary: dataDir })
const open = (roles: DatabaseRoles | null): Context => ({
  db: openDatabase({
    address: roles ? { ...server.address, user: roles.tenant } : server.address,
    pool: 4,
    prepare: true,
    roles,
  }),
  clock: systemClock,
  config: readConfig({}),
  secrets: createSecrets(keyFromSetting('a key for measuring only, long enough')),
  log: pino({ level: 'error' }),
})
const without = open(null)
await migrate(without.db, Date.now(), { login: server.address.password })
const ways = { without, with: open(nameRoles()) }
await fillCompany(without, { employees: EMPLOYEES, events: EVENTS }, Date.now())
// As a worker that runs all the time leaves it.
await runDueJobs(without, [applyDueChangesJob(), closeDaysJob(), agePastJob()])
await without.db.sql`VACUUM (ANALYZE)`
const company = await enterCompany(without, EMPLOYEES)
const { tenant_id } = company

/** Nanoseconds that the processes of this server have run, those that have ended aside. */
function readCpu(): number {
  const own = readdirSync('/proc').filter(pid => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[3] === String(server.pid())
    } catch {
      return false
    }
  })
  return own.reduce((sum, pid) => {
    return sum + Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0])
  }, 0)
}

async function ingestMany(context: Context): Promise<number> {
  const ingest = createIngest(context)
  const client = async () => {
    for (let i = 0; i < EACH; i++) {
      const free = { timestamp: null, external_id: null, keep_unmatched: false }
      await ingest(tenant_id, {
        inputs: [{ ...newEvent(random, company), source: 'api', ...free }],
        actor: 'key:bench',
        repeatable: null,
        answer: () => ({ status: 201, body: null }),
      })
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return CLIENTS * EACH
}

const [person] = await without.db.sql<{ employee_id: string }[]>`
  SELECT employee_id FROM employees WHERE tenant_id = ${tenant_id} LIMIT 1`

const reads = (work: (tx: Tx) => Promise<unknown>) => async (context: Context) => {
  for (let i = 0; i < READS; i++) await context.db.inTenant(tenant_id, work)
  return READS
}

const jobs: Record<string, (context: Context) => Promise<number>> = {
  'one event, 128 at once': ingestMany,
  'one row by its key': reads(
    tx =>
      tx`SELECT email FROM employees WHERE tenant_id = ${tenant_id} AND employee_id = ${person!.employee_id}`,
  ),
  'a history of 30 days': reads(tx =>
    readScoreHistory(tx, tenant_id, person!.employee_id, {}, Date.now()),
  ),
  'a page of employees': reads(tx => readEmployeePage(tx, tenant_id, {})),
  'a search for one': reads(tx => readEmployeePage(tx, tenant_id, { search: 'person4711' })),
}

for (const [name, job] of Object.entries(jobs)) {
  const costs: Record<string, number[]> = { without: [], with: [] }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [way, context] of Object.entries(ways)) {
      const before = readCpu()
      const count = await job(context)
      // The first round fills caches and makes plans.
      if (round > 0) costs[way]!.push((readCpu() - before) / count / 1000)
    }
  }
  const [off, on] = [median(costs.without!), median(costs.with!)]
  const more = `${(((on - off) / off) * 100).toFixed(1)} %`
  console.log(`${name.padEnd(24)} ${off.toFixed(1)} µs without, ${on.toFixed(1)} µs with: ${more}`)
}

for (const { db } of Object.values(ways)) await db.close()
await server.stop()
rmSync(dataDir, { recursive: true, force: true })
