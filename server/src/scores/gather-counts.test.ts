// Gathering the counts of open days: the sums stay, the rows become few, and no writer is waited for or lost.
import { beforeEach, describe, expect, it } from 'vitest'
import { type Service, START, startService, type Tenant } from '../../test/service.ts'
import { askAsOperator } from '../accounts/identity.ts'
import { addEmployees } from '../employees/create-employee.ts'
import { create, person } from '../employees/employees.fixture.ts'
import { DAY, dayOf } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { findMiscountedPeople } from '../verify/verify.queries.ts'
import { closeDaysJob } from './close-days.job.ts'
import { gatherCounts } from './gather-counts.ts'
import { ALL_JOBS, change, get } from './scores.fixture.ts'
import { expectViews } from './views.fixture.ts'

/** So many connections that nobody here waits for one, and is refused. */
const service: Service = await startService({ pool: 32 })
let tenant: Tenant

beforeEach(async () => {
  service.clock.set(START)
  tenant = await service.tenant()
})

const inTenant = <T>(work: (tx: Tx, tenant_id: string) => Promise<T>) =>
  service.context.db.inTenant(tenant.tenant_id, tx => work(tx, tenant.tenant_id))
const gather = () => inTenant(gatherCounts)

/** As writers would have left it: every cell of today in as many rows as there are slots, which add up to nobody. */
async function spread(cells: number, slots: number) {
  await inTenant(
    (tx, tenant_id) => tx`
      INSERT INTO score_counts AS x (tenant_id, day, status, department, band, score, slot, people)
      SELECT tn.tenant_id, ${dayOf(START)}::date, 'active', 'Crowd ' || c / 101, 'green', c % 101, s,
        CASE WHEN s = 0 THEN -${slots - 1}::int ELSE 1 END
      FROM tenants tn, generate_series(0, ${cells - 1}::int) AS c, generate_series(0, ${slots - 1}::int) AS s
      WHERE tn.tenant_id = ${tenant_id}`,
  )
}

type Cell = { slot: number; people: number; place: string }

async function readRows(): Promise<Cell[]> {
  const rows = await inTenant(
    (tx, tenant_id) => tx<Cell[]>`
      SELECT slot, people, ctid::text || xmin AS place FROM score_counts WHERE tenant_id = ${tenant_id}
      ORDER BY day, status, department, band, score, slot`,
  )
  return [...rows]
}

async function readSums() {
  const rows = await inTenant(
    (tx, tenant_id) => tx`
      SELECT day, status, department, band, score, sum(people)::bigint AS people FROM score_counts
      WHERE tenant_id = ${tenant_id} GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`,
  )
  return [...rows]
}

const verify = () => inTenant(findMiscountedPeople)

describe('gathering the counts of open days', () => {
  it('leaves one row a cell, every sum and every view as it was', async () => {
    for (const department of ['Legal', 'Crowd 0', 'Sales']) await create(tenant, { department })
    await spread(100, 16)
    const sums = await readSums()
    expect(await gather()).toBe(false)
    expect(await readSums()).toEqual(sums)
    const rows = await readRows()
    expect(rows.map(row => row.slot)).toEqual(sums.map(() => 16))
    await expectViews(service, tenant)
    expect(await verify()).toEqual([])
  })

  it('adds to what is gathered already', async () => {
    await spread(100, 16)
    await gather()
    for (let turn = 0; turn < 2; turn++) {
      await inTenant(
        (tx, tenant_id) => tx`INSERT INTO score_counts
          SELECT tenant_id, day, status, department, band, score, s, 2 FROM score_counts, generate_series(0, 14) AS s
          WHERE tenant_id = ${tenant_id}`,
      )
      await gather()
    }
    const rows = await readRows()
    expect(rows.length).toBe(100)
    expect(new Set(rows.map(row => row.people))).toEqual(new Set([60]))
  })

  it.each([
    ['few', 60, 16],
    ['of as many cells', 1000, 1],
  ])('leaves rows that are %s', async (_, cells, slots) => {
    await spread(cells, slots)
    const rows = await readRows()
    await runDueJobs(service.context, [closeDaysJob()])
    expect(await readRows()).toEqual(rows)
  })

  it('is done by the job, in pieces, until there is nothing to gather', async () => {
    await spread(2000, 16)
    await runDueJobs(service.context, [closeDaysJob()])
    const rows = await readRows()
    expect(rows.length).toBe(2000)
    await runDueJobs(service.context, [closeDaysJob()])
    expect(await readRows()).toEqual(rows)
  })

  it('is taken over when the day is closed', async () => {
    await create(tenant, { department: 'Legal' })
    const { id } = await create(tenant, { department: 'Brief' })
    await change(tenant, id, { department: 'Legal' })
    await spread(100, 16)
    await runDueJobs(service.context, ALL_JOBS)
    expect((await readRows()).map(row => row.slot)).toContain(16)
    service.clock.advance(2 * DAY)
    await runDueJobs(service.context, ALL_JOBS)
    expect((await readRows()).map(row => row.slot)).toEqual([0])
    expect(await verify()).toEqual([])
    await expectViews(service, tenant)
    const { data } = await get(tenant, '/v1/scores/trends?department=Brief')
    expect(data.at(-1).employee_count).toBe(0)
  })
})

describe('a writer at the same time', () => {
  it('keeps the row it holds, and nobody waits', async () => {
    await spread(100, 16)
    const sums = await readSums()
    await inTenant(async (tx, tenant_id) => {
      await tx`UPDATE score_counts SET people = people + 5
        WHERE tenant_id = ${tenant_id} AND department = 'Crowd 0' AND score = 7 AND slot = 3`
      await gather()
    })
    const rows = await readRows()
    expect(rows.filter(row => row.slot !== 16)).toMatchObject([{ slot: 3, people: 6 }])
    expect(rows.length).toBe(101)
    const grown = sums.map(sum => (sum.score === 7 ? { ...sum, people: 5 } : sum))
    expect(await readSums()).toEqual(grown)
  })

  it('is neither lost nor counted twice', async () => {
    await spread(100, 16)
    const arriving = Array.from({ length: 24 }, () =>
      inTenant((tx, tenant_id) =>
        addEmployees(tx, askAsOperator(tenant_id, START), [person({ department: 'Crowd 0' })]),
      ),
    )
    const gathering = Array.from({ length: 8 }, async () => {
      await spreadMore()
      await gather()
    })
    await Promise.all([...arriving, ...gathering])
    expect(await verify()).toEqual([])
    await expectViews(service, tenant)
  })
})

/** Two rows of nobody in each slot of each cell, whatever stands there. */
async function spreadMore() {
  for (const people of [1, -1]) {
    await inTenant(
      (tx, tenant_id) => tx`
        INSERT INTO score_counts AS x (tenant_id, day, status, department, band, score, slot, people)
        SELECT tn.tenant_id, ${dayOf(START)}::date, 'active', 'Crowd 0', 'green', c, s, ${people}::int
        FROM tenants tn, generate_series(0, 99) AS c, generate_series(0, 15) AS s
        WHERE tn.tenant_id = ${tenant_id} ORDER BY c, s
        ON CONFLICT (tenant_id, day, status, department, band, score, slot)
        DO UPDATE SET people = x.people + EXCLUDED.people`,
    )
  }
}
