// Proves that housekeeping removes what has had its time, and only that.
import { expect, it } from 'vitest'
import { startService } from '../test/service.ts'
import { housekeepingJob } from './housekeeping.job.ts'
import { DAY } from './platform/clock.ts'
import { runDueJobs } from './platform/jobs.ts'

const { app, context, clock, tenant } = await startService()

const inbound = {
  source: 'siem',
  event_type: 'auth.login_failure',
  employee: { email: 'nobody@example.com' },
}

it('old answers, unmatched events and idle buckets go in their time', async () => {
  const { tenant_id, call } = await tenant()
  const person = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Byron' }
  await call('POST', '/v1/employees', person, { 'idempotency-key': 'one' })
  expect((await call('POST', '/v1/events/webhook', inbound)).status).toBe(404)
  await app.server.inject({ url: '/v1/me' })
  const left = () => count(tenant_id)
  await runDueJobs(context, [housekeepingJob()])
  expect(await left()).toEqual({ answers: 1, unmatched: 1, buckets: 1 })
  clock.advance(DAY + 1)
  const other = { ...person, email: 'bob@example.com' }
  await call('POST', '/v1/employees', other, { 'idempotency-key': 'two' })
  await runDueJobs(context, [housekeepingJob()])
  expect(await left()).toEqual({ answers: 1, unmatched: 1, buckets: 0 })
  clock.advance(29 * DAY)
  await call('POST', '/v1/events/webhook', inbound)
  await runDueJobs(context, [housekeepingJob()])
  expect(await left()).toEqual({ answers: 0, unmatched: 1, buckets: 0 })
})

async function count(tenant_id: string) {
  const [row] = await context.db.sql`SELECT
    (SELECT count(*) FROM idempotent_answers WHERE tenant_id = ${tenant_id}) AS answers,
    (SELECT count(*) FROM unmatched_events WHERE tenant_id = ${tenant_id}) AS unmatched,
    (SELECT count(*) FROM rate_buckets WHERE tenant_id = '_') AS buckets`
  return { ...row }
}
