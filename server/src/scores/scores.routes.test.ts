// The score views over HTTP: their exact shapes, an empty tenant, every refusal by name.
import { describe, expect, it } from 'vitest'
import { START, startService } from '../../test/service.ts'
import { create, happen } from '../employees/employees.fixture.ts'
import { DAY, dayOf, HOUR } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { ALL_JOBS, adjust, change, get } from './scores.fixture.ts'

const service = await startService()
const acme = await service.tenant()

const NO_ONE = { count: 0, percentage: 0 }
const NO_BANDS = { green: NO_ONE, yellow: NO_ONE, orange: NO_ONE, red: NO_ONE, critical: NO_ONE }

describe('200 for an empty tenant', () => {
  it('gives zeros and empty arrays', async () => {
    const tenant = await service.tenant()
    expect(await get(tenant, '/v1/scores/summary')).toEqual({
      average_score: 0,
      median_score: 0,
      total_employees: 0,
      band_distribution: NO_BANDS,
      trend: { direction: 'stable', change: 0, period: '30d' },
    })
    expect(await get(tenant, '/v1/scores/departments')).toEqual({ data: [] })
    expect(await get(tenant, '/v1/scores/top-risks')).toEqual({ data: [] })
    expect(await get(tenant, '/v1/scores/top-risks?sort=biggest_drop')).toEqual({ data: [] })
    const { buckets } = await get(tenant, '/v1/scores/distribution')
    expect(buckets).toHaveLength(20)
    expect(buckets[0]).toEqual({ range: '0-4', count: 0 })
    expect(buckets.at(-1)).toEqual({ range: '95-100', count: 0 })
    const { data } = await get(tenant, '/v1/scores/trends')
    expect(data).toHaveLength(30)
    const zeros = { average_score: 0, median_score: 0, employee_count: 0 }
    expect(data.at(-1)).toEqual({ date: dayOf(service.clock.now()), ...zeros })
    expect(data[0]).toEqual({ date: dayOf(service.clock.now() - 29 * DAY), ...zeros })
  })
})

