// What tests of employees share: making people and events, and a look behind the API.
import { expect } from 'vitest'
import { countInFile } from '../../test/after-file.ts'
import type { Service, Tenant } from '../../test/service.ts'

const nextNumber = countInFile()

/** A body to create someone with, each with an address of their own. */
export function person(change: object = {}) {
  return { email: `p${nextNumber()}@example.com`, first_name: 'Ada', last_name: 'Moss', ...change }
}

export async function create(tenant: Tenant, change: object = {}) {
  const answer = await tenant.call('POST', '/v1/employees', person(change))
  expect(answer.status).toBe(201)
  return answer.body
}

/** An event of another system about this employee, now. */
export async function happen(tenant: Tenant, email: string, event_type = 'sim.link_clicked') {
  const body = { source: 'simulator', event_type, employee: { email } }
  const answer = await tenant.call('POST', '/v1/events/webhook', body)
  expect(answer.status).toBe(201)
  return answer.body
}

export type RecordedStep = {
  version: number
  reason: string
  trigger_event: string
  at: Date
  score: number
  band: string
  status: string
  department: string
  /** Where the employee stands now, beside each step. */
  next_change_at: Date | null
  streak_due_at: Date | null
  reactivated_at: Date | null
}

export function readSteps({ context }: Service, { tenant_id }: Tenant, employee_id: string) {
  return context.db.inTenant(
    tenant_id,
    tx => tx<RecordedStep[]>`
      SELECT h.version, h.reason, h.trigger_event, h.at, h.score, h.band, h.status, h.department,
        s.next_change_at, s.streak_due_at, s.reactivated_at
      FROM score_history h
      JOIN employee_states s ON s.tenant_id = h.tenant_id AND s.employee_id = h.employee_id
      WHERE h.tenant_id = ${tenant_id} AND s.tenant_id = ${tenant_id} AND h.employee_id = ${employee_id}
      ORDER BY h.version`,
  )
}

/** The cells people stand in by the kept counts. */
export async function readCounts({ context }: Service, { tenant_id }: Tenant) {
  const rows = await context.db.inTenant(
    tenant_id,
    tx => tx`SELECT status, department, band, score, sum(people)::bigint AS people
      FROM all_score_counts WHERE tenant_id = ${tenant_id}
      GROUP BY status, department, band, score HAVING sum(people) <> 0
      ORDER BY status, department, band, score`,
  )
  return [...rows]
}
