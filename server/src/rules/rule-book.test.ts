// The rule book: what it holds follows the rules version exactly, and the default rules are sound.
import { expect, it } from 'vitest'
import { candidates, ruleFaults } from '../../../scoring/rules.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { readScoringBasis } from '../tenants/scoring-basis.ts'
import { DEFAULT_RULES } from './default-rules.ts'
import { readRuleBook } from './rule-book.ts'

const service = await startService()

function readBook({ tenant_id }: Tenant) {
  return service.context.db.inTenant(tenant_id, async tx => {
    const { rules_version } = await readScoringBasis(tx, tenant_id)
    return readRuleBook(tx, tenant_id, rules_version)
  })
}

async function impactsOf(tenant: Tenant, type: string) {
  const event = { type, source: 'test', timestamp: 0, details: {} }
  return candidates(await readBook(tenant), event).map(rule => rule.impact)
}

it('is the same object as long as the rules stay, and another after any change', async () => {
  const tenant = await service.tenant()
  const first = await readBook(tenant)
  expect(await readBook(tenant)).toBe(first)
  const { id } = (await tenant.call('GET', '/v1/rules')).body.data[0]
  await tenant.call('PATCH', `/v1/rules/${id}`, {})
  expect(await readBook(tenant)).toBe(first)
  await tenant.call('PATCH', `/v1/rules/${id}`, { impact: -39 })
  expect(await readBook(tenant)).not.toBe(first)
})

it('follows creation, change, deactivation and deletion', async () => {
  const tenant = await service.tenant()
  expect(await impactsOf(tenant, 'sim.link_clicked')).toEqual([-25])
  const rule = { name: 'Sims', event_type: 'sim.*', category: 'email', impact: -3, priority: 900 }
  const { id } = (await tenant.call('POST', '/v1/rules', rule)).body
  expect(await impactsOf(tenant, 'sim.link_clicked')).toEqual([-3, -25])
  await tenant.call('PATCH', `/v1/rules/${id}`, { impact: -4, priority: 0 })
  expect(await impactsOf(tenant, 'sim.link_clicked')).toEqual([-25, -4])
  await tenant.call('PATCH', `/v1/rules/${id}`, { status: 'inactive' })
  expect(await impactsOf(tenant, 'sim.link_clicked')).toEqual([-25])
  await tenant.call('PATCH', `/v1/rules/${id}`, { status: 'active' })
  expect(await impactsOf(tenant, 'sim.link_clicked')).toEqual([-25, -4])
  await tenant.call('DELETE', `/v1/rules/${id}`)
  expect(await impactsOf(tenant, 'sim.link_clicked')).toEqual([-25])
})

it('keeps tenants apart', async () => {
  const [one, two] = [await service.tenant(), await service.tenant()]
  const { data } = (await one.call('GET', '/v1/rules?category=training')).body
  for (const rule of data) await one.call('PATCH', `/v1/rules/${rule.id}`, { status: 'inactive' })
  expect(await impactsOf(one, 'training.completed')).toEqual([])
  expect(await impactsOf(two, 'training.completed')).toEqual([15])
})

it('never keeps older rules in place of newer ones', async () => {
  const tenant = await service.tenant()
  const { tenant_id } = tenant
  const newer = await readBook(tenant)
  await service.context.db.inTenant(tenant_id, tx => readRuleBook(tx, tenant_id, 0))
  expect(await readBook(tenant)).toBe(newer)
})

it('starts from default rules that have no faults, one for each type', async () => {
  expect(DEFAULT_RULES).toHaveLength(35)
  for (const rule of DEFAULT_RULES) {
    expect([rule.name, ruleFaults(rule)]).toEqual([rule.name, []])
  }
  expect(new Set(DEFAULT_RULES.map(rule => rule.event_type)).size).toBe(35)
})

it('gives the default rules ascending ids in the order of the file', async () => {
  const { tenant_id } = await service.tenant()
  const rows = await service.context.db.inTenant(
    tenant_id,
    tx => tx`SELECT name FROM rules WHERE tenant_id = ${tenant_id} ORDER BY rule_id`,
  )
  expect(rows.map(row => row.name)).toEqual(DEFAULT_RULES.map(rule => rule.name))
})
