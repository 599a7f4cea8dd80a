// Statistics of tables that have grown: plans made while they were small are made anew.
import { expect, it } from 'vitest'
import { countRead } from '../../test/count-read.ts'
import { hire } from '../../test/scenario.ts'
import { type Service, startService } from '../../test/service.ts'
import type { Config } from '../config.ts'
import { lockStandingsByEmail } from '../employees/standings.queries.ts'
import type { Tx } from './database.ts'
import { runDueJobs } from './jobs.ts'
import { measureTablesJob } from './measure-tables.job.ts'
import { listGrown } from './measure-tables.queries.ts'

const service = await startUnwatched()
const { db } = service.context
const measure = () => runDueJobs(service.context, [measureTablesJob])
const grown = () => db.acrossTenants(listGrown)

/** The database itself takes no statistics meanwhile. */
async function startUnwatched(config: Partial<Config> = {}): Promise<Service> {
  const started = await startService(config)
  const { sql } = started.context.db
  const tables = await sql`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
  for (const { name } of tables)
    await sql`ALTER TABLE ${sql(name)} SET (autovacuum_enabled = false)`
  return started
}

async function countPeople(tx: Tx): Promise<number> {
  return (await countRead(tx, 'employees')) + (await countRead(tx, 'employee_states'))
}

const emails = (n: number, name: string) =>
  Array.from({ length: n }, (_, i) => `${name}${i}@example.com`)

it('a table that has grown is measured once, and again when it is four times as large', async () => {
  const tenant = await service.tenant()
  await measure()
  expect(await grown()).toEqual([])
  await hire(service, tenant, emails(900, 'first'))
  expect(await grown()).toContain('employees')
  await measure()
  expect(await grown()).toEqual([])
  const [row] = await db.sql`SELECT reltuples AS n FROM pg_class WHERE oid = 'employees'::regclass`
  expect(row!.n).toBe(900)
  await hire(service, tenant, emails(900, 'second'))
  expect(await grown()).not.toContain('employees')
  await hire(service, tenant, emails(2400, 'third'))
  expect(await grown()).toContain('employees')
})

it('a plan made for a few people reads one of them, not all, once there are many', async () => {
  const young = await startUnwatched({ pool: 1 })
  const tenant = await young.tenant()
  const lockAda = () =>
    young.context.db.inTenant(tenant.tenant_id, async tx => {
      const before = await countPeople(tx)
      await lockStandingsByEmail(tx, tenant.tenant_id, ['ada@example.com'])
      return (await countPeople(tx)) - before
    })
  await hire(young, tenant, ['ada@example.com'])
  await lockAda()
  await hire(young, tenant, emails(3000, 'many'))
  expect(await lockAda()).toBeGreaterThan(3000)
  await runDueJobs(young.context, [measureTablesJob])
  expect(await lockAda()).toBeLessThan(20)
})
