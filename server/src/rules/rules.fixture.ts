// What tests of rules share: a rule to create, and a look behind the API.
import { expect } from 'vitest'
import type { Service, Tenant } from '../../test/service.ts'

export const CLICK = {
  name: 'Contractor clicked',
  event_type: 'sim.link_clicked',
  category: 'email',
  impact: -12,
}

export async function create(tenant: Tenant, change: object = {}) {
  const answer = await tenant.call('POST', '/v1/rules', { ...CLICK, ...change })
  expect(answer.status).toBe(201)
  return answer.body
}

export async function rulesVersion({ context }: Service, { tenant_id }: Tenant): Promise<number> {
  const [row] = await context.db.inTenant(
    tenant_id,
    tx => tx`SELECT rules_version FROM tenants WHERE tenant_id = ${tenant_id}`,
  )
  return row!.rules_version
}
