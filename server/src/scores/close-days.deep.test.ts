// Closing days and ageing the past: nobody sees a difference, and what comes late is right at once.
import { beforeEach, describe, expect, it } from 'vitest'
import { interleave } from '../../test/interleave.ts'
import { type Service, START, startService, type Tenant } from '../../test/service.ts'
import { askAsOperator } from '../accounts/identity.ts'
import { addEmployees } from '../employees/create-employee.ts'
import { create, happen, person } from '../employees/employees.fixture.ts'
import { DAY, dayOf, HOUR, MINUTE } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { closeDays, lastSettledDay } from './close-days.ts'
import { ALL_JOBS, DUE_JOBS, get, PAST_JOBS } from './scores.fixture.ts'
import { expectViews } from './views.fixture.ts'

const service: Service = await startService()
let tenant: Tenant

beforeEach(async () => {
  service.clock.set(START)
  tenant = await service.tenant()
})

/** The days under which counts stand, with how many people they add up to. */
async function openDays() {
  const { tenant_id } = tenant
  const rows = await service.context.db.inTenant(
    tenant_id,
    tx => tx<{ day: string; people: number }[]>`
      SELECT day, sum(people)::bigint AS people FROM all_score_counts WHERE tenant_id = ${tenant_id}
      GROUP BY day ORDER BY day`,
  )
  return rows.map(({ day, people }) => [day, people])
}

async function keptDays() {
  const { tenant_id } = tenant
  const rows = await service.context.db.inTenant(
    tenant_id,
    tx =>
      tx<{ day: string }[]>`SELECT day FROM score_days WHERE tenant_id = ${tenant_id} ORDER BY day`,
  )
  return rows.map(({ day }) => day)
}

async function pastMark() {
  const { tenant_id } = tenant
  const [row] = await service.context.db.inTenant(
    tenant_id,
    tx => tx<{ past_at: Date; past_people: number; past_points: number }[]>`
      SELECT past_at, past_people, past_points FROM score_marks WHERE tenant_id = ${tenant_id}`,
  )
  return row
}

/** Someone whose record begins in the past, as if a writer had been held up that long. */
async function arriveLate(at: number, department: string, db = service.context.db) {
  const { tenant_id } = tenant
  await db.inTenant(tenant_id, tx =>
    addEmployees(tx, askAsOperator(tenant_id, at), [person({ department })]),
  )
}

async function liveAMonth() {
  const { email } = await create(tenant, { department: 'Legal' })
  await create(tenant, { department: 'Finance' })
  for (let day = 0; day < 40; day += 5) {
    await happen(tenant, email)
    service.clock.advance(5 * DAY)
    await runDueJobs(service.context, DUE_JOBS)
  }
}

describe('closing days', () => {
  it('a department that only somebody inactive had and left stays known', async () => {
    const { id } = await create(tenant, { department: 'Legal' })
    const change = (body: object) => tenant.call('PATCH', `/v1/employees/${id}`, body)
    await change({ status: 'inactive' })
    await change({ department: 'Finance' })
    service.clock.advance(3 * DAY)
    await runDueJobs(service.context, ALL_JOBS)
    await change({ department: 'Legal' })
    service.clock.advance(3 * DAY)
    await runDueJobs(service.context, ALL_JOBS)
    const { data } = await get(tenant, '/v1/scores/trends?department=Finance')
    expect(data.at(-1).employee_count).toBe(0)
    expect(await get(tenant, '/v1/scores/distribution?department=Finance')).toHaveProperty(
      'buckets',
    )
  })

  it('leaves one base day and what is open, and every view as it was', async () => {
    await liveAMonth()
    await expectViews(service, tenant)
    expect((await openDays()).length).toBeGreaterThan(8)
    await runDueJobs(service.context, PAST_JOBS)
    expect(await openDays()).toEqual([['0001-01-01', 2]])
    await expectViews(service, tenant)
    await create(tenant)
    await expectViews(service, tenant)
    expect(await openDays()).toEqual([
      ['0001-01-01', 2],
      [dayOf(service.clock.now()), 1],
    ])
  })

  it('waits an hour after the end of a day', async () => {
    await create(tenant)
    const end = Math.ceil(START / DAY) * DAY
    service.clock.set(end + HOUR - 1)
    await runDueJobs(service.context, ALL_JOBS)
    expect(await keptDays()).toEqual([])
    service.clock.advance(1)
    await runDueJobs(service.context, ALL_JOBS)
    expect(await keptDays()).toEqual([dayOf(START)])
    expect(dayOf(lastSettledDay(end + HOUR))).toBe(dayOf(START))
  })

  it('waits for what fell due before the end of a day and is not applied', async () => {
    const { email } = await create(tenant)
    await happen(tenant, email)
    service.clock.advance(10 * DAY)
    await runDueJobs(service.context, PAST_JOBS)
    const before = await keptDays()
    expect(before.length).toBeLessThan(3)
    await expectViews(service, tenant)
    await runDueJobs(service.context, ALL_JOBS)
    expect((await keptDays()).length).toBeGreaterThan(before.length)
    expect(await openDays()).toEqual([['0001-01-01', 1]])
    await expectViews(service, tenant)
  })

  it('takes a long stop in pieces', async () => {
    const { email } = await create(tenant)
    for (let month = 0; month < 4; month++) {
      service.clock.advance(30 * DAY)
      await happen(tenant, email)
    }
    service.clock.advance(2 * DAY)
    await runDueJobs(service.context, ALL_JOBS)
    expect(await openDays()).toEqual([['0001-01-01', 1]])
    await expectViews(service, tenant)
  })
})

