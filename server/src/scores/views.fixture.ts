// Holds every view against a plain reading of the employee list and of the record.
import { expect } from 'vitest'
import { BANDS } from '../../../scoring/settings.ts'
import { type Service, START, type Tenant } from '../../test/service.ts'
import { DAY, dayOf } from '../platform/clock.ts'
import {
  describeScores,
  get,
  type Listed,
  listActive,
  readRecord,
  round1,
} from './scores.fixture.ts'

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

async function expectTrend(
  service: Service,
  tenant: Tenant,
  people: readonly Listed[],
  trend: object,
) {
  const record = await readRecord(service, tenant)
  const then = record.scoresAt(service.clock.now() - 30 * DAY)
  const now = people.map(one => one.score)
  const sum = (scores: readonly number[]) => scores.reduce((a, b) => a + b, 0)
  // One division of whole numbers: the difference of two means would round a half either way.
  const difference = sum(now) * then.length - sum(then) * now.length
  const change =
    then.length * now.length === 0 ? 0 : round1(difference / (then.length * now.length))
  const direction = change > 0 ? 'improving' : change < 0 ? 'declining' : 'stable'
  expect(trend).toEqual({ direction, change, period: '30d' })
}

async function expectTrends(
  service: Service,
  tenant: Tenant,
  people: readonly Listed[],
  department: string | null,
) {
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

type Risk = { employee_id: string; score: number; score_change_30d: number }

async function expectTopRisks(service: Service, tenant: Tenant, people: readonly Listed[]) {
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
    const seen = data.map((one: Risk) => [one.employee_id, one.score, one.score_change_30d])
    expect(seen).toEqual(expected.slice(0, 7).map(one => [one.id, one.score, one.change]))
  }
}

export async function expectViews(service: Service, tenant: Tenant) {
  const people = await listActive(tenant)
  const trend = await expectPresent(tenant, people)
  await expectTrend(service, tenant, people, trend)
  for (const department of [null, '', 'Finance'])
    await expectTrends(service, tenant, people, department)
  await expectTopRisks(service, tenant, people)
}
