// Retraction by filter where too many events would have to be looked through to know beforehand whom it concerns.
import { expect, test } from 'vitest'
import { hire, ingest, runJobs } from '../../test/scenario.ts'
import { START, startService, type Tenant } from '../../test/service.ts'
import { FEW } from './retractions.queries.ts'

const service = await startService()
const EMAILS = ['a@x.com', 'b@x.com', 'c@x.com']

/** Three people with a click each; the first has many more that were retracted long ago. */
async function openMany(type: string, source: string) {
  const tenant = await service.tenant()
  const [first] = await hire(service, tenant, EMAILS)
  await ingest(
    service,
    tenant,
    EMAILS.map(email => ({ email, type: 'sim.link_clicked' })),
  )
  await service.context.db.inTenant(
    tenant.tenant_id,
    tx => tx`INSERT INTO events (tenant_id, event_id, employee_id, department, type, source, timestamp,
        received_at, impact, details, rules_matched, inert, retracted_at, actor)
      SELECT ${tenant.tenant_id}, 'evt_' || n, ${first!}, 'Sales', ${type}, ${source}, ${new Date(START - 1)},
        ${new Date(START - 1)}, 0, '{}', '{}', true, ${new Date(START)}, 'operator:test'
      FROM generate_series(1, ${FEW}::int) n`,
  )
  return tenant
}

async function retract(tenant: Tenant, filter: Record<string, unknown>) {
  const asked = await tenant.call('POST', '/v1/events/retract', { reason: 'a scanner', filter })
  expect(asked.status).toBe(202)
  await runJobs(service)
  const { body } = await tenant.call('GET', asked.headers.location as string)
  return body
}

const ALL = { status: 'completed', employees_total: 3, employees_processed: 3 }

test('everyone is looked at where the type or the span of time has many events', async () => {
  const tenant = await openMany('sim.link_clicked', 'simulator')
  const rare = { type: 'sim.link_clicked', conditions: { source: 'scanner' } }
  expect(await retract(tenant, rare)).toMatchObject({ ...ALL, events_matched: 0 })
  const all = { type: 'sim.link_clicked' }
  const done = { ...ALL, events_matched: 3, employees_affected: 3, scores_changed: 3 }
  expect(await retract(tenant, all)).toMatchObject(done)
  expect(await retract(tenant, all)).toMatchObject({ ...ALL, events_matched: 0 })
})

test('only those concerned are looked at where the source, the window or the person has few', async () => {
  const tenant = await openMany('sim.link_clicked', 'other')
  const { body } = await tenant.call('GET', '/v1/employees/by-email/b@x.com')
  const type = 'sim.link_clicked'
  const one = { status: 'completed', employees_total: 1, employees_processed: 1 }
  const ofB = await retract(tenant, { type, employee_id: body.id })
  expect(ofB).toMatchObject({ ...one, events_matched: 1 })
  const two = { status: 'completed', employees_total: 2, employees_processed: 2 }
  const late = await retract(tenant, { type, from: new Date(START).toISOString() })
  expect(late).toMatchObject({ ...two, events_matched: 2 })
  const bySource = await retract(tenant, { type, source: 'simulator' })
  expect(bySource).toMatchObject({ status: 'completed', employees_total: 0, events_matched: 0 })
})