describe('what comes late for a closed day', () => {
  it('counts at once, is folded in by the next turn, and turns the mark back', async () => {
    await liveAMonth()
    await runDueJobs(service.context, ALL_JOBS)
    const mark = await pastMark()
    expect(mark).toMatchObject({ past_people: 2 })
    for (const department of ['Legal', 'New']) await arriveLate(START + 6 * DAY, department)
    await expectViews(service, tenant)
    expect((await openDays()).map(([day]) => day)).toEqual(['0001-01-01', dayOf(START + 6 * DAY)])
    const closing = service.context.db.inTenant(tenant.tenant_id, tx =>
      closeDays(tx, tenant.tenant_id, service.clock.now()),
    )
    await closing
    expect((await pastMark())!.past_at.getTime()).toBe(
      Math.floor((START + 6 * DAY) / DAY) * DAY - 1,
    )
    await expectViews(service, tenant)
    await runDueJobs(service.context, ALL_JOBS)
    expect(await pastMark()).toMatchObject({ past_at: mark!.past_at, past_people: 4 })
    expect((await openDays()).map(([day]) => day)).toEqual(['0001-01-01'])
    await expectViews(service, tenant)
    const { data } = await get(tenant, '/v1/scores/trends?department=New')
    expect(data.at(-1).employee_count).toBe(1)
  })

  it('counts in every day from its own on, also where it comes while a later day is being closed', async () => {
    await liveAMonth()
    await runDueJobs(service.context, ALL_JOBS)
    for (let first = 1; first <= 5; first++) {
      await arriveLate(START + 20 * DAY, 'Legal')
      await interleave(
        service,
        ({ db, clock }) =>
          db.inTenant(tenant.tenant_id, tx => closeDays(tx, tenant.tenant_id, clock.now())),
        ({ db }) => arriveLate(START + 6 * DAY, 'Legal', db),
        { first, second: 100 },
      )
      await runDueJobs(service.context, ALL_JOBS)
      await expectViews(service, tenant)
    }
  })

  it('is neither lost nor counted twice while days are being closed', async () => {
    service.clock.advance(3 * DAY)
    const { tenant_id } = tenant
    const late = Array.from({ length: 24 }, (_, i) => arriveLate(START + (i % 3) * HOUR, 'Legal'))
    const closing = Array.from({ length: 8 }, () =>
      service.context.db.inTenant(tenant_id, tx => closeDays(tx, tenant_id, service.clock.now())),
    )
    const reading = Array.from({ length: 8 }, async () => {
      const { data } = await get(tenant, `/v1/scores/trends?from=${dayOf(START)}`)
      // Nobody came later than the first day, so a reader must see all of its days alike.
      expect(new Set(data.map((point: any) => point.employee_count)).size).toBe(1)
    })
    await Promise.all([...late, ...closing, ...reading])
    await runDueJobs(service.context, PAST_JOBS)
    expect(await openDays()).toEqual([['0001-01-01', 24]])
    await expectViews(service, tenant)
  })
})

describe('ageing the past', () => {
  it('keeps the mark 30 days behind, in the middle of a day too', async () => {
    await liveAMonth()
    service.clock.advance(5 * HOUR + 17 * MINUTE)
    await runDueJobs(service.context, ALL_JOBS)
    const mark = await pastMark()
    expect(mark!.past_at.getTime()).toBe(service.clock.now() - 30 * DAY)
    await expectViews(service, tenant)
  })

  it('stays right for a process whose clock is behind the one that aged', async () => {
    await liveAMonth()
    await runDueJobs(service.context, ALL_JOBS)
    service.clock.advance(-7 * MINUTE)
    await expectViews(service, tenant)
    service.clock.advance(-11 * DAY)
    const { body } = await tenant.call('GET', '/v1/scores/summary')
    expect(body.trend).toEqual({ direction: 'stable', change: 0, period: '30d' })
  })
})
