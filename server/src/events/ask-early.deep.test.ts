// What is asked for together with the locks is as true as what is asked for after them.
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { STREAK_EVENT_TYPE } from '../../../scoring/streak.ts'
import { holdCounts, seeWaiting } from '../../test/locks.ts'
import { checkBooks, days, hire, readLog } from '../../test/scenario.ts'
import { caller, type Service, START, startService, type Tenant } from '../../test/service.ts'
import { buildApp } from '../app.ts'
import { lastRuleBook } from '../rules/rule-book.ts'

const service: Service = await startService()
let tenant: Tenant
const event = { type: 'custom.x', employee_email: 'ada@example.com' }

beforeEach(async () => {
  service.clock.set(START)
  tenant = await service.tenant()
  await hire(service, tenant, [event.employee_email, 'bob@example.com'])
})

async function addRule(change: object): Promise<string> {
  const base = { name: 'Rule', event_type: 'custom.x', category: 'custom', impact: -10 }
  const { status, body } = await tenant.call('POST', '/v1/rules', { ...base, ...change })
  expect(status).toBe(201)
  return body.id
}

/** From here on this process knows the rules that are in force now. */
async function learnRules(): Promise<void> {
  const sent = { type: 'custom.other', employee_email: 'bob@example.com' }
  expect((await tenant.call('POST', '/v1/events', sent)).status).toBe(201)
  expect(lastRuleBook(tenant.tenant_id)).toBeDefined()
}

it('sees a rule that fired for the person while the event waited for them', async () => {
  const rule_id = await addRule({ cooldown: '24h' })
  await learnRules()
  const other = buildApp(service.context)
  onTestFinished(() => other.close())
  // The first stops with the person locked and the firing not yet to be seen.
  const counts = holdCounts(service)
  await counts.held
  const first = tenant.call('POST', '/v1/events', event)
  await seeWaiting(service, tenant, 'relation')
  const second = caller(other, tenant.key)('POST', '/v1/events', event)
  await seeWaiting(service, tenant, 'transactionid')
  await counts.release()
  expect((await first).body.rules_matched).toEqual([rule_id])
  expect((await second).body).toMatchObject({ rules_matched: [], impact: 0 })
  await checkBooks(service, tenant)
})

it('asks anew where a rule was given a cooldown since it was last looked at', async () => {
  const rule_id = await addRule({})
  expect((await tenant.call('POST', '/v1/events', event)).body.rules_matched).toEqual([rule_id])
  const { status } = await tenant.call('PATCH', `/v1/rules/${rule_id}`, { cooldown: '24h' })
  expect(status).toBe(200)
  expect((await tenant.call('POST', '/v1/events', event)).body.rules_matched).toEqual([])
  await checkBooks(service, tenant)
})

it.each([
  ['', {}],
  [', also of a rule that looks at its days', { days: 30 }],
])('asks for the firings of a streak that an event finds fallen due%s', async (_, conditions) => {
  const change = { event_type: STREAK_EVENT_TYPE, impact: 3, cooldown: '59d', category: 'training' }
  const rule_id = await addRule({ ...change, conditions })
  await learnRules()
  for (const day of [31, 61, 91]) {
    service.clock.set(START + days(day))
    expect((await tenant.call('POST', '/v1/events', event)).status).toBe(201)
  }
  const log = await readLog(service, tenant)
  const streaks = log.filter(one => one.type === STREAK_EVENT_TYPE)
  expect(streaks.map(one => one.rules_matched.includes(rule_id))).toEqual([true, false, true])
  await checkBooks(service, tenant)
})

it('asks anew where the rules change between what is asked early and the scoring', async () => {
  const rule_id = await addRule({ cooldown: '24h' })
  expect((await tenant.call('POST', '/v1/events', event)).body.rules_matched).toEqual([rule_id])
  const change = (status: string) => tenant.call('PATCH', `/v1/rules/${rule_id}`, { status })
  await change('inactive')
  await learnRules()
  const { tenant_id } = tenant
  const [held, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // Somebody else has the external id, so the event waits between the two.
  const holder = service.context.db.inTenant(tenant_id, async tx => {
    await tx`INSERT INTO external_ids (tenant_id, source, external_id, event_id, answer)
      VALUES (${tenant_id}, 'api', 'x-1', '', '{}')`
    held.resolve()
    await letGo.promise
    throw new Error('never mind')
  })
  await held.promise
  const sent = tenant.call('POST', '/v1/events', { ...event, external_id: 'x-1' })
  await seeWaiting(service, tenant, 'transactionid')
  await change('active')
  const other = buildApp(service.context)
  onTestFinished(() => other.close())
  const seen = { type: 'custom.other', employee_email: 'bob@example.com' }
  await caller(other, tenant.key)('POST', '/v1/events', seen)
  letGo.resolve()
  await expect(holder).rejects.toThrow()
  const { status, body } = await sent
  expect([status, body.rules_matched]).toEqual([201, []])
  await checkBooks(service, tenant)
})
