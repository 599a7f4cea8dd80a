// Tables and tenants the database has no statistics of: a plan for them could expect one row of everything.
import { expect, it } from 'vitest'
import { hire, ingest, recalculate } from '../../test/scenario.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { readHistory } from '../employees/employees.queries.ts'
import { readEmployeePage } from '../employees/list-employees.ts'
import { listEvents } from '../events/events.queries.ts'
import { DAY } from '../platform/clock.ts'
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'
import { listLargestShares } from './explanation.queries.ts'
import { listPassages } from './past.queries.ts'
import { weighTypes } from './risks.queries.ts'

// One connection: what any statement has read is counted once this one has told it.
const service = await startService({ pool: 1 })
const { context, clock } = service
const { db } = context

const PEOPLE = 200
const EACH = 5
const ALL = PEOPLE * EACH

async function busyTenant() {
  const tenant = await service.tenant()
  const emails = Array.from({ length: PEOPLE }, (_, i) => `p${i}@example.com`)
  const ids = await hire(service, tenant, emails)
  const days = Array.from({ length: EACH }, (_, i) => clock.now() - (i + 1) * DAY)
  const events = emails.flatMap(email => days.map(at => ({ email, type: 'sim.reported', at })))
  await ingest(service, tenant, events)
  return { tenant, tenant_id: tenant.tenant_id, ids }
}

/** Entries of tables and indexes that were gone through up to now, as the database counts them. */
async function countAll(): Promise<number> {
  await db.inTenant(RESERVED_TENANT, tx => tx`SELECT pg_stat_force_next_flush()`)
  const [row] = await db.sql<{ n: number }[]>`
    SELECT sum(pg_stat_get_tuples_returned(oid) + pg_stat_get_tuples_fetched(oid))::float8 AS n
    FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace`
  return row!.n
}

async function countWhile(work: () => Promise<unknown>): Promise<number> {
  const before = await countAll()
  await work()
  return (await countAll()) - before
}

function readBy(tenant_id: string, work: (tx: Tx) => Promise<unknown>): Promise<number> {
  return countWhile(() => db.inTenant(tenant_id, work))
}

it('by plans made while the tables were empty, a history, the past and a recalculation read what they need', async () => {
  const small = await service.tenant()
  const [first] = await hire(service, small, ['first@example.com'])
  const instants = [clock.now() - DAY, clock.now()]
  const readOf = ({ tenant_id }: Tenant, id: string) =>
    readBy(tenant_id, tx => readHistory(tx, tenant_id, id, instants))
  await ingest(service, small, [{ email: 'first@example.com', type: 'sim.reported' }])
  await readOf(small, first!)
  const passages = ({ tenant_id }: Tenant) =>
    readBy(tenant_id, tx => listPassages(tx, tenant_id, clock.now() - 2 * DAY, clock.now()))
  await passages(small)
  await recalculate(service, small)
  const { tenant, ids } = await busyTenant()
  expect(await readOf(tenant, ids[0]!)).toBeLessThan(20 * EACH)
  expect(await passages(tenant)).toBeLessThan(10 * ALL)
  expect(await countWhile(() => recalculate(service, tenant))).toBeLessThan(20 * ALL)
})

it('top risks, an explanation, a history, pages of events and of people read about as much as they are made of', async () => {
  await busyTenant()
  await db.sql`ANALYZE`
  const { tenant_id, ids } = await busyTenant()
  const none = { employee_id: null, type: null, source: null, from: null, to: null, impact: null }
  const newest = { sort: 'timestamp', order: 'desc' } as const
  const page = { per_page: 100, offset: 0 }
  const now = clock.now()
  const read = {
    risks: await readBy(tenant_id, tx => weighTypes(tx, tenant_id, ids, now)),
    why: await readBy(tenant_id, tx =>
      listLargestShares(tx, tenant_id, ids[0]!, 1_000_000, { at: now, half_life_days: 90 }, 1000),
    ),
    history: await readBy(tenant_id, tx => readHistory(tx, tenant_id, ids[0]!, [now - DAY, now])),
    page: await readBy(tenant_id, tx => listEvents(tx, tenant_id, none, newest, page)),
    people: await readBy(tenant_id, tx => readEmployeePage(tx, tenant_id, { sort: 'score' })),
    filtered: await readBy(tenant_id, tx => readEmployeePage(tx, tenant_id, { min_score: 1 })),
  }
  expect(read.risks).toBeLessThan(10 * ALL)
  expect(read.why).toBeLessThan(2 * ALL)
  expect(read.history).toBeLessThan(20 * EACH)
  expect(read.page).toBeLessThan(20 * page.per_page)
  expect(read.people).toBeLessThan(20 * PEOPLE)
  expect(read.filtered).toBeLessThan(20 * PEOPLE)
})

it('a recalculation reads each event a few times, not all of them for each person', async () => {
  await busyTenant()
  await db.sql`ANALYZE`
  const { tenant } = await busyTenant()
  expect(await countWhile(() => recalculate(service, tenant))).toBeLessThan(20 * ALL)
})
