// Events over HTTP: submitting, folding, batches, the inbound webhook, lists and statistics.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { loseTransaction } from '../../test/lose-transaction.ts'
import { startService, type Tenant } from '../../test/service.ts'

const service = await startService()
const DAY = 86_400_000
const HOUR = DAY / 24

async function person(tenant: Tenant, email = 'ada@example.com', department = 'Engineering') {
  const name = { first_name: 'Ada', last_name: 'Lovelace' }
  const { status, body } = await tenant.call('POST', '/v1/employees', {
    email,
    department,
    ...name,
  })
  expect(status).toBe(201)
  return body
}

async function rule(tenant: Tenant, change: object) {
  const base = { name: 'Rule', event_type: 'custom.x', category: 'custom', impact: -10 }
  const { status, body } = await tenant.call('POST', '/v1/rules', { ...base, ...change })
  expect(status).toBe(201)
  return body
}

const inbound = (event_type: string, email = 'ada@example.com', more = {}) => ({
  source: 'okta',
  event_type,
  employee: { email },
  ...more,
})

describe('201', () => {
  it('POST /v1/events scores a custom event and answers its effect', async () => {
    const tenant = await service.tenant()
    const ada = await person(tenant)
    const { id } = await rule(tenant, { impact: -12 })
    const event = {
      type: 'custom.x',
      employee_email: 'ADA@example.com',
      details: { severity: 'high' },
    }
    const { status, body, headers } = await tenant.call('POST', '/v1/events', event)
    expect(status).toBe(201)
    expect(headers.location).toBe(`/v1/events/${body.id}`)
    expect(body).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-z]{22}$/),
      type: 'custom.x',
      employee_id: ada.id,
      impact: -12,
      rules_matched: [id],
      score_before: 75,
      score_after: 63,
    })
    const shown = await tenant.call('GET', `/v1/events/${body.id}`)
    expect(shown.body).toMatchObject({
      source: 'api',
      employee_email: 'ada@example.com',
      impact: -12,
      current_impact: -12,
      timestamp: new Date(service.clock.now()).toISOString(),
      details: { severity: 'high' },
      rules_cooling: [],
    })
    const detail = await tenant.call('GET', `/v1/employees/${ada.id}`)
    expect(detail.body).toMatchObject({ score: 63, band: 'yellow', integrations: ['api'] })
  })

  it('the inbound webhook takes details as they are: what they call a source is not the source', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    for (const source_system of ['', 'x'.repeat(150), 7, null]) {
      const body = inbound('auth.x', 'ada@example.com', { details: { source_system } })
      const answer = await tenant.call('POST', '/v1/events/webhook', body)
      expect(answer.status, JSON.stringify(answer.body)).toBe(201)
      const stored = (await tenant.call('GET', `/v1/events/${answer.body.id}`)).body
      expect(stored).toMatchObject({ source: body.source, details: { source_system } })
    }
  })

  it('the inbound webhook scores by the default rules, with the given source', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    const answer = await tenant.call('POST', '/v1/events/webhook', inbound('auth.mfa_disabled'))
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ impact: -30, score_before: 75, score_after: 45 })
    const list = await tenant.call('GET', '/v1/events?source=okta')
    expect(list.body.data).toHaveLength(1)
  })

  it('a late event arrives already decayed', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    await rule(tenant, { impact: -40 })
    const timestamp = new Date(service.clock.now() - 90 * DAY).toISOString()
    const event = { type: 'custom.x', employee_email: 'ada@example.com', timestamp }
    const { body } = await tenant.call('POST', '/v1/events', event)
    expect(body).toMatchObject({ impact: -40, score_after: 55 })
    const shown = await tenant.call('GET', `/v1/events/${body.id}`)
    expect(shown.body.current_impact).toBe(-20)
  })

  it('an event that no rule matches is recorded and changes nothing', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    const event = { type: 'custom.unheard', employee_email: 'ada@example.com' }
    const { status, body } = await tenant.call('POST', '/v1/events', event)
    expect(status).toBe(201)
    expect(body).toMatchObject({ impact: 0, rules_matched: [], score_before: 75, score_after: 75 })
  })

  it('an inactive employee: recorded with impact 0 and no rules', async () => {
    const tenant = await service.tenant()
    const { id } = await person(tenant)
    await tenant.call('PATCH', `/v1/employees/${id}`, { status: 'inactive' })
    const { status, body } = await tenant.call(
      'POST',
      '/v1/events/webhook',
      inbound('auth.mfa_disabled'),
    )
    expect(status).toBe(201)
    expect(body).toMatchObject({ impact: 0, rules_matched: [], score_before: 75, score_after: 75 })
  })
})

