// Recalculation of somebody with very many events: what is written of them goes in parts.
import { expect, it } from 'vitest'
import { checkBooks, hire, ingest } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'
import type { Database, Tx } from '../platform/database.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { replayJobsJob } from './run-replay-jobs.job.ts'

const MANY = 6000
const service = await startService()

/** The longest list that a statement of the job was given. */
async function runJobs(): Promise<number> {
  let longest = 0
  const watched =
    (tx: Tx) =>
    (strings: TemplateStringsArray, ...values: never[]) => {
      for (const value of values as unknown[]) {
        if (strings.raw && Array.isArray(value)) longest = Math.max(longest, value.length)
      }
      return tx(strings, ...values)
    }
  const inTenant: Database['inTenant'] = (tenant_id, work) =>
    service.context.db.inTenant(tenant_id, tx =>
      work(Object.assign(watched(tx), tx) as unknown as Tx),
    )
  const context = { ...service.context, db: { ...service.context.db, inTenant } }
  await runDueJobs(context, [replayJobsJob()])
  return longest
}

it('no statement is made of more than 5,000 rows', async () => {
  const tenant = await service.tenant()
  const [id] = await hire(service, tenant, ['noisy@example.com'])
  const rule = { name: 'noise', event_type: 'custom.noise', category: 'custom', impact: -1 }
  const made = await tenant.call('POST', '/v1/rules', rule)
  const event = (i: number) => {
    return { email: 'noisy@example.com', type: 'custom.noise', at: service.clock.now() - i }
  }
  for (let i = 0; i < MANY; i += 1000) {
    await ingest(
      service,
      tenant,
      Array.from({ length: 1000 }, (_, n) => event(i + n)),
    )
  }
  await service.context.db.sql`ANALYZE`
  await tenant.call('PATCH', `/v1/rules/${made.body.id}`, { impact: -2 })
  const asked = await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })
  expect(await runJobs()).toBeLessThanOrEqual(5000)
  const { body } = await tenant.call('GET', `/v1/rules/recalculate/${asked.body.job_id}`)
  expect(body).toMatchObject({ status: 'completed', employees_processed: 1 })
  const events = await tenant.call('GET', `/v1/events?employee_id=${id}&per_page=100&page=60`)
  expect(events.body.pagination.total).toBe(MANY)
  expect(events.body.data.every((one: any) => one.impact === -2)).toBe(true)
  await checkBooks(service, tenant)
})
