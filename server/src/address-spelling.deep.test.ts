// One address is one person, however its case and its accents are spelt, on every way in and out.
import { describe, expect, test } from 'vitest'
import { afterFile } from '../test/after-file.ts'
import { addPerson, openBrowser } from '../test/people.ts'
import { hire, ingest } from '../test/scenario.ts'
import { START, startService, type Tenant } from '../test/service.ts'
import { HOUR } from './platform/clock.ts'
import { type Database, openDatabase, RESERVED_TENANT } from './platform/database.ts'
import { listMigrations } from './platform/migrate.ts'

const ONE = 'Zoë.Müller@exämple.com'
const APART = ONE.normalize('NFD')
/** Its last letters have a form that capitals have not. */
const GREEK = 'Νίκος.Παπάς@example.gr'

/** As people and programs send it. */
function spellingsOf(address: string): string[] {
  const [one, apart] = [address.normalize('NFC'), address.normalize('NFD')]
  const upper = one.toUpperCase()
  return [one, apart, upper, apart.toUpperCase(), apart.toLowerCase(), upper.toLowerCase()]
}

const service = await startService()
const NAME = { first_name: 'Zoë', last_name: 'Müller' }
const inbound = (email: string, more: object = {}) => ({
  source: 'okta',
  event_type: 'auth.x',
  employee: { email },
  ...more,
})

function openOwner(): Database {
  const owner = openDatabase({ address: service.address, pool: 1, prepare: true })
  afterFile(() => owner.close())
  return owner
}

const setKey = ({ sql }: Database, { tenant_id }: Tenant, id: string, key: string) =>
  sql`UPDATE employees SET email_key = ${key} WHERE tenant_id = ${tenant_id} AND employee_id = ${id}`

const runAgain = ({ sql }: Database, name: string) =>
  sql.unsafe(listMigrations().find(one => one.name.includes(name))!.sql)

const add = (tenant: Tenant, email: string, more: object = {}) =>
  tenant.call('POST', '/v1/employees', { email, ...NAME, ...more })
const find = (tenant: Tenant, email: string) =>
  tenant.call('GET', `/v1/employees/by-email/${encodeURIComponent(email)}`)