describe('rules', () => {
  it('cool down by timestamp in both directions; exactly at the cooldown they fire', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    const { id } = await rule(tenant, { cooldown: '24h' })
    const at = service.clock.now() - 10 * DAY
    const send = async (offset: number) => {
      const timestamp = new Date(at + offset).toISOString()
      const event = { type: 'custom.x', employee_email: 'ada@example.com', timestamp }
      return (await tenant.call('POST', '/v1/events', event)).body
    }
    expect((await send(0)).rules_matched).toEqual([id])
    const cooled = await send(DAY - 1)
    expect(cooled.rules_matched).toEqual([])
    expect((await send(-DAY + 1)).rules_matched).toEqual([])
    expect((await send(DAY)).rules_matched).toEqual([id])
    expect((await send(-DAY)).rules_matched).toEqual([id])
    const shown = await tenant.call('GET', `/v1/events/${cooled.id}`)
    expect(shown.body.rules_cooling).toEqual([
      { rule_id: id, until: new Date(at + DAY).toISOString() },
    ])
  })

  it('a late event is told when the rule may fire again, whatever has fired since', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    const { id } = await rule(tenant, { cooldown: '10h' })
    const at = service.clock.now() - 10 * DAY
    const send = async (hours: number) => {
      const timestamp = new Date(at + hours * HOUR).toISOString()
      const event = { type: 'custom.x', employee_email: 'ada@example.com', timestamp }
      return (await tenant.call('POST', '/v1/events', event)).body
    }
    for (const hours of [0, 18, 36, 60]) expect((await send(hours)).rules_matched).toEqual([id])
    const late = await send(-9)
    expect(late.rules_matched).toEqual([])
    const shown = await tenant.call('GET', `/v1/events/${late.id}`)
    const until = new Date(at + 46 * HOUR).toISOString()
    expect(shown.body.rules_cooling).toEqual([{ rule_id: id, until }])
    expect((await send(45)).rules_matched, 'just before').toEqual([])
    expect((await send(46)).rules_matched).toEqual([id])
  })

  it('a change is in force for the next event, also on another process', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    const { id } = await rule(tenant, { impact: -1 })
    const { buildApp } = await import('../app.ts')
    const { caller } = await import('../../test/service.ts')
    const other = buildApp(service.context)
    const elsewhere = caller(other, tenant.key)
    const event = { type: 'custom.x', employee_email: 'ada@example.com' }
    for (let impact = -2; impact > -8; impact--) {
      expect((await elsewhere('POST', '/v1/events', event)).status).toBe(201)
      await tenant.call('PATCH', `/v1/rules/${id}`, { impact })
      const { body } = await elsewhere('POST', '/v1/events', event)
      expect(body.impact).toBe(impact)
    }
    await other.close()
  })

  it('all that match apply in order of priority, and an exclusive one stops the rest', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    const low = await rule(tenant, { impact: -1, priority: 1 })
    const high = await rule(tenant, { impact: -2, priority: 900 })
    const event = { type: 'custom.x', employee_email: 'ada@example.com' }
    const both = await tenant.call('POST', '/v1/events', event)
    expect(both.body).toMatchObject({ impact: -3, rules_matched: [high.id, low.id] })
    await tenant.call('PATCH', `/v1/rules/${high.id}`, { exclusive: true })
    const one = await tenant.call('POST', '/v1/events', event)
    expect(one.body).toMatchObject({ impact: -2, rules_matched: [high.id] })
  })

  it('details may have keys that JavaScript objects inherit; rules read them', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    const details = { constructor: 'Vault', prototype: 7, metadata: { constructor: { name: 'K' } } }
    const rule = await tenant.call('POST', '/v1/rules', {
      name: 'Made by K',
      event_type: 'custom.x',
      category: 'custom',
      impact: -3,
      conditions: { constructor: 'Vault', prototype: 7, 'metadata.constructor.name': 'K' },
    })
    expect(rule.status).toBe(201)
    const event = { type: 'custom.x', employee_email: 'ada@example.com', details }
    const { status, body } = await tenant.call('POST', '/v1/events', event)
    expect([status, body.rules_matched]).toEqual([201, [rule.body.id]])
    const { body: kept } = await tenant.call('GET', `/v1/events/${body.id}`)
    expect(kept.details).toEqual(details)
    const dry = await tenant.call('POST', `/v1/rules/${rule.body.id}/test`)
    expect(dry.body).toMatchObject({ events_matched: 1 })
    const plain = await tenant.call('POST', '/v1/events', { ...event, details: {} })
    expect(plain.body.rules_matched).toEqual([])
  })
})

