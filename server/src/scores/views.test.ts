// Every view is what a plain reading of the employee list and of the record gives, whatever has happened before.
import { beforeAll, describe, expect, it } from 'vitest'
import { BANDS } from '../../../scoring/settings.ts'
import { type Service, START, startService, type Tenant } from '../../test/service.ts'
import { DAY, dayOf } from '../platform/clock.ts'
import type { Job } from '../platform/jobs.ts'
import {
  ALL_JOBS,
  DUE_JOBS,
  describeScores,
  get,
  type Listed,
  listActive,
  liveOn,
  type Person,
  randomOf,
  readRecord,
  round1,
} from './scores.fixture.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})

const foldBands = (people: readonly { band: string }[]) =>
  Object.fromEntries(
    BANDS.map(band => {
      const count = people.filter(one => one.band === band).length
      const percentage = people.length === 0 ? 0 : round1((count / people.length) * 100)
      return [band, { count, percentage }]
    }),
  )

async function expectPresent(tenant: Tenant, people: readonly Listed[]) {
  const { total_employees, band_distribution, trend, ...figures } = await get(
    tenant,
    '/v1/scores/summary',
  )
  const { employee_count, ...expected } = describeScores(people.map(one => one.score))
  expect(figures).toEqual(expected)
  expect(total_employees).toBe(employee_count)
  expect(band_distribution).toEqual(foldBands(people))
  const names = [...new Set(people.map(one => one.department))].sort()
  const departments = names.map(department => {
    const members = people.filter(one => one.department === department)
    const { average_score } = describeScores(members.map(one => one.score))
    const band_distribution = foldBands(members)
    return { department, average_score, employee_count: members.length, band_distribution }
  })
  expect((await get(tenant, '/v1/scores/departments')).data).toEqual(departments)
  const { buckets } = await get(tenant, '/v1/scores/distribution?bucket_size=1')
  const wanted = Array.from({ length: 100 }, (_, low) => {
    const high = low === 99 ? 100 : low
    const count = people.filter(one => one.score >= low && one.score <= high).length
    return { range: `${low}-${high}`, count }
  })
  expect(buckets).toEqual(wanted)
  return trend
}

async function expectTrend(tenant: Tenant, people: readonly Listed[], trend: object) {
  const record = await readRecord(service, tenant)
  const then = record.scoresAt(service.clock.now() - 30 * DAY)
  const mean = (scores: readonly number[]) => scores.reduce((a, b) => a + b, 0) / scores.length
  const now = people.map(one => one.score)
  const change = then.length === 0 || now.length === 0 ? 0 : round1(mean(now) - mean(then))
  const direction = change > 0 ? 'improving' : change < 0 ? 'declining' : 'stable'
  expect(trend).toEqual({ direction, change, period: '30d' })
}

async function expectTrends(tenant: Tenant, people: readonly Listed[], department: string | null) {
  const now = service.clock.now()
  const record = await readRecord(service, tenant)
  const known = record.rows.some(row => row.department === department)
  if (department !== null && !known) return
  const from = Math.floor(START / DAY) * DAY - 3 * DAY
  const query = department === null ? '' : `&department=${encodeURIComponent(department)}`
  const { data } = await get(tenant, `/v1/scores/trends?from=${dayOf(from)}${query}`)
  const members = people.filter(one => department === null || one.department === department)
  const expected = []
  for (let day = from; day <= now; day += DAY) {
    const running = day + DAY > now
    const past = running ? [] : record.scoresAt(day + DAY - 1, department)
    const scores = running ? members.map(one => one.score) : past
    expected.push({ date: dayOf(day), ...describeScores(scores) })
  }
  expect(data).toEqual(expected)
}

async function expectTopRisks(tenant: Tenant, people: readonly Listed[]) {
  const record = await readRecord(service, tenant)
  const then = service.clock.now() - 30 * DAY
  const scored = people.map(({ id, score }) => {
    const created = record.byEmployee.get(id)![0]!
    const before = record.standOf(id, then) ?? created
    return { id, score, change: score - before.score }
  })
  const lists = {
    lowest_score: scored.toSorted((a, b) => a.score - b.score || (a.id < b.id ? -1 : 1)),
    biggest_drop: scored.toSorted((a, b) => a.change - b.change || (a.id < b.id ? -1 : 1)),
  }
  for (const [sort, expected] of Object.entries(lists)) {
    const { data } = await get(tenant, `/v1/scores/top-risks?limit=7&sort=${sort}`)
    const seen = data.map((one: any) => [one.employee_id, one.score, one.score_change_30d])
    expect(seen).toEqual(expected.slice(0, 7).map(one => [one.id, one.score, one.change]))
  }
}

async function expectAll(tenant: Tenant) {
  const people = await listActive(tenant)
  const trend = await expectPresent(tenant, people)
  await expectTrend(tenant, people, trend)
  for (const department of [null, '', 'Finance']) await expectTrends(tenant, people, department)
  await expectTopRisks(tenant, people)
}

const WORKERS: [string, readonly Job[]][] = [
  ['all jobs run', ALL_JOBS],
  ['days are never closed', DUE_JOBS],
  ['no worker runs', []],
]

describe.each(WORKERS)('while %s', (_name, jobs) => {
  it.each([1, 2, 3])('views = fold of the list and the record, life %i', async seed => {
    const tenant = await service.tenant()
    service.clock.set(START)
    const random = randomOf(seed)
    const people: Person[] = []
    for (let i = 0; i < 120; i++) {
      await liveOn(service, tenant, people, random, jobs)
      if (i % 12 === 11) await expectAll(tenant)
    }
    expect(service.clock.now() - START).toBeGreaterThan(35 * DAY)
  })
})
