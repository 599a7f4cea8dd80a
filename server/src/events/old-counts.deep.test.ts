// Counts of days that retention has emptied: they go, but never with an event that is on its way into such a day.
import { expect, it } from 'vitest'
import { interleave, type Order } from '../../test/interleave.ts'
import { hire, ingest } from '../../test/scenario.ts'
import { START, startService, type Tenant } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { changeRetention } from '../manage-tenants.ts'
import { DAY } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { verifyTenant } from '../verify/verify-tenant.ts'
import { ingestTogether } from './ingest-events.ts'
import { retainEventsJob } from './retain-events.job.ts'

const service = await startService()

/** Two people whose streaks of more than a year were not made yet; the first one's are made up for. */
async function open(): Promise<Tenant> {
  service.clock.set(START)
  const tenant = await service.tenant()
  await asOperator(service.context, tenant.tenant_id, changeRetention, 6)
  await hire(service, tenant, ['a@x.com', 'b@x.com'])
  service.clock.advance(400 * DAY)
  await ingest(service, tenant, [{ email: 'a@x.com', type: 'custom.x' }])
  return tenant
}

const retain = async (context: Context) => {
  await retainEventsJob().run(context)
}

/** Before it is scored the streaks of the second person are made, most of them older than events are kept. */
const send = (tenant: Tenant) => (context: Context) => {
  const input = {
    type: 'custom.x',
    source: 'door',
    employee_email: 'b@x.com',
    timestamp: null,
    details: {},
    external_id: null,
    keep_unmatched: false,
  }
  const answer = () => ({ status: 200, body: null })
  const submission = { inputs: [input], actor: 'key:test', repeatable: null, answer }
  return ingestTogether(context, tenant.tenant_id, [submission])
}

async function meet(order: Order): Promise<[number, number]> {
  const tenant = await open()
  const { first, second, counts } = await interleave(service, retain, send(tenant), order)
  expect([first.status, second.status]).toEqual(['fulfilled', 'fulfilled'])
  const check = () => verifyTenant(service.context, tenant.tenant_id)
  expect(await check(), `order ${order.first}, ${order.second}`).toMatchObject({ faults: [] })
  await runDueJobs(service.context, [retainEventsJob()])
  expect(await check()).toMatchObject({ faults: [] })
  return counts
}

it('a streak made up for is counted, at whichever point of removing old counts it is written', async () => {
  const [n, m] = await meet({ first: Number.POSITIVE_INFINITY, second: 0 })
  // All of it is written then, and only the commit is left.
  for (let first = 0; first <= n; first++) await meet({ first, second: m - 1 })
})
