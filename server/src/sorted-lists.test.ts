// Lists in other orders than their own: right over all pages, and several bands at once.
import { beforeAll, describe, expect, test } from 'vitest'
import { type Call, startService } from '../test/service.ts'

const service = await startService()
let call: Call

const PEOPLE = ['ada', 'ben', 'cleo', 'dan'] as const
const DEPARTMENTS = { ada: 'Sales', ben: 'Finance', cleo: 'Sales', dan: 'Legal' }
const RULES = [
  { name: 'low', event_type: 'custom.low', category: 'custom', impact: -30 },
  { name: 'worse', event_type: 'custom.worse', category: 'custom', impact: -60 },
]

beforeAll(async () => {
  call = (await service.tenant()).call
  for (const rule of RULES) await call('POST', '/v1/rules', rule)
  for (const name of PEOPLE) {
    const email = `${name}@acme.test`
    const person = { email, first_name: name, last_name: name, department: DEPARTMENTS[name] }
    await call('POST', '/v1/employees', person)
  }
  for (const [type, name, source] of [
    ['custom.worse', 'ben', 'zeta'],
    ['custom.low', 'ada', 'alpha'],
    ['custom.other', 'cleo', 'beta'],
    ['custom.low', 'dan', 'zeta'],
  ]) {
    const details = { source_system: source }
    const event = { type, employee_email: `${name}@acme.test`, details }
    expect((await call('POST', '/v1/events', event)).status).toBe(201)
    service.clock.advance(1000)
  }
})

/** Every row of a list, page by page, so that an order that holds on a page alone shows. */
async function readAll(path: string, read: (row: any) => unknown): Promise<unknown[]> {
  const rows = []
  for (let page = 1; ; page++) {
    const { status, body } = await call('GET', `${path}&per_page=2&page=${page}`)
    expect(status).toBe(200)
    rows.push(...body.data.map(read))
    if (page >= body.pagination.total_pages) return rows
  }
}

describe('GET /v1/events', () => {
  test.each([
    ['impact', 'asc', [-60, -30, -30, 0]],
    ['impact', 'desc', [0, -30, -30, -60]],
  ])('200 by %s %s', async (sort, order, expected) => {
    const path = `/v1/events?sort=${sort}&order=${order}`
    expect(await readAll(path, event => event.impact)).toEqual(expected)
  })

  test('200 by type and source, ties by time in the same direction; by time, oldest first', async () => {
    const name = (event: any) => event.employee_email.split('@')[0]
    const types = await readAll('/v1/events?sort=type&order=desc', name)
    expect(types).toEqual(['ben', 'cleo', 'dan', 'ada'])
    const sources = await readAll('/v1/events?sort=source&order=asc', name)
    expect(sources).toEqual(['ada', 'cleo', 'ben', 'dan'])
    const times = await readAll('/v1/events?sort=timestamp&order=asc', name)
    expect(times).toEqual(['ben', 'ada', 'cleo', 'dan'])
    expect(await readAll('/v1/events?', name)).toEqual(['dan', 'cleo', 'ada', 'ben'])
  })

  test('400 for another order', async () => {
    expect((await call('GET', '/v1/events?sort=id')).status).toBe(400)
    expect((await call('GET', '/v1/events?sort=type&order=up')).status).toBe(400)
  })

  test('400 by impact over more than 100,000 events, with the name of the parameter', async () => {
    const tenant = await service.tenant()
    const person = { email: 'eve@acme.test', first_name: 'Eve', last_name: 'Eve' }
    await tenant.call('POST', '/v1/employees', person)
    const event = { type: 'custom.other', employee_email: person.email }
    await tenant.call('POST', '/v1/events', event)
    const byImpact = () => tenant.call('GET', '/v1/events?sort=impact')
    expect((await byImpact()).status).toBe(200)
    await service.context.db.sql`UPDATE event_count_entries SET events = ARRAY[100001]
      WHERE tenant_id = ${tenant.tenant_id}`
    const { status, body } = await byImpact()
    expect([status, body.error.details[0].path]).toEqual([400, 'sort'])
  })
})