describe('200', () => {
  it('summary and departments count active people only', async () => {
    const tenant = await service.tenant()
    await create(tenant, { department: 'Legal' })
    const { email } = await create(tenant, { department: 'Finance' })
    await happen(tenant, email)
    const { id } = await create(tenant, { department: 'Gone' })
    await change(tenant, id, { status: 'inactive' })
    const summary = await get(tenant, '/v1/scores/summary')
    expect(summary).toMatchObject({ total_employees: 2, trend: { direction: 'stable', change: 0 } })
    const { data } = await get(tenant, '/v1/scores/departments')
    expect(data.map((one: { department: string }) => one.department)).toEqual(['Finance', 'Legal'])
    expect(data[1]).toEqual({
      department: 'Legal',
      average_score: 75,
      employee_count: 1,
      band_distribution: { ...NO_BANDS, yellow: { count: 1, percentage: 100 } },
    })
  })

  it('a department that everyone has left is known; it has nobody', async () => {
    const tenant = await service.tenant()
    const { id } = await create(tenant, { department: 'Old' })
    service.clock.advance(2 * DAY)
    await runDueJobs(service.context, ALL_JOBS)
    await change(tenant, id, { department: '' })
    const { buckets } = await get(tenant, '/v1/scores/distribution?department=Old&bucket_size=100')
    expect(buckets).toEqual([{ range: '0-100', count: 0 }])
    const { data } = await get(tenant, '/v1/scores/trends?department=Old')
    const counts = data.map((one: { employee_count: number }) => one.employee_count)
    expect(counts.slice(-4)).toEqual([0, 1, 1, 0])
    const without = await get(tenant, '/v1/scores/distribution?department=&bucket_size=100')
    expect(without.buckets[0].count).toBe(1)
  })

  it('trends of a department of one agree with the score history of that one', async () => {
    const tenant = await service.tenant()
    const { id, email } = await create(tenant, { department: 'Solo' })
    for (let i = 0; i < 4; i++) {
      await happen(tenant, email, 'sim.credential_submitted')
      service.clock.advance(9 * DAY + 5 * HOUR)
      if (i < 3) await runDueJobs(service.context, ALL_JOBS)
    }
    const from = dayOf(service.clock.now() - 30 * DAY)
    const query = `from=${from}&to=${dayOf(service.clock.now() - DAY)}`
    const history = await get(tenant, `/v1/employees/${id}/score-history?${query}`)
    const trends = await get(tenant, `/v1/scores/trends?department=Solo&${query}`)
    expect(trends.data).toEqual(
      history.data.map(({ timestamp, score }: { timestamp: string; score: number }) => ({
        date: timestamp.slice(0, 10),
        average_score: score,
        median_score: score,
        employee_count: 1,
      })),
    )
    expect(trends.data).toHaveLength(30)
  })

  it('top risks name what weighs most now, adding up what bears the same type', async () => {
    service.clock.set(START)
    const tenant = await service.tenant()
    const { id, email } = await create(tenant)
    const top = async () => (await get(tenant, '/v1/scores/top-risks')).data[0]
    expect(await top()).toEqual({
      employee_id: id,
      email,
      score: 75,
      band: 'yellow',
      score_change_30d: 0,
      top_risk_factor: 'none',
    })
    await adjust(service, tenant, { employee_id: id, impact: 5, reason: 'well done' })
    expect((await top()).top_risk_factor).toBe('none')
    const { impact } = await happen(tenant, email)
    expect((await top()).top_risk_factor).toBe('sim.link_clicked')
    for (const half of [Math.floor(impact / 2) - 4, Math.floor(impact / 2) - 4]) {
      await adjust(service, tenant, { employee_id: id, impact: half, reason: 'badly done' })
    }
    expect((await top()).top_risk_factor).toBe('manual.adjustment')
    service.clock.advance(9 * 365 * DAY)
    expect((await top()).top_risk_factor).toBe('none')
    service.clock.set(START)
  })

  it.each(['lowest_score', 'biggest_drop'])(
    '%s: who stands alike comes in the order of ids, and of types that weigh alike the first by name counts',
    async sort => {
      service.clock.set(START)
      const tenant = await service.tenant()
      for (const event_type of ['custom.b', 'custom.a', 'custom.c']) {
        const rule = { name: event_type, event_type, category: 'custom', impact: -10 }
        await tenant.call('POST', '/v1/rules', rule)
      }
      const people = [await create(tenant), await create(tenant), await create(tenant)]
      for (const { email } of people.toReversed()) {
        for (const type of ['custom.b', 'custom.a', 'custom.c']) await happen(tenant, email, type)
      }
      const { data } = await get(tenant, `/v1/scores/top-risks?sort=${sort}`)
      const top_risk_factor = 'custom.a'
      expect(data).toMatchObject(people.map(({ id }) => ({ employee_id: id, top_risk_factor })))
    },
  )

  it.each(['lowest_score', 'biggest_drop'])(
    '%s: who was inactive 30 days ago stood at the frozen score then',
    async sort => {
      service.clock.set(START)
      const tenant = await service.tenant()
      const { id } = await create(tenant)
      await adjust(service, tenant, { employee_id: id, impact: -40, reason: 'badly done' })
      await change(tenant, id, { status: 'inactive' })
      service.clock.advance(60 * DAY)
      await change(tenant, id, { status: 'active' })
      // Frozen at 35 until now, when 25.2 of the 40 are left.
      const { data } = await get(tenant, `/v1/scores/top-risks?sort=${sort}`)
      expect(data).toMatchObject([{ score: 50, score_change_30d: 15 }])
      service.clock.set(START)
    },
  )

  it('an event taken back weighs nothing', async () => {
    const tenant = await service.tenant()
    const { email } = await create(tenant)
    const event = await happen(tenant, email)
    await tenant.call('POST', `/v1/events/${event.id}/retract`, { reason: 'a scanner' })
    const { data } = await get(tenant, '/v1/scores/top-risks?sort=biggest_drop&limit=1')
    expect(data[0]).toMatchObject({ top_risk_factor: 'none', score_change_30d: 0 })
  })

  it('weekly and monthly points are dated by their first day, the running one last', async () => {
    const tenant = await service.tenant()
    service.clock.set(START)
    await create(tenant)
    service.clock.advance(40 * DAY)
    const dates = async (interval: string) => {
      const url = `/v1/scores/trends?from=2026-03-01&interval=${interval}`
      return (await get(tenant, url)).data.map((one: { date: string }) => one.date)
    }
    expect(await dates('monthly')).toEqual(['2026-03-01', '2026-04-01'])
    const weeks = await dates('weekly')
    expect([weeks[0], weeks.at(-1)]).toEqual(['2026-02-23', '2026-04-06'])
    const future = await get(tenant, '/v1/scores/trends?from=2027-01-01&to=2027-02-01')
    expect(future.data).toEqual([])
  })
})