describe.each([ONE, APART, GREEK])('%s', given => {
  const spellings = spellingsOf(given)

  test('is taken once, kept as it was given, found and told of in every spelling', async () => {
    const tenant = await service.tenant()
    const made = await add(tenant, given)
    expect([made.status, made.body.email]).toEqual([201, given])
    for (const email of spellings) {
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
    expect((await tenant.call('GET', path)).body.pagination.total).toBe(4 * spellings.length)
  })

  test('a rule cools down for the person, not for a spelling', async () => {
    const tenant = await service.tenant()
    await add(tenant, given)
    const rule = { name: 'X', event_type: 'custom.x', category: 'custom', impact: -5 }
    await tenant.call('POST', '/v1/rules', { ...rule, cooldown: '24h' })
    const impacts = []
    for (const employee_email of spellings) {
      const event = { type: 'custom.x', employee_email }
      impacts.push((await tenant.call('POST', '/v1/events', event)).body.impact)
    }
    expect(impacts).toEqual(spellings.map((_, i) => (i === 0 ? -5 : 0)))
  })

  test('is exported and erased in every spelling, and an address that is only like it stays', async () => {
    const tenant = await service.tenant()
    for (const email of spellings) {
      const early = inbound(email, { external_id: `early-${spellings.indexOf(email)}` })
      expect((await tenant.call('POST', '/v1/events/webhook', early)).status).toBe(404)
    }
    await tenant.call('POST', '/v1/events/webhook', inbound('zoe.muller@example.com'))
    const { body: person } = await add(tenant, given)
    const [kim] = await hire(service, tenant, ['kim@example.com'])
    const told = { type: 'custom.x', employee_email: 'kim@example.com' }
    const details = { by: spellings }
    const event = await tenant.call('POST', '/v1/events', { ...told, details })
    const led = await Promise.all(
      spellings.map(async (manager_email, i) => {
        return (await add(tenant, `led${i}@example.com`, { manager_email })).body
      }),
    )
    const path = `/v1/employees/${person.id}`
    const { body: all } = await tenant.call('GET', `${path}/export`)
    expect(all.unmatched_events).toHaveLength(spellings.length)
    expect((await tenant.call('POST', `${path}/erase`, { confirm: 'erase' })).status).toBe(200)
    const list = await tenant.call('GET', '/v1/events/unmatched')
    expect(list.body.data.map((one: { employee: object }) => one.employee)).toEqual([
      { email: 'zoe.muller@example.com' },
    ])
    const { body: left } = await tenant.call('GET', `/v1/events/${event.body.id}`)
    expect([left.employee_id, left.details], 'what is told of others').toEqual([kim, details])
    for (const { id } of led) {
      expect((await tenant.call('GET', `/v1/employees/${id}`)).body.manager_email).toBe('')
    }
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

test('an account is one in every spelling: invited once, and logged in to by each', async () => {
  const { tenant_id } = await service.tenant()
  const { user_id } = await addPerson(service, tenant_id, 'viewer', GREEK)
  for (const email of spellingsOf(GREEK)) {
    const browser = openBrowser(service)
    expect((await browser.logIn(` ${email} `)).status, email).toBe(200)
    expect((await browser.call('GET', '/session')).body.user.id).toBe(user_id)
    const again = addPerson(service, tenant_id, 'viewer', email)
    await expect(again).rejects.toThrow('belongs to the organization already')
    service.clock.advance(HOUR)
  }
})

test('people of an earlier release are found by either spelling; of two with one address the composed one has it', async () => {
  const tenant = await service.tenant()
  const emails = ['ann@example.com', 'zoë@example.com', 'two@example.com', 'bö@example.com']
  const [, zoe, two, bo] = await hire(service, tenant, emails)
  const owner = openOwner()
  const keys: [string | undefined, string][] = [
    [zoe, 'zoë@example.com'.normalize('NFD')],
    [two, 'bö@example.com'.normalize('NFD')],
  ]
  for (const [id, key] of keys) await setKey(owner, tenant, id!, key)
  await runAgain(owner, 'address_spelling')
  for (const email of ['zoë@example.com', 'zoë@example.com'.normalize('NFD')])
    expect((await find(tenant, email)).body.id).toBe(zoe)
  for (const email of ['bö@example.com', 'bö@example.com'.normalize('NFD')])
    expect((await find(tenant, email)).body.id).toBe(bo)
  expect((await tenant.call('GET', `/v1/employees/${two}`)).status).toBe(200)
  await ingest(service, tenant, [{ email: 'zoë@example.com', type: 'custom.x', at: START }])
})

describe('a final sigma that an earlier release has kept', () => {
  const [LOWER, MIXED, PLAIN] = ['νίκος.παπάς', 'νίκοσ.παπάς', 'νίκοσ.παπάσ']

  test('people are found by address and by name; of two with one address the first has it', async () => {
    const tenant = await service.tenant()
    const emails = ['lower', 'mixed', 'plain', 'other', 'alone'].map(one => `${one}@example.gr`)
    const [lower, mixed, plain, other, alone] = await hire(service, tenant, emails)
    const owner = openOwner()
    await setKey(owner, tenant, lower!, `${LOWER}@a.gr`)
    await setKey(owner, tenant, mixed!, `${MIXED}@a.gr`)
    await setKey(owner, tenant, other!, `${LOWER}@b.gr`)
    await setKey(owner, tenant, plain!, `${PLAIN}@b.gr`)
    await setKey(owner, tenant, alone!, `${LOWER}@c.gr`)
    await owner.sql`UPDATE employees SET search_text = ${LOWER}
      WHERE tenant_id = ${tenant.tenant_id} AND employee_id = ${alone!}`
    await runAgain(owner, 'final_sigma')
    for (const name of [LOWER, MIXED, PLAIN, LOWER.toUpperCase()]) {
      const found = ['a', 'b', 'c'].map(host => find(tenant, `${name}@${host}.gr`))
      expect((await Promise.all(found)).map(one => one.body.id)).toEqual([lower, plain, alone])
    }
    const search = encodeURIComponent('ΊΚΟΣ.ΠΑΠΆΣ')
    const { body } = await tenant.call('GET', `/v1/employees?search=${search}`)
    expect(body.data.map((one: { id: string }) => one.id)).toEqual([alone])
    for (const id of [mixed, other]) {
      expect((await tenant.call('GET', `/v1/employees/${id}`)).status).toBe(200)
    }
  })

  test('people log in; of two accounts with one address it is the one with a password', async () => {
    const { tenant_id } = await service.tenant()
    const invited = await addPerson(service, tenant_id, 'viewer', 'invited@two.gr')
    const joined = await addPerson(service, tenant_id, 'viewer', 'joined@two.gr')
    const owner = openOwner()
    await owner.sql`UPDATE users SET password_hash = NULL, email_key = ${`${LOWER}@two.gr`}
      WHERE tenant_id = ${RESERVED_TENANT} AND user_id = ${invited.user_id}`
    await owner.sql`UPDATE users SET email_key = ${`${MIXED}@two.gr`}
      WHERE tenant_id = ${RESERVED_TENANT} AND user_id = ${joined.user_id}`
    await runAgain(owner, 'final_sigma')
    const browser = openBrowser(service)
    expect((await browser.logIn(`${LOWER}@two.gr`)).status).toBe(200)
    expect((await browser.call('GET', '/session')).body.user.id).toBe(joined.user_id)
  })
})
