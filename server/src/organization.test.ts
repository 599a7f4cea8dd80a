// The organization's own page: what is in use of the plan, and how long events are kept.
import { describe, expect, test } from 'vitest'
import { signIn } from '../test/people.ts'
import { startService } from '../test/service.ts'
import { runDueDeliveries } from './webhooks/deliver-webhooks.job.ts'
import { LOOPBACK, startReceiver } from './webhooks/receiver.fixture.ts'

const service = await startService(LOOPBACK)

describe('GET /admin/usage', () => {
  test('200: tells what was drawn, for how long, without drawing itself', async () => {
    const tenant = await service.tenant({ plan: 'professional' })
    const desk = await signIn(service, tenant.tenant_id, 'viewer')
    for (let i = 0; i < 5; i++) await tenant.call('GET', '/v1/scores/summary')
    const { status, body } = await desk.call('GET', '/admin/usage')
    expect(status).toBe(200)
    expect(body.rates.requests).toEqual({ per_minute: 300, capacity: 500, used: 5 })
    expect(body.rates.scores).toEqual({ per_minute: 100, capacity: 100, used: 5 })
    expect(body.rates.inbound.used).toBe(0)
    service.clock.advance(60_000)
    const later = await desk.call('GET', '/admin/usage')
    expect(later.body.rates.scores.used).toBe(0)
  })

  test('200: recalculations of the window, and when the next is possible', async () => {
    const tenant = await service.tenant({ plan: 'professional' })
    const desk = await signIn(service, tenant.tenant_id, 'viewer')
    const before = await desk.call('GET', '/admin/usage')
    expect(before.body.recalculations).toEqual({ most: 1, used: 0, next_at: null })
    const asked = service.clock.now()
    expect((await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })).status).toBe(202)
    const { body } = await desk.call('GET', '/admin/usage')
    const next_at = new Date(asked + 3_600_000).toISOString()
    expect(body.recalculations).toEqual({ most: 1, used: 1, next_at })
  })
})

describe('the use of a day', () => {
  test('200: requests of keys, events accepted; what is refused or the dashboard asks is not counted', async () => {
    const tenant = await service.tenant()
    const desk = await signIn(service, tenant.tenant_id, 'viewer')
    const person = { email: 'ada@acme.test', first_name: 'Ada', last_name: 'Moss' }
    await tenant.call('POST', '/v1/employees', person)
    const event = { type: 'custom.seen', employee_email: 'ada@acme.test', external_id: 'once' }
    const stranger = { type: 'custom.seen', employee_email: 'nobody@acme.test' }
    for (const body of [event, event, stranger]) await tenant.call('POST', '/v1/events', body)
    const events = Array.from({ length: 101 }, () => ({ ...event, external_id: undefined }))
    await tenant.call('POST', '/v1/events/batch', { events })
    const wrong = { authorization: 'Bearer wrong' }
    expect((await tenant.call('GET', '/v1/employees', undefined, wrong)).status).toBe(401)
    await desk.call('GET', '/v1/employees')
    await service.app.flush()
    const day = new Date(service.clock.now()).toISOString().slice(0, 10)
    const today = await desk.call('GET', '/admin/usage')
    expect(today.body.today).toBe(day)
    // A batch counts as one request for each hundred begun, as it does for the limit.
    expect(today.body.days).toEqual([{ day, requests: 6, events: 102, deliveries: 0 }])
    service.clock.advance(86_400_000)
    await tenant.call('GET', '/v1/employees')
    await service.app.flush()
    await tenant.call('GET', '/v1/employees')
    await service.app.flush()
    const later = await signIn(service, tenant.tenant_id, 'viewer')
    const next = await later.call('GET', '/admin/usage')
    expect(next.body.days.map((one: { requests: number }) => one.requests)).toEqual([6, 2])
  })
})

test('200: deliveries that were sent are counted by whoever sends them', async () => {
  const receiver = await startReceiver()
  const tenant = await service.tenant()
  const desk = await signIn(service, tenant.tenant_id, 'viewer')
  const { url } = receiver
  await tenant.call('POST', '/v1/webhooks', { url, events: ['employee.created'] })
  for (const email of ['ada@acme.test', 'ben@acme.test']) {
    await tenant.call('POST', '/v1/employees', { email, first_name: 'A', last_name: 'B' })
  }
  await runDueDeliveries(service.context)
  expect(receiver.got).toHaveLength(2)
  const { body } = await desk.call('GET', '/admin/usage')
  expect(body.days).toMatchObject([{ deliveries: 2 }])
})

describe('PUT /admin/retention', () => {
  test('200 for an owner, who finds it in the settings and in the audit log', async () => {
    const tenant = await service.tenant()
    const desk = await signIn(service, tenant.tenant_id, 'owner')
    const answer = await desk.call('PUT', '/admin/retention', { retention_months: 24 })
    expect(answer.status).toBe(200)
    expect((await desk.call('GET', '/admin/settings')).body.retention_months).toBe(24)
    const audit = await tenant.call('GET', '/v1/audit?action=tenant.retention_changed')
    expect(audit.body.data[0]).toMatchObject({
      actor: { kind: 'user', id: desk.user_id },
      before: { retention_months: 12 },
      after: { retention_months: 24 },
    })
    expect((await desk.call('PUT', '/admin/retention', { retention_months: 24 })).status).toBe(200)
    const again = await tenant.call('GET', '/v1/audit?action=tenant.retention_changed')
    expect(again.body.pagination.total, 'the same again is no change').toBe(1)
  })

  test('400 outside of 6 to 36 months, 403 for an admin, 401 for a key', async () => {
    const tenant = await service.tenant()
    const owner = await signIn(service, tenant.tenant_id, 'owner')
    for (const retention_months of [5, 37, 6.5]) {
      const answer = await owner.call('PUT', '/admin/retention', { retention_months })
      expect(answer.status).toBe(400)
    }
    const admin = await signIn(service, tenant.tenant_id, 'admin')
    const body = { retention_months: 24 }
    expect((await admin.call('PUT', '/admin/retention', body)).status).toBe(403)
    expect((await tenant.call('GET', '/admin/usage')).status).toBe(401)
  })
})
