// What tests of actions share: people, policies that are on, and a look at what was set off.
import { expect } from 'vitest'
import { countInFile } from '../../test/after-file.ts'
import { signIn } from '../../test/people.ts'
import type { Service, Tenant } from '../../test/service.ts'
import type { Role } from '../accounts/roles.ts'

export type Person = Awaited<ReturnType<typeof signIn>>

const nextNumber = countInFile()

export async function hire(tenant: Tenant, change: object = {}) {
  const email = `worker${nextNumber()}@example.com`
  const body = { email, first_name: 'Ada', last_name: 'Moss', ...change }
  const answer = await tenant.call('POST', '/v1/employees', body)
  expect(answer.status).toBe(201)
  return answer.body as { id: string; email: string; score: number }
}

export async function happen(
  tenant: Tenant,
  { email }: { email: string },
  event_type: string,
  more: object = {},
) {
  const body = { source: 'sensor', event_type, employee: { email }, ...more }
  const answer = await tenant.call('POST', '/v1/events/webhook', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body as { id: string; score_before: number; score_after: number }
}

export function openDesk(service: Service, tenant: Tenant, role: Role = 'owner') {
  return signIn(service, tenant.tenant_id, role)
}

/** A policy that is on; by default it only tells. */
export async function addPolicy(desk: Person, trigger: object, change: object = {}) {
  const body = { name: 'Test', trigger, type: 'webhook_only', ...change }
  const answer = await desk.call('POST', '/admin/action-policies', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body as { id: string }
}

export async function actionsOf(tenant: Tenant, employee?: { id: string }) {
  const filter = employee ? `&employee_id=${employee.id}` : ''
  const answer = await tenant.call('GET', `/v1/actions?per_page=100${filter}`)
  expect(answer.status).toBe(200)
  return answer.body.data as {
    id: string
    policy_id: string | null
    type: string
    status: string
    reason: string
    trigger_event: string
    event_id: string | null
    previous_score: number
    new_score: number
    previous_band: string | null
    new_band: string | null
    outcome: string
    created_at: string
  }[]
}
