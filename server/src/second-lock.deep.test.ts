// The second lock: each statement is run as if it had forgotten its tenant, and row-level security holds it all the same.
import { beforeAll, describe, expect, it } from 'vitest'
import { buildOfflineDocument } from '../../tools/offline-app.ts'
import { type Forgetting, forgetTenants } from '../test/forget-tenants.ts'
import { addApp } from '../test/oauth.ts'
import { type Call, type Service, startService, type Tenant } from '../test/service.ts'
import { fillWith, NOT_MADE_HERE } from './access/access-matrix.fixture.ts'
import { openDesk } from './actions/actions.fixture.ts'
import { listJobs } from './jobs.ts'
import { DAY } from './platform/clock.ts'
import { runDueJobs } from './platform/jobs.ts'
import { replayJobsJob } from './replays/run-replay-jobs.job.ts'
import { verifyTenant } from './verify/verify-tenant.ts'
import { runDueDeliveries } from './webhooks/deliver-webhooks.job.ts'

type Method = Parameters<Call>[0]

const operations = Object.entries(buildOfflineDocument().paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, operation]) => operation['x-required-scope'] !== undefined)
    .map(([method, operation]) => ({
      method: method.toUpperCase() as Method,
      path,
      body: (operation as any).requestBody?.content['application/json'].example,
    })),
)

const LISTS = [
  '/v1/employees?search=ada&department=&band=green&sort=last_event&order=desc',
  '/v1/employees?sort=score&order=desc&status=active',
  '/v1/events?type=custom.matrix&source=api&impact=negative',
  '/v1/scores/top-risks?sort=biggest_drop',
]

/** Every operation of the API, the dashboard's data, an app's tokens, every job of the worker. */
async function live(service: Service, tenant: Tenant): Promise<void> {
  for (const { method, path, body } of operations) {
    if (path in NOT_MADE_HERE) continue
    // One job at a time is all a tenant may have.
    if (path.includes('job_id')) await runDueJobs(service.context, [replayJobsJob()])
    const { url } = path.includes('{') ? await fillWith(tenant, path) : { url: path }
    await tenant.call(method, url, body)
    service.clock.advance(1000)
  }
  for (const url of LISTS) await tenant.call('GET', url)
  await useDashboard(service, tenant)
  await verifyTenant(service.context, tenant.tenant_id)
  // The guard refuses the address, so nothing is sent and the failure is written down.
  const resolve = async () => [{ address: '10.0.0.1', family: 4 }]
  await runDueDeliveries(service.context, { resolve })
  for (const wait of [DAY, 40 * DAY, 0]) {
    await runDueJobs(
      service.context,
      listJobs(async () => true),
    )
    service.clock.advance(wait)
  }
}

async function useDashboard(service: Service, tenant: Tenant): Promise<void> {
  const desk = await openDesk(service, tenant)
  for (const { method, url } of service.app.routes) {
    const plain = method === 'GET' && url.startsWith('/admin') && !/[:*]|live/.test(url)
    if (plain) await desk.call('GET', url)
  }
  const app = await addApp(service, tenant.tenant_id)
  const { tokens } = await app.connect(desk)
  await app.refresh(tokens.refresh_token)
}

describe('a statement that forgets a tenant', () => {
  let forgetting: Forgetting

  beforeAll(async () => {
    forgetting = forgetTenants()
    const service = await startService({}, { wrap: forgetting.wrap })
    await live(service, await service.tenant({ name: 'Other' }))
    const one = await service.tenant({ name: 'One' })
    forgetting.watching = true
    await live(service, one)
    forgetting.watching = false
  })

  it('answers and touches the same rows, whichever condition is dropped', () => {
    expect(forgetting.findings).toEqual([])
    expect(forgetting.tried.size).toBeGreaterThan(250)
  })

  it('would have answered with rows of others, were there no policies', () => {
    expect(forgetting.leaks.length).toBeGreaterThan(80)
  })
})
