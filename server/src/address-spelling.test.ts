// One address is one person, however its case and its accents are spelt, on every way in and out.
import { describe, expect, test } from 'vitest'
import { afterFile } from '../test/after-file.ts'
import { hire, ingest } from '../test/scenario.ts'
import { START, startService, type Tenant } from '../test/service.ts'
import { openDatabase } from './platform/database.ts'
import { listMigrations } from './platform/migrate.ts'

const ONE = 'Zoë.Müller@exämple.com'
const APART = ONE.normalize('NFD')
/** As people and programs send it. */
const SPELLINGS = [ONE, APART, ONE.toUpperCase(), APART.toUpperCase(), APART.toLowerCase()]

const service = await startService()
const NAME = { first_name: 'Zoë', last_name: 'Müller' }
const inbound = (email: string, more: object = {}) => ({
  source: 'okta',
  event_type: 'auth.x',
  employee: { email },
  ...more,
})

const add = (tenant: Tenant, email: string, more: object = {}) =>
  tenant.call('POST', '/v1/employees', { email, ...NAME, ...more })
const find = (tenant: Tenant, email: string) =>
  tenant.call('GET', `/v1/employees/by-email/${encodeURIComponent(email)}`)

describe.each([ONE, APART])('%s', given => {
  test('is taken once, kept as it was given, found and told of in every spelling', async () => {
    const tenant = await service.tenant()
    const made = await add(tenant, given)
    expect([made.status, made.body.email]).toEqual([201, given])
    for (const email of SPELLINGS) {
      expect((await add(tenant, email)).status, email).toBe(409)
      expect((await find(tenant, email)).body.id, email).toBe(made.body.id)
      const event = { type: 'custom.x', employee_email: email }
      const answers = [
        await tenant.call('POST', '/v1/events', event),
        await tenant.call('POST', '/v1/events/webhook', inbound(email)),
      ]
      expect(answers.map(one => [one.status, one.body.employee_id])).toEqual([
        [201, made.body.id],
        [201, made.body.id],
      ])
      const batch = await tenant.call('POST', '/v1/events/batch', { events: [event, event] })
      expect(batch.body.data.map((one: { status: number }) => one.status)).toEqual([201, 201])
    }
    const path = `/v1/employees/${made.body.id}/events?per_page=100`
    expect((await tenant.call('GET', path)).body.pagination.total).toBe(4 * SPELLINGS.length)
  })

  test('a rule cools down for the person, not for a spelling', async () => {
    const tenant = await service.tenant()
    await add(tenant, given)
    const rule = { name: 'X', event_type: 'custom.x', category: 'custom', impact: -5 }
    await tenant.call('POST', '/v1/rules', { ...rule, cooldown: '24h' })
    const impacts = []
    for (const employee_email of SPELLINGS) {
      const event = { type: 'custom.x', employee_email }
      impacts.push((await tenant.call('POST', '/v1/events', event)).body.impact)
    }
    expect(impacts).toEqual([-5, 0, 0, 0, 0])
  })

  test('is exported and erased in every spelling, and an address that is only like it stays', async () => {
    const tenant = await service.tenant()
    for (const email of SPELLINGS) {
      const early = inbound(email, { external_id: `early-${SPELLINGS.indexOf(email)}` })
      expect((await tenant.call('POST', '/v1/events/webhook', early)).status).toBe(404)
    }
    await tenant.call('POST', '/v1/events/webhook', inbound('zoe.muller@example.com'))
    const { body: person } = await add(tenant, given)
    const [kim] = await hire(service, tenant, ['kim@example.com'])
    const told = { type: 'custom.x', employee_email: 'kim@example.com' }
    const details = { by: SPELLINGS }
    const event = await tenant.call('POST', '/v1/events', { ...told, details })
    const { body: led } = await add(tenant, 'led@example.com', { manager_email: APART })
    const path = `/v1/employees/${person.id}`
    const { body: all } = await tenant.call('GET', `${path}/export`)
    expect(all.unmatched_events).toHaveLength(SPELLINGS.length)
    const { body: erased } = await tenant.call('POST', `${path}/erase`, { confirm: 'erase' })
    const list = await tenant.call('GET', '/v1/events/unmatched')
    expect(list.body.data.map((one: { employee: object }) => one.employee)).toEqual([
      { email: 'zoe.muller@example.com' },
    ])
    const { body: left } = await tenant.call('GET', `/v1/events/${event.body.id}`)
    expect([left.employee_id, left.details]).toEqual([
      kim,
      { by: SPELLINGS.map(() => erased.email) },
    ])
    const { body: free } = await tenant.call('GET', `/v1/employees/${led.id}`)
    expect(['', erased.email]).toContain(free.manager_email)
  })
})

test('erasing somebody leaves alone who is like them only to a database that reads İ as i', async () => {
  const tenant = await service.tenant()
  await tenant.call('POST', '/v1/events/webhook', inbound('İda@example.com'))
  const [ida] = await hire(service, tenant, ['ida@example.com'])
  const { body: led } = await add(tenant, 'led@example.com', { manager_email: 'İda@example.com' })
  await tenant.call('POST', `/v1/employees/${ida}/erase`, { confirm: 'erase' })
  expect((await tenant.call('GET', '/v1/events/unmatched')).body.pagination.total).toBe(1)
  const { body } = await tenant.call('GET', `/v1/employees/${led.id}`)
  expect(body.manager_email).toBe('İda@example.com')
})

test('people of an earlier release are found by either spelling; of two with one address the composed one has it', async () => {
  const tenant = await service.tenant()
  const emails = ['ann@example.com', 'zoë@example.com', 'two@example.com', 'bö@example.com']
  const [, zoe, two, bo] = await hire(service, tenant, emails)
  const owner = openDatabase({ address: service.address, pool: 1, prepare: true })
  afterFile(() => owner.close())
  const keys: [string | undefined, string][] = [
    [zoe, 'zoë@example.com'.normalize('NFD')],
    [two, 'bö@example.com'.normalize('NFD')],
  ]
  for (const [id, key] of keys) {
    await owner.sql`UPDATE employees SET email_key = ${key} WHERE tenant_id = ${tenant.tenant_id} AND employee_id = ${id!}`
  }
  const { sql } = listMigrations().find(one => one.name.includes('address_spelling'))!
  await owner.sql.unsafe(sql)
  for (const email of ['zoë@example.com', 'zoë@example.com'.normalize('NFD')])
    expect((await find(tenant, email)).body.id).toBe(zoe)
  for (const email of ['bö@example.com', 'bö@example.com'.normalize('NFD')])
    expect((await find(tenant, email)).body.id).toBe(bo)
  expect((await tenant.call('GET', `/v1/employees/${two}`)).status).toBe(200)
  await ingest(service, tenant, [{ email: 'zoë@example.com', type: 'custom.x', at: START }])
})
