// Whoever changes people waits for the end of the audit log; events of the same people's cells do not wait with them.
import { expect, it } from 'vitest'
import { seeBlocked } from '../../test/locks.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { verifyTenant } from '../verify/verify-tenant.ts'
import { create, happen, person } from './employees.fixture.ts'

const service = await startService()

const changes: [string, (tenant: Tenant, id: string) => ReturnType<Tenant['call']>][] = [
  ['a batch', tenant => tenant.call('POST', '/v1/employees/batch', { employees: [person()] })],
  ['one', tenant => tenant.call('POST', '/v1/employees', person())],
  ['a move', (tenant, id) => tenant.call('PATCH', `/v1/employees/${id}`, { department: 'Sales' })],
]

it.each(changes)(
  'while %s waits for the audit log, a score moves in the same cell',
  async (_, change) => {
    const tenant = await service.tenant()
    const { tenant_id } = tenant
    const [ada, bea] = [await create(tenant), await create(tenant)]
    const { late, event } = await service.context.db.inTenant(tenant_id, async tx => {
      await tx`SELECT 1 FROM audit_heads WHERE tenant_id = ${tenant_id} FOR UPDATE`
      const late = change(tenant, ada.id)
      await seeBlocked(tx)
      return { late, event: await happen(tenant, bea.email) }
    })
    expect(event.score_after).toBeLessThan(event.score_before)
    expect((await late).status).toBeLessThan(300)
    expect((await verifyTenant(service.context, tenant_id)).faults).toEqual([])
  },
)
