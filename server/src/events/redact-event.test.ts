// Redaction: the details of one event are gone everywhere, and no number moves, then or later.
import { beforeAll, describe, expect, test } from 'vitest'
import { runJobs } from '../../test/scenario.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { hire } from '../actions/actions.fixture.ts'
import { verifyAudit } from '../audit/verify-audit.ts'
import { HOUR, MINUTE } from '../platform/clock.ts'
import { verifyTenant } from '../verify/verify-tenant.ts'
import { runDueDeliveries } from '../webhooks/deliver-webhooks.job.ts'
import { LOOPBACK, startReceiver } from '../webhooks/receiver.fixture.ts'
import { DEADLINES } from '../webhooks/send-request.ts'

const service = await startService(LOOPBACK)
const { context, clock } = service

let tenant: Tenant
const read = async (path: string) => (await tenant.call('GET', path)).body
const post = async (path: string, body?: object, headers?: Record<string, string>) =>
  tenant.call('POST', path, body, headers)

const RULE = { event_type: 'custom.seen', category: 'custom', conditions: { severity: 'high' } }

async function addRule(change: object = {}) {
  const answer = await post('/v1/rules', { name: 'Seen', ...RULE, impact: -10, ...change })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body as { id: string }
}

async function see(email: string, change: object = {}) {
  const details = { severity: 'high', text: 'about Zelda Zebrafinch' }
  const answer = await post('/v1/events', {
    type: 'custom.seen',
    employee_email: email,
    details,
    ...change,
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body as { id: string; impact: number }
}

const redact = (id: string) => post(`/v1/events/${id}/redact`)
const ago = (ms: number) => new Date(clock.now() - ms).toISOString()

/** Everything that is shown of a person's numbers. */
async function numbersOf(id: string) {
  const { data } = await read(`/v1/events?employee_id=${id}&per_page=100`)
  type Shown = { id: string; impact: number; current_impact: number; rules_matched: string[] }
  const events = (data as Shown[]).map(one => [
    one.id,
    one.impact,
    one.current_impact,
    one.rules_matched,
  ])
  const [{ score, band }, explanation] = await Promise.all([
    read(`/v1/employees/${id}`),
    read(`/v1/employees/${id}/explanation`),
  ])
  return { score, band, explanation, events }
}

async function recalculate() {
  expect((await post('/v1/rules/recalculate', { scope: 'all' })).status).toBe(202)
  await runJobs(service)
}

async function tablesWith(trace: string): Promise<string[]> {
  const tables = ['events', 'webhook_messages', 'webhook_attempts', 'webhook_deliveries']
  const found = await Promise.all(
    tables.map(
      table => context.db.sql`SELECT 1 FROM ${context.db.sql(table)} t
        WHERE t.tenant_id = ${tenant.tenant_id} AND lower(t::text) LIKE ${`%${trace}%`} LIMIT 1`,
    ),
  )
  return tables.filter((_, i) => found[i]!.length > 0)
}

beforeAll(async () => {
  tenant = await service.tenant()
})

describe('POST /v1/events/:id/redact', () => {
  test('200 empties the details, is audited once, and moves nothing, whatever is recalculated', async () => {
    const first = await addRule()
    const second = await addRule({ name: 'Seen too', impact: -7, cooldown: '2h', priority: 200 })
    const { id, email } = await hire(tenant)
    await see(email, { timestamp: ago(5 * HOUR) })
    const target = await see(email, { timestamp: ago(3 * HOUR) })
    // Cooled by the one that is redacted, from both sides, and it came late.
    await see(email, { timestamp: ago(4 * HOUR) })
    await see(email, { timestamp: ago(2 * HOUR) })
    await recalculate()
    const before = await numbersOf(id)
    const redacted = await redact(target.id)
    expect(redacted).toMatchObject({
      status: 200,
      body: { id: target.id, details: {}, redacted_at: new Date(clock.now()).toISOString() },
    })
    expect(await numbersOf(id)).toEqual(before)
    await recalculate()
    expect(await numbersOf(id), 'recalculated').toEqual(before)
    await tenant.call('PATCH', `/v1/rules/${first.id}`, {
      impact: -50,
      conditions: { text: 'none' },
    })
    await tenant.call('PATCH', `/v1/rules/${second.id}`, { status: 'inactive' })
    await recalculate()
    const own = (list: unknown[][]) => list.find(([event_id]) => event_id === target.id)
    expect(own((await numbersOf(id)).events), 'by other rules').toEqual(own(before.events))
    expect((await redact(target.id)).body).toEqual(
      (await read(`/v1/events/${target.id}`)) && redacted.body,
    )
    const { data } = await read(`/v1/audit?subject_id=${target.id}`)
    expect(data).toMatchObject([{ action: 'event.redacted', subject: { kind: 'event' } }])
    expect(await verifyAudit(context, tenant.tenant_id, null)).toMatchObject({ valid: true })
    expect(await verifyTenant(context, tenant.tenant_id)).toMatchObject({ clean: true })
  })

  test('200 for a dry run the event is what it was: it cools, and is neither judged nor replaced', async () => {
    const rule = await addRule({
      name: 'Dry',
      event_type: 'custom.dry',
      cooldown: '1h',
      impact: -4,
    })
    const { email } = await hire(tenant)
    const dry = { type: 'custom.dry' }
    const target = await see(email, { ...dry, timestamp: ago(90 * MINUTE) })
    await see(email, { ...dry, timestamp: ago(10 * MINUTE) })
    const test = async () => (await post(`/v1/rules/${rule.id}/test`)).body
    expect(await test()).toMatchObject({ events_matched: 2, average_impact: 0 })
    await redact(target.id)
    expect(await test()).toMatchObject({ events_matched: 1, average_impact: 0 })
    await tenant.call('PATCH', `/v1/rules/${rule.id}`, { cooldown: '2h' })
    const cooled = await test()
    expect(cooled).toMatchObject({ events_matched: 0, employees_affected: 1 })
    expect(cooled.average_impact).toBeGreaterThan(0)
    const { replaces, ...draft } = { ...RULE, name: 'Draft', impact: -9, ...dry, replaces: rule.id }
    const { type: _, ...body } = { ...draft, event_type: 'custom.dry', conditions: {} }
    const drafted = await post('/v1/rules/test', { ...body, replaces })
    expect(drafted.body, JSON.stringify(drafted.body)).toMatchObject({ events_matched: 1 })
  })

  test('200 what is kept of messages is emptied, and what waits goes out without the details', async () => {
    const receiver = await startReceiver(response => response.end('you said Zebrafinch'))
    const events = ['event.ingested']
    const make = async () => (await post('/v1/webhooks', { url: receiver.url, events })).body.id
    const hook = await make()
    const { email } = await hire(tenant)
    const [sent, waits] = [await see(email), await see(email)]
    await context.db
      .sql`UPDATE webhook_deliveries SET next_attempt_at = ${new Date(clock.now() + HOUR)}
      WHERE tenant_id = ${tenant.tenant_id} AND event_id = ${waits.id}`
    await runDueDeliveries(context, { deadlines: DEADLINES })
    expect(receiver.got).toHaveLength(1)
    const other = await see(email)
    await redact(sent.id)
    await redact(waits.id)
    const { data } = await read(`/v1/webhooks/${hook}/deliveries`)
    type Delivery = { id: string; status: string }
    const bodies = await Promise.all(
      (data as Delivery[]).map(async one => {
        const { request, attempt_log } = await read(`/v1/webhooks/deliveries/${one.id}`)
        return { status: one.status, body: request.body, said: attempt_log[0]?.response?.body }
      }),
    )
    expect(bodies.find(one => one.status === 'delivered')).toMatchObject({ body: '', said: '' })
    clock.advance(HOUR)
    await runDueDeliveries(context, { deadlines: DEADLINES })
    const told = receiver.got.slice(1).map(({ body }) => JSON.parse(body).data)
    expect(told).toHaveLength(2)
    expect(told.find(one => one.id === waits.id)).toMatchObject({
      type: 'custom.seen',
      details: {},
    })
    expect(told.find(one => one.id === other.id).details).toMatchObject({ severity: 'high' })
    await redact(other.id)
    const ids = [sent.id, waits.id, other.id]
    const rows = await context.db.sql`SELECT m.body FROM webhook_messages m
      JOIN webhook_deliveries d ON d.tenant_id = m.tenant_id AND d.message_id = m.message_id
      WHERE d.event_id = ANY(${ids}) AND m.body LIKE '%Zebrafinch%'`
    expect(rows).toEqual([])
    const again = (data as Delivery[]).find(one => one.status === 'delivered')!
    expect((await post(`/v1/webhooks/deliveries/${again.id}/redeliver`)).status).toBe(409)
  })

  test('200 the saved answer of its retraction no longer tells the details', async () => {
    await addRule()
    const { email } = await hire(tenant)
    const { id } = await see(email)
    const retract = () =>
      post(`/v1/events/${id}/retract`, { reason: 'a test' }, { 'idempotency-key': `again-${id}` })
    expect((await retract()).body.details).toMatchObject({ severity: 'high' })
    expect((await redact(id)).status).toBe(200)
    expect(await retract()).toMatchObject({ status: 200 })
    expect(JSON.stringify((await retract()).body ?? null)).not.toContain('Zebrafinch')
  })

  test('200 a retraction by conditions on details leaves it alone, one without takes it back', async () => {
    const own = await service.tenant()
    tenant = own
    await addRule()
    const { id, email } = await hire(own)
    const target = await see(email)
    await see(email)
    await redact(target.id)
    const retract = async (filter: object) => {
      const { body } = await post('/v1/events/retract', { filter, reason: 'a test' })
      await runJobs(service)
      return (await read(`/v1/events/retract/${body.job_id}`)).events_matched
    }
    expect(await retract({ employee_id: id, conditions: { severity: { ne: 'low' } } })).toBe(1)
    expect(await tablesWith('zebrafinch')).toEqual(['events'])
    expect(await retract({ employee_id: id })).toBe(1)
    expect(await read(`/v1/employees/${id}`)).toMatchObject({ score: 75 })
  })

  test('403 without employees:write, 404 for another tenant, 409 for a clean streak', async () => {
    const { email } = await hire(tenant)
    const { id } = await see(email)
    const writer = await tenant.as('events:write,events:read')
    expect((await writer('POST', `/v1/events/${id}/redact`)).status).toBe(403)
    const stranger = await service.tenant()
    expect((await stranger.call('POST', `/v1/events/${id}/redact`)).status).toBe(404)
    clock.advance(40 * 24 * HOUR)
    await runJobs(service)
    const { data } = await read('/v1/events?type=recovery.clean_streak')
    expect((await redact(data[0].id)).status).toBe(409)
    expect((await read(`/v1/events/${id}`)).details).toMatchObject({ severity: 'high' })
  })
})