describe('207 batches', () => {
  it('answer in order, fold several events of one employee, and let a bad one fail alone', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    await rule(tenant, { impact: -5 })
    const good = { type: 'custom.x', employee_email: 'ada@example.com' }
    const events = [
      good,
      { type: 'custom.x' },
      good,
      { ...good, employee_email: 'who@example.com' },
      good,
    ]
    const { status, body } = await tenant.call('POST', '/v1/events/batch', { events })
    expect(status).toBe(207)
    expect(body.data.map((one: any) => [one.index, one.status])).toEqual([
      [0, 201],
      [1, 400],
      [2, 201],
      [3, 404],
      [4, 201],
    ])
    const scores = [0, 2, 4].map(i => body.data[i].event.score_after)
    expect(scores).toEqual([70, 65, 60])
    expect(body.data[1].error).toMatchObject({ code: 'VALIDATION_ERROR' })
    const { body: list } = await tenant.call('GET', '/v1/events')
    expect(list.pagination.total).toBe(3)
  })

  it('cool down in the order of the request, by each other and by what fired before', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    const { id } = await rule(tenant, { impact: -1, cooldown: '24h' })
    const at = service.clock.now() - 10 * DAY
    const event = (hours: number) => ({
      type: 'custom.x',
      employee_email: 'ada@example.com',
      timestamp: new Date(at + hours * HOUR).toISOString(),
    })
    expect((await tenant.call('POST', '/v1/events', event(0))).body.rules_matched).toEqual([id])
    const events = [100, 23, 101, 77, 124, 24, 47].map(event)
    const { body } = await tenant.call('POST', '/v1/events/batch', { events })
    const fired = body.data.map((one: any) => one.event.rules_matched.length)
    expect(fired).toEqual([1, 0, 0, 0, 1, 1, 0])
    const shown = await tenant.call('GET', '/v1/employees/by-email/ada@example.com')
    expect(shown.body.last_event_at, 'the latest, not the last to come').toBe(event(124).timestamp)
  })

  it('of 1,001 events are refused', async () => {
    const { call } = await service.tenant()
    const events = Array.from({ length: 1001 }, () => ({}))
    expect((await call('POST', '/v1/events/batch', { events })).status).toBe(400)
    expect((await call('POST', '/v1/events/batch', { events: [] })).status).toBe(400)
  })

  it('207 what is no event at all, or holds what cannot be kept, fails alone', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    const good = { type: 'custom.x', employee_email: 'ada@example.com' }
    const bad: unknown[] = [
      5,
      null,
      'a\u0000b',
      { ...good, details: { a: { b: '\u0000' } } },
      { ...good, details: { '\u0000': 1 } },
      { ...good, details: JSON.parse('{"__proto__":1}') },
    ]
    const events = [good, ...bad, good]
    const { status, body } = await tenant.call('POST', '/v1/events/batch', { events })
    expect(status).toBe(207)
    expect(body.data.map((one: any) => one.status)).toEqual([201, ...bad.map(() => 400), 201])
    expect(body.data[4].error.details).toEqual([
      { path: 'details.a.b', message: 'contains a NUL character' },
    ])
    const { body: list } = await tenant.call('GET', '/v1/events')
    expect(list.pagination.total).toBe(2)
  })
})

