// Somebody with very many events: answers about them stay small, and read no more than they must.
import { expect, it } from 'vitest'
import { countRead } from '../../test/count-read.ts'
import { hire, ingest } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'
import { MINUTE } from '../platform/clock.ts'
import { explain } from './explanation.fixture.ts'
import { weighTypes } from './risks.queries.ts'
import { get } from './scores.fixture.ts'

const service = await startService()
const { context, clock } = service
const tenant = await service.tenant()
const { tenant_id } = tenant
const MANY = 700
const TYPE = 'custom.noise'

for (const [i, impact] of [-1, -2].entries()) {
  const rule = { name: `noise ${i}`, event_type: TYPE, category: 'custom', impact }
  await tenant.call('POST', '/v1/rules', rule)
}
const [id] = await hire(service, tenant, ['noisy@example.com'])
const times = Array.from({ length: MANY }, (_, i) => clock.now() - i * MINUTE)
await ingest(
  service,
  tenant,
  times.map(at => ({ email: 'noisy@example.com', type: TYPE, at })),
)
await context.db.sql`ANALYZE`

it('an explanation lists the thousand largest shares, and the others are one line', async () => {
  const body = await explain(tenant, id!)
  expect(body.shares).toHaveLength(1000)
  const sizes = body.shares.map((share: { current_impact: number }) => -share.current_impact)
  expect(sizes).toEqual(sizes.toSorted((a: number, b: number) => b - a))
  expect(sizes.slice(0, MANY).every((size: number) => size > 1)).toBe(true)
  expect(body).toMatchObject({ truncated: true, older_than_retention: 0 })
  expect(body.rest.count).toBe(2 * MANY - 1000)
})

it('what weighs most on them is found by reading each of their events once', async () => {
  const read = await context.db.inTenant(tenant_id, async tx => {
    const of = async () => (await countRead(tx, 'events')) + (await countRead(tx, 'shares'))
    const before = await of()
    const [weight, ...others] = await weighTypes(tx, tenant_id, [id!], clock.now())
    expect(others).toEqual([])
    const { shares, rest } = await explain(tenant, id!)
    const all = [rest, ...shares].reduce((sum, one) => sum + one.current_impact, 0)
    expect(weight).toMatchObject({ employee_id: id, type: TYPE })
    expect(weight!.worth).toBeCloseTo(all, 3)
    return (await of()) - before
  })
  expect(read).toBeLessThan(1.5 * MANY)
  const { data } = await get(tenant, '/v1/scores/top-risks')
  expect(data).toMatchObject([{ employee_id: id, top_risk_factor: TYPE }])
})
