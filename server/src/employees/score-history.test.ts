// The score over time: which instants are measured, and that each shows what was true then.
import { beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_EDGES, DEFAULT_SETTINGS } from '../../../scoring/settings.ts'
import { type Service, START, startService, type Tenant } from '../../test/service.ts'
import { DAY, HOUR } from '../platform/clock.ts'
import { create, happen } from './employees.fixture.ts'
import {
  defaultFrom,
  type HistoryRow,
  INTERVALS,
  intervalStart,
  listInstants,
  measure,
  type ScorePoint,
} from './score-history.ts'

const at = (text: string) => Date.parse(text)
const iso = (instants: readonly number[]) => instants.map(one => new Date(one).toISOString())

describe('intervals', () => {
  it('begin on the UTC hour, the UTC day and the Monday of the ISO week', () => {
    const now = at('2026-03-01T13:45:10.123Z')
    expect(INTERVALS).toEqual(['hourly', 'daily', 'weekly'])
    expect(iso(INTERVALS.map(interval => intervalStart(now, interval)))).toEqual([
      '2026-03-01T13:00:00.000Z',
      '2026-03-01T00:00:00.000Z',
      '2026-02-23T00:00:00.000Z',
    ])
    const monday = at('2026-03-02T00:00:00.000Z')
    expect(intervalStart(monday, 'weekly')).toBe(monday)
    expect(intervalStart(at('1970-01-01T00:00:00Z'), 'weekly')).toBe(at('1969-12-29T00:00:00Z'))
  })

  it('are measured at their last instant, the running one at now', () => {
    const now = at('2026-03-03T09:00:00Z')
    const span = { from: at('2026-03-01T13:00:00Z'), to: now }
    expect(iso(listInstants(span, 'daily', now))).toEqual([
      '2026-03-01T23:59:59.999Z',
      '2026-03-02T23:59:59.999Z',
      '2026-03-03T09:00:00.000Z',
    ])
    expect(iso(listInstants(span, 'weekly', now))).toEqual([
      '2026-03-01T23:59:59.999Z',
      '2026-03-03T09:00:00.000Z',
    ])
    expect(listInstants(span, 'hourly', now)).toHaveLength(45)
  })

  it('give one point for an instant and none for a span that ends before it begins', () => {
    const now = at('2026-03-02T00:00:00Z')
    expect(listInstants({ from: now, to: now }, 'daily', now)).toEqual([now])
    expect(listInstants({ from: now, to: now - 1 }, 'daily', now)).toEqual([])
  })

  it('are 30 days by default, the last one running', () => {
    for (const to of [at('2026-03-02T00:00:00.000Z'), at('2026-03-02T23:59:59.999Z')]) {
      expect(listInstants({ from: defaultFrom(to), to }, 'daily', to)).toHaveLength(30)
    }
  })

  it('are at most 1,000, and the refusal says how to narrow', () => {
    const from = at('2026-01-01T00:00:00Z')
    expect(listInstants({ from, to: from + 1000 * HOUR - 1 }, 'hourly', from + 1e12)).toHaveLength(
      1000,
    )
    const refused = (interval: 'hourly' | 'weekly', length: number) => () =>
      listInstants({ from, to: from + 1000 * length }, interval, from + 1e12)
    expect(refused('hourly', HOUR)).toThrow(/1001 points, at most 1000.*interval=daily/)
    expect(refused('weekly', 8 * DAY)).toThrow(/closer together$/)
  })
})

describe('measuring', () => {
  const row = (change: Partial<HistoryRow>): HistoryRow => ({
    at: new Date(START),
    score: 55,
    band: 'orange',
    risk: -20,
    recovery: 0,
    status: 'active',
    settings_version: 1,
    edges_version: 1,
    ...change,
  })
  const basis = {
    settingsOf: (version: number) => ({ ...DEFAULT_SETTINGS, half_life_days: version * 10 }),
    edgesOf: (version: number) => ({ ...DEFAULT_EDGES, yellow: version === 1 ? 60 : 66 }),
  }
  const show = (points: readonly ScorePoint[]) => points.map(one => `${one.score} ${one.band}`)

  it("takes the last row at or before the instant, decayed by that row's settings and edges", () => {
    const rows = [
      row({}),
      row({ at: new Date(START + 40 * DAY), settings_version: 2, edges_version: 2 }),
    ]
    const days = [0, 10, 20, 40, 60]
    const instants = days.map(day => START + day * DAY)
    const expected = ['55 orange', '65 yellow', '70 yellow', '55 orange', '65 orange']
    expect(show(measure(rows, instants, basis))).toEqual(expected)
  })

  it('holds the row of an inactive employee undecayed', () => {
    const rows = [row({ status: 'inactive', score: 41, band: 'red' })]
    expect(show(measure(rows, [START, START + 90 * DAY], basis))).toEqual(['41 red', '41 red'])
  })

  it('gives nothing for instants before the first row', () => {
    expect(measure([row({})], [START - 1], basis)).toEqual([])
    expect(measure([], [START], basis)).toEqual([])
  })
})