describe('GET /v1/employees', () => {
  const name = (person: any) => person.first_name

  test('200 with several bands, counted and listed alike', async () => {
    const { body } = await call('GET', '/v1/employees?bands=orange,critical&sort=score')
    expect(body.data.map((one: any) => [one.first_name, one.band])).toEqual([
      ['ben', 'critical'],
      ['ada', 'orange'],
      ['dan', 'orange'],
    ])
    expect(body.pagination.total).toBe(3)
    const found = await call('GET', '/v1/employees?bands=orange,critical&search=da')
    expect(found.body.pagination.total).toBe(2)
    const both = await call('GET', '/v1/employees?bands=orange,critical&band=orange')
    expect(both.body.pagination.total).toBe(2)
    const none = await call('GET', '/v1/employees?bands=orange,critical&band=green')
    expect(none.body).toMatchObject({ data: [], pagination: { total: 0 } })
  })

  test('200 with scores from and to, both included', async () => {
    const path = '/v1/employees?min_score=15&max_score=45&sort=score'
    expect(await readAll(path, person => person.score)).toEqual([15, 45, 45])
    const found = await call('GET', '/v1/employees?min_score=16&search=b')
    expect(found.body.pagination.total).toBe(0)
    expect((await call('GET', '/v1/employees?max_score=101')).status).toBe(400)
  })

  test('200 by department, 400 for an unknown band among several', async () => {
    const people = await readAll('/v1/employees?sort=department&order=asc', name)
    expect(people).toEqual(['ben', 'dan', 'ada', 'cleo'])
    expect((await call('GET', '/v1/employees?bands=red,purple')).status).toBe(400)
    expect((await call('GET', '/v1/employees?bands=')).status).toBe(400)
  })
})

test('200 /v1/scores/top-risks of one department, by either order', async () => {
  for (const sort of ['lowest_score', 'biggest_drop']) {
    const { body } = await call('GET', `/v1/scores/top-risks?department=Sales&sort=${sort}`)
    const emails = body.data.map((risk: any) => risk.email)
    expect(emails).toEqual(['ada@acme.test', 'cleo@acme.test'])
  }
})

describe('the other lists', () => {
  test('200 /v1/audit by action, /v1/actions by address, unmatched by type', async () => {
    const actions = await readAll('/v1/audit?sort=action&order=asc', entry => entry.action)
    expect(actions).toEqual(actions.toSorted())
    expect(new Set(actions).size).toBeGreaterThan(1)
    for (const name of ['dan', 'ada', 'ben']) {
      const employee = (await call('GET', `/v1/employees/by-email/${name}@acme.test`)).body
      const action = { employee_id: employee.id, type: 'assign_training' }
      const parameters = { course: 'Phishing' }
      const made = await call('POST', '/v1/actions', { ...action, parameters })
      expect(made.status).toBe(201)
    }
    const emails = await readAll('/v1/actions?sort=email&order=asc', one => one.employee_email)
    expect(emails).toEqual(['ada@acme.test', 'ben@acme.test', 'dan@acme.test'])
    for (const event_type of ['b.two', 'a.one', 'c.three']) {
      const employee = { email: 'nobody@acme.test' }
      await call('POST', '/v1/events/webhook', { source: 'x', event_type, employee })
    }
    const types = await readAll('/v1/events/unmatched?sort=type&order=desc', one => one.event_type)
    expect(types).toEqual(['c.three', 'b.two', 'a.one'])
  })

  test('200 deliveries by kind', async () => {
    const events = ['employee.created', 'score.updated', 'event.ingested']
    const hook = await call('POST', '/v1/webhooks', { url: 'https://example.com/in', events })
    expect(hook.status).toBe(201)
    const event = { type: 'custom.low', employee_email: 'cleo@acme.test' }
    await call('POST', '/v1/events', event)
    await call('POST', '/v1/employees', { email: 'eve@acme.test', first_name: 'E', last_name: 'V' })
    const path = `/v1/webhooks/${hook.body.id}/deliveries?sort=event&order=asc`
    const kinds = await readAll(path, one => one.event)
    expect(kinds).toEqual(['employee.created', 'event.ingested', 'score.updated'])
  })
})

test('the total is the same on a full page, on the last, on one past the end, and of nothing', async () => {
  const all = (await call('GET', '/v1/audit?action=rule.created&per_page=100')).body
  const { total } = all.pagination
  expect(total).toBe(all.data.length)
  for (const [per_page, page] of [
    [total, 1],
    [total, 2],
    [total - 1, 1],
    [total - 1, 2],
    [total + 1, 1],
    [1, 90],
  ]) {
    const { body } = await call(
      'GET',
      `/v1/audit?action=rule.created&per_page=${per_page}&page=${page}`,
    )
    expect(body.pagination.total, `${per_page} ${page}`).toBe(total)
  }
  const none = await call('GET', '/v1/audit?action=never')
  expect(none.body.pagination).toMatchObject({ total: 0, total_pages: 0 })
})