describe('repeats', () => {
  it('200: an external_id seen before gives the first answer again and changes nothing', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    const event = { ...inbound('auth.mfa_disabled'), external_id: 'siem-1' }
    const first = await tenant.call('POST', '/v1/events/webhook', event)
    const again = await tenant.call('POST', '/v1/events/webhook', event)
    expect([first.status, again.status]).toEqual([201, 200])
    expect(again.body).toEqual(first.body)
    const other = await tenant.call('POST', '/v1/events/webhook', { ...event, source: 'azure' })
    expect(other.status).toBe(201)
    const { body } = await tenant.call('GET', '/v1/events')
    expect(body.pagination.total).toBe(2)
  })

  it('200: also once the event has passed the edge of retention, until it is removed', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    const timestamp = new Date(service.clock.now() - 365 * DAY + 1000).toISOString()
    const old = { type: 'custom.x', employee_email: 'ada@example.com', timestamp }
    const known = { ...old, external_id: 'siem-1' }
    const first = await tenant.call('POST', '/v1/events', known)
    expect(first.status).toBe(201)
    service.clock.advance(2 * DAY)
    const again = await tenant.call('POST', '/v1/events', known)
    expect([again.status, again.body]).toEqual([200, first.body])
    const events = [known, { ...known, external_id: 'siem-2' }, old]
    const { body } = await tenant.call('POST', '/v1/events/batch', { events })
    expect(body.data.map((one: any) => one.status)).toEqual([200, 400, 400])
    expect((await tenant.call('GET', '/v1/events')).body.pagination.total).toBe(1)
  })

  it('parallel duplicates of an external_id or an Idempotency-Key are scored once', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    const event = { type: 'custom.x', employee_email: 'ada@example.com' }
    const byKey = await Promise.all(
      Array.from({ length: 20 }, () =>
        tenant.call('POST', '/v1/events', event, { 'idempotency-key': 'k1' }),
      ),
    )
    expect(new Set(byKey.map(answer => answer.body.id)).size).toBe(1)
    expect(byKey.every(answer => answer.status === 201)).toBe(true)
    const byId = await Promise.all(
      Array.from({ length: 20 }, () =>
        tenant.call('POST', '/v1/events', { ...event, external_id: 'x1' }),
      ),
    )
    expect(new Set(byId.map(answer => answer.body.id)).size).toBe(1)
    expect(byId.filter(answer => answer.status === 201)).toHaveLength(1)
    expect((await tenant.call('GET', '/v1/events')).body.pagination.total).toBe(2)
  })

  it('201 again for the same event under the same Idempotency-Key, in whatever order its keys come', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    const key = { 'idempotency-key': 'k1' }
    const send = (body: string) => tenant.call('POST', '/v1/events', body, key)
    const first = await send('{"type":"custom.x","employee_email":"ada@example.com"}')
    const again = await send('{ "employee_email": "ada@example.com", "type": "custom.x" }')
    expect([again.status, again.body]).toEqual([201, first.body])
    expect((await tenant.call('GET', '/v1/events')).body.pagination.total).toBe(1)
  })

  it('201 again for the same bytes, where the release before kept the first answer', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    const key = { 'idempotency-key': 'k1' }
    const body = '{"type":"custom.x","employee_email":"ada@example.com"}'
    const first = await tenant.call('POST', '/v1/events', body, key)
    const kept = createHash('sha256').update(`\n${body}`).digest()
    await service.context.db.inTenant(
      tenant.tenant_id,
      tx =>
        tx`UPDATE idempotent_answers SET body_hash = ${kept} WHERE tenant_id = ${tenant.tenant_id}`,
    )
    const again = await tenant.call('POST', '/v1/events', body, key)
    expect([again.status, again.body]).toEqual([201, first.body])
  })

  it('409 another body under the same Idempotency-Key; a refused request does not use it up', async () => {
    const tenant = await service.tenant()
    const event = { type: 'custom.x', employee_email: 'ada@example.com' }
    const key = { 'idempotency-key': 'k2' }
    expect((await tenant.call('POST', '/v1/events', event, key)).status).toBe(404)
    await person(tenant)
    expect((await tenant.call('POST', '/v1/events', event, key)).status).toBe(201)
    const other = { ...event, details: { a: 1 } }
    expect((await tenant.call('POST', '/v1/events', other, key)).status).toBe(409)
    service.clock.advance(DAY + 1)
    expect((await tenant.call('POST', '/v1/events', other, key)).status).toBe(201)
  })
})

