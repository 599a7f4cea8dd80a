// Retraction of events of somebody who has very many.
import { expect, it } from 'vitest'
import { countRead } from '../../test/count-read.ts'
import { checkBooks, hire, ingest } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'
import type { Standing } from '../employees/standing.ts'
import { lockStandings } from '../employees/standings.queries.ts'
import { MINUTE } from '../platform/clock.ts'
import { readScoringBasis } from '../tenants/scoring-basis.ts'
import { findRetractable } from './retract.queries.ts'
import { byStanding, retractTogether } from './retract-events.ts'

const MANY = 500
const TYPE = 'custom.noise'
const service = await startService()
const { context, clock } = service
const tenant = await service.tenant()
const { tenant_id } = tenant
const rule = { name: 'noise', event_type: TYPE, category: 'custom', impact: -1 }
await tenant.call('POST', '/v1/rules', rule)
const [id] = await hire(service, tenant, ['noisy@example.com'])
await ingest(
  service,
  tenant,
  Array.from({ length: MANY }, (_, i) => ({
    email: 'noisy@example.com',
    type: TYPE,
    at: clock.now() - i * MINUTE,
  })),
)
await context.db.sql`ANALYZE`

it('of the last one, the events and shares of the others are not read', async () => {
  const { body } = await tenant.call('GET', `/v1/employees/${id}/events?per_page=1`)
  const read = await context.db.inTenant(tenant_id, async tx => {
    const standings = await lockStandings(tx, tenant_id, [id!])
    const basis = await readScoringBasis(tx, tenant_id)
    const event = (await findRetractable(tx, tenant_id, body.data[0].id))!
    const of = async () => (await countRead(tx, 'events')) + (await countRead(tx, 'shares'))
    const before = await of()
    const cause = { reason: 'a scanner', actor: 'key:test' }
    await retractTogether(tx, tenant_id, standings, [[event]], basis, clock.now(), cause)
    expect(standings.get(id!)!.last_negative_at).toBe(clock.now() - MINUTE)
    return (await of()) - before
  })
  expect(read).toBeLessThan(MANY / 10)
  await checkBooks(service, tenant)
})

it('of 200,000 shares each is taken in hand once', () => {
  const standing = { employee_id: id } as Standing
  const share = { employee_id: id!, rule_id: 'rule', event_id: 'evt', timestamp: 0 }
  const shares = Array.from({ length: 200_000 }, () => ({ ...share, impact: -1, dated_at: 0 }))
  const began = process.threadCpuUsage().user
  const groups = byStanding(new Map([[id!, standing]]), shares)
  expect(groups.get(standing)).toHaveLength(shares.length)
  // Copying what is already in hand for each of them takes minutes.
  expect(process.threadCpuUsage().user - began).toBeLessThan(2_000_000)
})
