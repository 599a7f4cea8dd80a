// The list of jobs: what a worker with a wrong clock would take away for good stays.
import { beforeAll, expect, test } from 'vitest'
import { addApp } from '../test/oauth.ts'
import { signIn } from '../test/people.ts'
import { hire, ingest, recalculate } from '../test/scenario.ts'
import { startService } from '../test/service.ts'
import { listJobs } from './jobs.ts'
import { addNotice } from './notifications/notifications.queries.ts'
import { DAY } from './platform/clock.ts'
import { newId } from './platform/ids.ts'
import { runDueJobs } from './platform/jobs.ts'
import type { trustClock } from './platform/trust-clock.ts'

const service = await startService()
const { context, clock } = service

beforeAll(async () => {
  clock.set(Date.now())
  const tenant = await service.tenant()
  const { tenant_id, call } = tenant
  const person = { email: 'ben@example.com', first_name: 'Ben', last_name: 'Lee' }
  await call('POST', '/v1/employees', person, { 'idempotency-key': 'once' })
  const [employee_id] = await hire(service, tenant, ['ada@example.com'])
  await ingest(service, tenant, [{ email: 'ada@example.com', type: 'sim.link_clicked' }])
  await call('POST', '/v1/actions', { employee_id, type: 'open_ticket' })
  await recalculate(service, tenant)
  const hook = { url: 'https://hooks.example.com/a', events: ['employee.created'] }
  const { id } = (await call('POST', '/v1/webhooks', hook)).body
  await call('DELETE', `/v1/webhooks/${id}`)
  const desk = await signIn(service, tenant_id)
  await (await addApp(service, tenant_id)).connect(desk)
  const notice = { kind: 'webhook.failing', subject_kind: 'webhook', subject_id: id, data: {} }
  const at = new Date(clock.now())
  const notification_id = newId('ntf', clock.now())
  await context.db.inTenant(tenant_id, tx =>
    addNotice(tx, tenant_id, { notification_id, ...notice, at, raise: true }),
  )
})

async function count(rows: string): Promise<number> {
  const [row] = await context.db.sql.unsafe(`SELECT count(*) AS n FROM ${rows}`)
  return row!.n
}

test.each([
  ['housekeeping', 'idempotent_answers'],
  ['retain-events', 'events'],
  ['forget-deliveries', 'webhooks'],
  ['forget-notices', 'notifications'],
  ['forget-jobs', 'jobs'],
  ['forget-tokens', 'oauth_tokens'],
  ['forget-sessions', 'sessions'],
  ['expire-actions', 'actions WHERE finished_at IS NULL'],
])("%s rests where the worker's clock is not that of the database", async (name, rows) => {
  const ahead = { ...context, clock: { now: () => clock.now() + 400 * DAY } }
  const run = (trusts?: typeof trustClock) => {
    const jobs = listJobs(trusts).filter(job => job.name === name)
    return runDueJobs(ahead, jobs)
  }
  const before = await count(rows)
  await run()
  expect(await count(rows)).toBe(before)
  await run(async () => true)
  expect(await count(rows), 'its time had come by that clock').toBeLessThan(before)
})