describe('unmatched inbound events', () => {
  it('404 and kept; replayed once the employee exists; gone after 30 days', async () => {
    const tenant = await service.tenant()
    const own = { details: { severity: 'high' }, external_id: 'siem-7' }
    const sent = inbound('auth.mfa_disabled', 'new@example.com', own)
    expect((await tenant.call('POST', '/v1/events/webhook', sent)).status).toBe(404)
    expect(
      (await tenant.call('POST', '/v1/events/webhook', inbound('auth.x', 'b@c.de'))).status,
    ).toBe(404)
    const list = await tenant.call('GET', '/v1/events/unmatched')
    expect(list.body.pagination.total).toBe(2)
    const kept = list.body.data.find((one: any) => one.employee.email === 'new@example.com')
    expect(kept).toMatchObject({
      source: 'okta',
      event_type: 'auth.mfa_disabled',
      ...own,
    })
    const others = list.body.data.filter((one: any) => one !== kept)
    expect(others).toMatchObject([{ external_id: null }])
    const path = `/v1/events/unmatched/${kept.id}/replay`
    expect((await tenant.call('POST', path)).status).toBe(404)
    await person(tenant, 'new@example.com')
    const key = { 'idempotency-key': 'replay-1' }
    const replayed = await tenant.call('POST', path, undefined, key)
    expect((await tenant.call('POST', path, undefined, key)).body).toEqual(replayed.body)
    expect([replayed.status, replayed.body.impact]).toEqual([201, -30])
    expect((await tenant.call('POST', path)).status).toBe(404)
    service.clock.advance(30 * DAY)
    expect((await tenant.call('GET', '/v1/events/unmatched')).body.pagination.total).toBe(0)
  })

  it('404 and kept once for one external id, and anew when the first has expired', async () => {
    const tenant = await service.tenant()
    const send = () =>
      tenant.call('POST', '/v1/events/webhook', inbound('auth.x', 'n@b.co', { external_id: 'x' }))
    const total = async () =>
      (await tenant.call('GET', '/v1/events/unmatched')).body.pagination.total
    await send()
    await send()
    expect(await total()).toBe(1)
    const elsewhere = { ...inbound('auth.x', 'n@b.co', { external_id: 'x' }), source: 'entra' }
    await tenant.call('POST', '/v1/events/webhook', elsewhere)
    expect(await total(), 'an id is of its source').toBe(2)
    service.clock.advance(30 * DAY)
    expect(await total()).toBe(0)
    await send()
    expect(await total()).toBe(1)
  })

  it('400 and not kept where it is older than retention, of whomever it is', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    const edge = new Date(service.clock.now())
    edge.setUTCFullYear(edge.getUTCFullYear() - 1)
    const send = async (email: string, at: number) => {
      const timestamp = new Date(at).toISOString()
      const sent = inbound('auth.x', email, { timestamp })
      return (await tenant.call('POST', '/v1/events/webhook', sent)).status
    }
    for (const email of ['ada@example.com', 'n@b.co'])
      expect(await send(email, edge.getTime() - 1)).toBe(400)
    expect((await tenant.call('GET', '/v1/events/unmatched')).body.data).toEqual([])
    expect(await send('ada@example.com', edge.getTime())).toBe(201)
  })

  it('404 and kept once for one Idempotency-Key, and anew for another body under it', async () => {
    const tenant = await service.tenant()
    const k1 = { 'idempotency-key': 'k1' }
    const kept = async (email: string, headers: Record<string, string>) => {
      const sent = inbound('auth.x', email)
      const { status } = await tenant.call('POST', '/v1/events/webhook', sent, headers)
      const { body } = await tenant.call('GET', '/v1/events/unmatched')
      return [status, body.pagination.total]
    }
    expect(await kept('n@b.co', k1)).toEqual([404, 1])
    expect(await kept('n@b.co', k1)).toEqual([404, 1])
    expect(await kept('m@b.co', k1)).toEqual([404, 2])
    expect(await kept('n@b.co', { 'idempotency-key': 'k2' })).toEqual([404, 3])
    expect(await kept('n@b.co', {})).toEqual([404, 4])
  })

  it('a replay cut off anywhere, then tried again, scores the event once', async () => {
    const tenant = await service.tenant()
    const listed = async () => (await tenant.call('GET', '/v1/events/unmatched')).body.data
    for (let nth = 1, whole = false; !whole; nth++) {
      const email = `n${nth}@b.co`
      await tenant.call('POST', '/v1/events/webhook', inbound('auth.x', email))
      const { id } = await person(tenant, email)
      const path = `/v1/events/unmatched/${(await listed())[0].id}/replay`
      const loss = await loseTransaction(service, nth)
      await tenant.call('POST', path)
      loss.end()
      whole = loss.begun() < nth
      if (!whole) expect((await tenant.call('POST', path)).status).toBeLessThan(300)
      const events = await tenant.call('GET', `/v1/events?employee_id=${id}`)
      expect(events.body.pagination.total, `cut at ${nth}`).toBe(1)
      expect(await listed()).toEqual([])
    }
  })
})

