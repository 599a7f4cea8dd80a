// A tenant whose work fails, such as one whose rows somebody holds locked, keeps no other tenant waiting; one that is being
// deleted has no work.
import { expect, it } from 'vitest'
import { hire, ingest } from '../test/scenario.ts'
import { startService, type Tenant } from '../test/service.ts'
import { carryOutActionsJob } from './actions/carry-out-actions.job.ts'
import { applyDueChangesJob } from './events/apply-due-changes.job.ts'
import { closeEventsJob } from './events/close-events.job.ts'
import { retainEventsJob } from './events/retain-events.job.ts'
import { listJobs } from './jobs.ts'
import { DAY } from './platform/clock.ts'
import type { Context } from './platform/context.ts'
import { unavailable } from './platform/errors.ts'
import { runDueJobs } from './platform/jobs.ts'
import { replayJobsJob } from './replays/run-replay-jobs.job.ts'
import { agePastJob } from './scores/age-past.job.ts'
import { closeDaysJob } from './scores/close-days.job.ts'

const service = await startService()
const locked = await openBusy()
const other = await openBusy()
service.clock.advance(400 * DAY)

/** There is something to do in it for every job. */
async function openBusy(): Promise<Tenant> {
  const tenant = await service.tenant()
  const [employee_id] = await hire(service, tenant, ['ada@example.com'])
  await ingest(service, tenant, [{ email: 'ada@example.com', type: 'sim.link_clicked' }])
  const action = { employee_id, type: 'notify_admins' }
  expect((await tenant.call('POST', '/v1/actions', action)).status).toBe(201)
  expect((await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })).status).toBe(202)
  return tenant
}

/** The service, in which nothing can be written for the locked tenant. */
function withLock(visited: string[]): Context {
  const { db } = service.context
  const inTenant: typeof db.inTenant = (tenant_id, work) => {
    visited.push(tenant_id)
    if (tenant_id === locked.tenant_id) return Promise.reject(unavailable())
    return db.inTenant(tenant_id, work)
  }
  return { ...service.context, db: { ...db, inTenant } }
}

// In the order in which one leaves the next something to do.
it.each([
  closeEventsJob({ least: 1 }),
  applyDueChangesJob(),
  closeDaysJob(),
  agePastJob(),
  replayJobsJob(),
  retainEventsJob(),
  carryOutActionsJob(),
])('$name: the next run begins after the tenant that failed', async job => {
  const visited: string[] = []
  const context = withLock(visited)
  await expect(job.run(context)).rejects.toThrow()
  expect(new Set(visited)).toEqual(new Set([locked.tenant_id]))
  await job.run(context)
  expect(visited).toContain(other.tenant_id)
  await expect(job.run(context)).rejects.toThrow()
})

it('a tenant whose deletion has begun, and may have emptied some of its tables, has no job', async () => {
  const { tenant_id } = await openBusy()
  service.clock.advance(400 * DAY)
  const { db } = service.context
  await db.sql`UPDATE tenants SET status = 'deleting' WHERE tenant_id = ${tenant_id}`
  const visited = new Set<string>()
  const inTenant: typeof db.inTenant = (id, ...asked) => {
    visited.add(id)
    return db.inTenant(id, ...asked)
  }
  await runDueJobs(
    { ...service.context, db: { ...db, inTenant } },
    listJobs(async () => true),
  )
  expect(visited).toContain(other.tenant_id)
  expect(visited).not.toContain(tenant_id)
})