describe('GET /v1/employees/:id/score-history', () => {
  let service: Service
  let acme: Tenant
  let id: string
  /** What the detail view showed at the end of each day. */
  const seen: { timestamp: string; score: number; band: string }[] = []

  beforeAll(async () => {
    service = await startService()
    acme = await service.tenant()
    const employee = await create(acme)
    id = employee.id
    const story: Record<number, string> = {
      3: 'sim.link_clicked',
      9: 'training.completed',
      20: 'endpoint.malware_detected',
    }
    service.clock.set(intervalStart(START, 'daily') + DAY - 1)
    for (let day = 0; day < 50; day++) {
      if (story[day]) await happen(acme, employee.email, story[day])
      if (day === 30) await acme.call('PATCH', `/v1/employees/${id}`, { status: 'inactive' })
      if (day === 40) await acme.call('PATCH', `/v1/employees/${id}`, { status: 'active' })
      // An event that no rule knows still applies what fell due.
      await happen(acme, employee.email, 'custom.nothing')
      const { body } = await acme.call('GET', `/v1/employees/${id}`)
      const timestamp = new Date(service.clock.now()).toISOString()
      seen.push({ timestamp, score: body.score, band: body.band })
      service.clock.advance(DAY)
    }
    service.clock.set(intervalStart(service.clock.now(), 'daily') + 12 * HOUR)
  })

  async function read(query = '') {
    const answer = await acme.call('GET', `/v1/employees/${id}/score-history${query}`)
    expect(answer.status).toBe(200)
    return answer.body.data
  }

  it('200 shows for each day what the employee saw on it, then the running day at now', async () => {
    const points = await read('?from=2026-03-01')
    expect(points.slice(0, 50)).toEqual(seen)
    expect(points).toHaveLength(51)
    expect(points[50].timestamp).toBe(new Date(service.clock.now()).toISOString())
    expect(new Set(seen.map(one => one.band)).size).toBeGreaterThan(2)
    expect(new Set(seen.slice(30, 40).map(one => one.score)).size).toBe(1)
  })

  it('200 is 30 days, daily, by default: the same as score_history of the detail view', async () => {
    const points = await read()
    expect(points).toHaveLength(30)
    expect(points.slice(0, 29)).toEqual(seen.slice(21))
    const { body } = await acme.call('GET', `/v1/employees/${id}`)
    expect(body.score_history).toEqual(points)
    expect((await acme.call('GET', `/v1/employees/by-email/${body.email}`)).body).toEqual(body)
  })

  it('200 a past window gives the past, whatever happened since', async () => {
    expect(await read('?from=2026-03-05&to=2026-03-12')).toEqual(seen.slice(3, 11))
    expect(await read('?to=2026-04-10')).toEqual(seen.slice(10, 40))
  })

  it('200 hourly: between two changes nothing jumps, and the hour of an event shows it', async () => {
    const points = await read('?interval=hourly&from=2026-03-05T20:00:00Z&to=2026-03-06T02:30:00Z')
    const scores = points.map((one: ScorePoint) => one.score)
    expect(scores).toEqual([75, 75, 75, 50, 50, 50, 50])
    expect(points[3].timestamp).toBe('2026-03-05T23:59:59.999Z')
    expect(points[6].timestamp).toBe('2026-03-06T02:59:59.999Z')
  })

  it('200 weekly: Sundays, then now', async () => {
    const points = await read('?interval=weekly&from=2026-01-01')
    const sundays = seen.filter(one => new Date(one.timestamp).getUTCDay() === 0)
    expect(points.slice(0, -1)).toEqual(sundays)
    expect(points).toHaveLength(8)
  })

  it('200 the point at now is the stored score, also while a change is due and not yet applied', async () => {
    const tenant = await service.tenant()
    const { id: other, email } = await create(tenant)
    await happen(tenant, email, 'endpoint.malware_detected')
    service.clock.advance(20 * DAY)
    const { body } = await tenant.call('GET', `/v1/employees/${other}`)
    service.clock.advance(-20 * DAY)
    expect(body.score).toBe(35)
    expect(body.score_history.at(-1).score).toBe(35)
    expect(body.score_history.at(-2).score).toBeGreaterThan(35)
  })

  it('200 nothing before creation and nothing of the future', async () => {
    expect(await read('?from=2020-01-01&to=2026-03-01')).toEqual([])
    expect(await read('?from=2027-01-01&to=2027-02-01')).toEqual([])
    const late = await read('?from=2026-04-20&to=2027-01-01')
    expect(late.map((one: { timestamp: string }) => one.timestamp)).toEqual([
      '2026-04-20T23:59:59.999Z',
      '2026-04-21T12:00:00.000Z',
    ])
  })

  it.each([
    ['interval=hourly&from=2026-03-01', 'from', 'interval=daily'],
    ['interval=monthly', 'interval', 'hourly, daily, weekly'],
    ['from=2026-02-30', 'from', 'ISO 8601'],
    ['to=tomorrow', 'to', 'ISO 8601'],
    ['from=2026-03-05T10:00:00', 'from', 'ISO 8601'],
    ['from=2026-03-06&to=2026-03-05', 'from', 'after to'],
    ['from=2030-01-01', 'from', 'in the future unless to is given'],
    ['page=1', 'page', 'not a known query parameter'],
  ])('400 refuses ?%s', async (query, path, words) => {
    const answer = await acme.call('GET', `/v1/employees/${id}/score-history?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.body.error.details[0].path).toBe(path)
    expect(answer.body.error.details[0].message).toContain(words)
  })
})