describe('400 names', () => {
  it.each([
    ['summary?department=Legal', 'department'],
    ['departments?sort=name', 'sort'],
    ['distribution?bucket_size=0', 'bucket_size'],
    ['distribution?bucket_size=101', 'bucket_size'],
    ['distribution?bucket_size=2.5', 'bucket_size'],
    ['distribution?bucket_size=few', 'bucket_size'],
    ['distribution?bucket_size=', 'bucket_size'],
    [`distribution?department=${'x'.repeat(201)}`, 'department'],
    ['distribution?department=a%00b', 'department'],
    ['distribution?buckets=5', 'buckets'],
    ['trends?interval=hourly', 'interval'],
    ['trends?from=yesterday', 'from'],
    ['trends?from=2026-02-30', 'from'],
    ['trends?to=2026-03-02T09:00', 'to'],
    ['trends?from=2026-03-02&to=2026-03-01', 'from'],
    ['trends?from=2026-03-02&from=2026-03-01', 'from'],
    ['trends?from=2199-12-01', 'from'],
    ['trends?from=1999-01-01', 'from'],
    ['trends?page=2', 'page'],
    ['top-risks?limit=0', 'limit'],
    ['top-risks?limit=101', 'limit'],
    ['top-risks?limit=ten', 'limit'],
    ['top-risks?sort=score', 'sort'],
  ])('%s', async (path, name) => {
    const answer = await acme.call('GET', `/v1/scores/${path}`)
    expect(answer.status).toBe(400)
    expect(answer.body.error.details[0].path).toBe(name)
  })

  it('a window of more than 1,000 points, and says how to narrow it', async () => {
    const answer = await acme.call('GET', '/v1/scores/trends?from=2020-01-01')
    expect(answer.body.error.message).toMatch(
      /would give \d+ points, at most 1000; move from and to closer together or ask for interval=weekly/,
    )
  })
})

describe('404 and 403', () => {
  it('404 for an unknown department, also for one of another tenant and in another case', async () => {
    const other = await service.tenant()
    await create(other, { department: 'Theirs' })
    await create(acme, { department: 'Ours' })
    for (const view of ['distribution', 'trends']) {
      for (const name of ['Theirs', 'ours', 'Nowhere']) {
        const answer = await acme.call('GET', `/v1/scores/${view}?department=${name}`)
        expect([answer.status, answer.body.error.message]).toEqual([404, 'no such department'])
      }
    }
  })

  it('403 without scores:read, naming it', async () => {
    const call = await acme.as('employees:read')
    for (const view of ['summary', 'departments', 'distribution', 'trends', 'top-risks']) {
      const answer = await call('GET', `/v1/scores/${view}`)
      expect([answer.status, answer.body.error.message]).toEqual([
        403,
        expect.stringContaining('scores:read'),
      ])
    }
  })

  it('draws on the bucket of the score views', async () => {
    const tenant = await service.tenant({ plan: 'professional' })
    const answer = await tenant.call('GET', '/v1/scores/summary')
    expect(answer.headers['x-ratelimit-limit']).toBe('100')
  })
})
