// Proves that a database of every earlier release, with a life in it, is brought up to date without losing a value.
import { pipeline } from 'node:stream/promises'
import { describe, expect, it } from 'vitest'
import { afterFile } from '../test/after-file.ts'
import { hire, ingest, recalculate, runJobs } from '../test/scenario.ts'
import { caller, cloneDatabase, START, startService } from '../test/service.ts'
import { buildApp } from './app.ts'
import {
  copyIn,
  copyOut,
  listTables,
  readAll,
  type Table,
  writeAll,
} from './backup/backup.queries.ts'
import { DAY, MINUTE } from './platform/clock.ts'
import { type Database, openDatabase } from './platform/database.ts'
import { nameRoles } from './platform/database-roles.ts'
import { runDueJobs } from './platform/jobs.ts'
import { isCurrent, listMigrations, migrate } from './platform/migrate.ts'
import { addUpCountsJob } from './scores/add-up-counts.job.ts'
import { verifyTenant } from './verify/verify-tenant.ts'

/** The first release; what was before it, with another form of the audit log, nobody has. */
const FIRST = 33
const known = listMigrations()
const releases = known
  .map(one => one.version)
  .filter(version => version >= FIRST)
  .slice(0, -1)

const service = await startService()
const tenant = await service.tenant()
const emails = ['ada@example.com', 'bo@example.com', 'cy@example.com', 'di@example.com']
const [ada] = await hire(service, tenant, emails)
const types = ['sim.link_clicked', 'email.phishing_reported', 'auth.mfa_disabled']
await tenant.call('POST', '/v1/webhooks', {
  url: 'https://example.com/h',
  events: ['score.updated'],
})
await ingest(
  service,
  tenant,
  emails.flatMap(email => types.map((type, i) => ({ email, type, at: START - i * 9 * DAY }))),
)
service.clock.advance(40 * DAY)
await runJobs(service)
await recalculate(service, tenant)
await tenant.call('PATCH', `/v1/employees/${ada}`, { department: 'Support', title: 'Lead' })
/** Earlier releases have counts alone, no entries of them. */
service.clock.advance(MINUTE)
await runDueJobs(service.context, [addUpCountsJob()])
const owner = await openOwner(service.address)
const shown = await showAll(tenant.call)
/** What it still holds in memory is written now, not while the rows are compared. */
await service.app.close()

async function openOwner(address: Awaited<ReturnType<typeof cloneDatabase>>): Promise<Database> {
  const db = openDatabase({ address, pool: 1, prepare: true })
  afterFile(() => db.close())
  return db
}

/** Everything a user reads of the scores; equal before and after. */
async function showAll(call: ReturnType<typeof caller>) {
  const paths = [
    'employees?sort=name',
    `employees/${ada}`,
    'events?per_page=100',
    'rules',
    'scores/summary',
  ]
  const answers = await Promise.all(paths.map(path => call('GET', `/v1/${path}`)))
  return answers.map(({ status, body }) => ({ status, body }))
}

/** The schema as that release made it, empty. */
async function openRelease(version: number) {
  const address = await cloneDatabase()
  const db = await openOwner(address)
  await db.sql`DROP SCHEMA public CASCADE`
  await db.sql`CREATE SCHEMA public`
  await db.sql`CREATE TABLE schema_migrations (version integer NOT NULL, name text NOT NULL, checksum text NOT NULL,
    applied_at timestamptz NOT NULL, CONSTRAINT schema_migrations_pk PRIMARY KEY (version))`
  for (const one of known.filter(each => each.version <= version)) {
    await db.sql.unsafe(one.sql)
    await db.sql`INSERT INTO schema_migrations VALUES (${one.version}, ${one.name}, ${one.checksum}, ${new Date(START)})`
  }
  return { address, db }
}

/** The rows that release would hold: of its tables, its columns. */
async function fill(db: Database): Promise<Table[]> {
  return readAll(owner, from =>
    writeAll(db, async to => {
      const tables = await listTables(to)
      for (const table of tables) {
        await pipeline(await copyOut(from, table), await copyIn(to, table))
      }
      return tables
    }),
  )
}

async function readRows(db: Database, { name, columns }: Table): Promise<string[]> {
  const rows = await db.sql`SELECT md5(row(${db.sql(columns as string[])})::text) AS row
    FROM ${db.sql(name)} ORDER BY 1`
  return rows.map(one => one.row)
}

describe.each(releases)('from migration %d', version => {
  it('every value is kept, every number is proven, and the service goes on with it', async () => {
    const { address, db } = await openRelease(version)
    const tables = await fill(db)
    expect(await isCurrent(db)).toBe(false)
    const { ran, lock } = await migrate(db, START)
    expect(ran).toEqual(known.filter(one => one.version > version).map(one => one.name))
    expect(lock.missing).toEqual([])
    for (const table of tables) {
      expect(await readRows(db, table), table.name).toEqual(await readRows(owner, table))
    }
    const doors = openDatabase({ address, pool: 4, prepare: true, roles: nameRoles() })
    const app = buildApp({ ...service.context, db: doors })
    const call = caller(app, tenant.key)
    expect(await showAll(call)).toEqual(shown)
    expect(await verifyTenant({ ...service.context, db: doors }, tenant.tenant_id)).toMatchObject({
      clean: true,
      employees: 4,
    })
    const event = { type: 'custom.x', employee_email: 'ada@example.com' }
    expect((await call('POST', '/v1/events', event)).status).toBe(201)
    await app.close()
    await doors.close()
  })
})

it('a release that was here before a newer one still serves, but does not start again', async () => {
  const next = { version: 9998, name: '9998_next.sql', checksum: 'next' }
  const { address, db } = await openRelease(known.at(-1)!.version)
  await fill(db)
  await migrate(db, START)
  const doors = openDatabase({ address, pool: 4, prepare: true, roles: nameRoles() })
  const app = buildApp({ ...service.context, db: doors })
  const call = caller(app, tenant.key)
  await db.sql`CREATE TABLE later (tenant_id text NOT NULL, n integer NOT NULL, PRIMARY KEY (tenant_id, n))`
  await db.sql`ALTER TABLE employees ADD COLUMN later text NOT NULL DEFAULT ''`
  await db.sql`INSERT INTO schema_migrations VALUES (${next.version}, ${next.name}, ${next.checksum}, ${new Date(START)})`
  expect((await call('GET', '/readyz')).status).toBe(200)
  expect(await showAll(call)).toEqual(shown)
  const person = { email: 'eve@example.com', first_name: 'E', last_name: 'V' }
  expect((await call('POST', '/v1/employees', person)).status).toBe(201)
  await expect(migrate(db, START)).rejects.toThrow('newer release')
  await app.close()
  await doors.close()
})
