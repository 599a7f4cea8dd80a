// Which transactions wait until their log is on the disk: all but those of work that is found and done again, where
// nobody is told of it.
import { beforeEach, describe, expect, it } from 'vitest'
import { days, hire, ingest } from '../../test/scenario.ts'
import { START, startService, type Tenant } from '../../test/service.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { replayJobsJob } from '../replays/run-replay-jobs.job.ts'
import { applyDueChangesJob } from './apply-due-changes.job.ts'
import { createIngest } from './ingest-queue.ts'

const service = await startService()
let tenant: Tenant

beforeEach(async () => {
  service.clock.set(START)
  tenant = await service.tenant()
  await hire(service, tenant, ['a@x.com'])
  await ingest(service, tenant, [{ email: 'a@x.com', type: 'sim.link_clicked' }])
})

/** Notes of every transaction that wrote a step whether it waits for the disk; the tests' own server never does. */
function watch(): { context: Context; waits: string[] } {
  const waits: string[] = []
  const { db } = service.context
  const inTenant: typeof db.inTenant = (tenant_id, work, deadline_ms) => {
    const run = async (tx: Tx) => {
      await tx`SET LOCAL synchronous_commit = on`
      const before = await countSteps(tx, tenant_id)
      const done = await work(tx)
      const [row] = await tx<{ synchronous_commit: string }[]>`SHOW synchronous_commit`
      if ((await countSteps(tx, tenant_id)) > before) waits.push(row!.synchronous_commit)
      return done
    }
    return db.inTenant(tenant_id, run, deadline_ms)
  }
  return { context: { ...service.context, db: { ...db, inTenant } }, waits }
}

async function countSteps(tx: Tx, tenant_id: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM score_history WHERE tenant_id = ${tenant_id}`
  return row!.n
}

const listen = () =>
  tenant.call('POST', '/v1/webhooks', { url: 'https://example.com/in', events: ['score.updated'] })

const decay = async () => {
  const { context, waits } = watch()
  service.clock.advance(days(20))
  await runDueJobs(context, [applyDueChangesJob()])
  return waits
}

const replay = async () => {
  const { context, waits } = watch()
  const { body } = await tenant.call('GET', '/v1/rules?per_page=100')
  const rule = body.data.find((one: any) => one.event_type === 'sim.link_clicked')
  await tenant.call('PATCH', `/v1/rules/${rule.id}`, { impact: -3 })
  await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })
  await runDueJobs(context, [replayJobsJob()])
  return waits
}

describe('what is done again after a crash of the database', () => {
  it('does not wait for the disk where nobody is told of it', async () => {
    expect(await decay()).toEqual(['off'])
    expect(await replay()).toEqual(['off'])
  })

  it('waits where a message of it could be sent before', async () => {
    await listen()
    expect(await decay()).toEqual(['on'])
    expect(await replay()).toEqual(['on'])
  })
})

describe('what somebody was answered', () => {
  it('is on the disk before the answer', async () => {
    const { context, waits } = watch()
    service.clock.advance(days(20))
    const app = { ...service.app, ingest: createIngest(context) }
    await ingest({ ...service, app }, tenant, [{ email: 'a@x.com', type: 'sim.link_clicked' }])
    expect(waits).toEqual(['on'])
  })
})