describe('200 lists and statistics', () => {
  it('filter by every parameter, newest first, with exact totals', async () => {
    const tenant = await service.tenant()
    const ada = await person(tenant)
    const bob = await person(tenant, 'bob@example.com', 'Sales')
    const start = service.clock.now()
    const at = (days: number) => new Date(start - days * DAY).toISOString()
    for (let i = 0; i < 6; i++) {
      const email = i % 2 === 0 ? 'ada@example.com' : 'bob@example.com'
      const type = i < 3 ? 'sim.link_clicked' : 'sim.reported'
      await tenant.call('POST', '/v1/events/webhook', {
        ...inbound(type, email, { timestamp: at(i * 2) }),
        source: i < 2 ? 'knowbe' : 'okta',
      })
    }
    const total = async (query: string) => {
      const { status, body } = await tenant.call('GET', `/v1/events?${query}`)
      expect(status).toBe(200)
      expect(body.data).toHaveLength(body.pagination.total)
      const times = body.data.map((one: any) => one.timestamp)
      expect(times).toEqual([...times].sort().reverse())
      return body.pagination.total
    }
    expect(await total('')).toBe(6)
    expect(await total(`employee_id=${ada.id}`)).toBe(3)
    expect(await total('type=sim.reported')).toBe(3)
    expect(await total('source=knowbe')).toBe(2)
    expect(await total('impact=negative')).toBe(3)
    expect(await total('impact=positive')).toBe(3)
    expect(await total(`from=${at(4)}&to=${at(2)}`)).toBe(2)
    expect(await total(`from=${at(4).slice(0, 10)}`)).toBe(3)
    expect(await total(`to=${at(6).slice(0, 10)}&type=sim.reported&source=okta`)).toBe(3)
    expect(await total('type=nothing.here')).toBe(0)
    const mine = await tenant.call('GET', `/v1/employees/${bob.id}/events?type=sim.reported`)
    expect(mine.body.pagination.total).toBe(2)
    expect((await tenant.call('GET', '/v1/employees/emp_x/events')).status).toBe(404)
  })

  it('statistics by type, source and department', async () => {
    const tenant = await service.tenant()
    await person(tenant)
    await person(tenant, 'bob@example.com', 'Sales')
    for (const email of ['ada@example.com', 'bob@example.com', 'bob@example.com']) {
      await tenant.call('POST', '/v1/events/webhook', inbound('sim.link_clicked', email))
    }
    await tenant.call('POST', '/v1/events/webhook', inbound('sim.reported'))
    const get = async (query: string) =>
      (await tenant.call('GET', `/v1/events/statistics${query}`)).body.data
    expect(await get('')).toEqual([
      { type: 'sim.link_clicked', count: 3, affected_employees: 2, average_impact: -16.7 },
      { type: 'sim.reported', count: 1, affected_employees: 1, average_impact: 10 },
    ])
    expect(await get('?group_by=source')).toEqual([
      { type: 'okta', source: 'okta', count: 4, affected_employees: 2, average_impact: -10 },
    ])
    expect(await get('?group_by=department')).toEqual([
      {
        type: 'Engineering',
        department: 'Engineering',
        count: 2,
        affected_employees: 1,
        average_impact: -7.5,
      },
      {
        type: 'Sales',
        department: 'Sales',
        count: 2,
        affected_employees: 1,
        average_impact: -12.5,
      },
    ])
    expect(await get('?from=2020-01-01&to=2020-02-01')).toEqual([])
  })

  it('an empty tenant gives empty lists', async () => {
    const { call } = await service.tenant()
    const list = await call('GET', '/v1/events')
    expect(list.body).toEqual({
      data: [],
      pagination: { page: 1, per_page: 25, total: 0, total_pages: 0 },
    })
    expect((await call('GET', '/v1/events/statistics')).body).toEqual({ data: [] })
  })
})

describe('404', () => {
  it("another tenant's event, employee and unmatched event", async () => {
    const [mine, theirs] = [await service.tenant(), await service.tenant()]
    const ada = await person(theirs)
    const { body } = await theirs.call('POST', '/v1/events/webhook', inbound('sim.reported'))
    await theirs.call('POST', '/v1/events/webhook', inbound('sim.reported', 'no@example.com'))
    const kept = (await theirs.call('GET', '/v1/events/unmatched')).body.data[0]
    expect((await mine.call('GET', `/v1/events/${body.id}`)).status).toBe(404)
    expect((await mine.call('GET', `/v1/employees/${ada.id}/events`)).status).toBe(404)
    expect((await mine.call('POST', `/v1/events/unmatched/${kept.id}/replay`)).status).toBe(404)
    expect((await mine.call('GET', `/v1/events?employee_id=${ada.id}`)).body.data).toEqual([])
    const event = { type: 'custom.x', employee_email: 'ada@example.com' }
    expect((await mine.call('POST', '/v1/events', event)).status).toBe(404)
  })
})
