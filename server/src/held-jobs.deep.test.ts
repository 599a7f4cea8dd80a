// Somebody whom others hold for long, as a recalculation does: a job over many people leaves their tenant to its next run.
import { expect, test } from 'vitest'
import { holdPerson, seeBlocked } from '../test/locks.ts'
import { checkBooks, hire, ingest, readLog } from '../test/scenario.ts'
import { startService, type Tenant } from '../test/service.ts'
import { applyDueChangesJob } from './events/apply-due-changes.job.ts'
import { retainEventsJob } from './events/retain-events.job.ts'
import { DAY } from './platform/clock.ts'
import { runDueJobs } from './platform/jobs.ts'
import { addUpCountsJob } from './scores/add-up-counts.job.ts'
import { agePastJob } from './scores/age-past.job.ts'
import { closeDaysJob } from './scores/close-days.job.ts'
import { readMark } from './scores/past.queries.ts'

const service = await startService()
const { context, clock } = service
const [ADA, BEN, CID] = ['ada@example.com', 'ben@example.com', 'cid@example.com']
const CLICK = 'sim.link_clicked'

/** Ada and Ben have an event, Cid has none. */
async function openThree(): Promise<Tenant> {
  const tenant = await service.tenant()
  await hire(service, tenant, [ADA, BEN, CID])
  await ingest(
    service,
    tenant,
    [ADA, BEN].map(email => ({ email, type: CLICK })),
  )
  return tenant
}

async function pass(days: number): Promise<void> {
  clock.advance(days * DAY)
  await runDueJobs(context, [applyDueChangesJob(), addUpCountsJob(), closeDaysJob()])
}

async function hasAged({ tenant_id }: Tenant): Promise<boolean> {
  return (await context.db.inTenant(tenant_id, tx => readMark(tx, tenant_id))).past_at > 0
}

async function hasForgotten(tenant: Tenant): Promise<boolean> {
  return !(await readLog(service, tenant)).some(event => event.type === CLICK)
}

test.each([
  { job: agePastJob(), days: 31, isDone: hasAged },
  { job: retainEventsJob(), days: 400, isDone: hasForgotten },
])(
  '$job.name: other people of the tenant are soon let go again, and other tenants have their turn',
  async ({ job, days, isDone }) => {
    const [held, other] = [await openThree(), await openThree()]
    await pass(days)
    await holdPerson(service, held, BEN, async tx => {
      const run = runDueJobs(context, [job])
      await seeBlocked(tx)
      const event = { type: 'custom.x', employee_email: ADA }
      expect((await held.call('POST', '/v1/events', event)).status).toBe(201)
      await run
      expect([await isDone(held), await isDone(other)]).toEqual([false, true])
    })
    await runDueJobs(context, [job])
    expect(await isDone(held)).toBe(true)
    await checkBooks(service, held)
  },
)

test('age-past: who stood 30 days ago where they stood before is not waited for', async () => {
  const tenant = await openThree()
  await pass(31)
  await holdPerson(service, tenant, CID, async () => {
    await runDueJobs(context, [agePastJob()])
    expect(await hasAged(tenant)).toBe(true)
  })
})
