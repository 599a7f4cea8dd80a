// Rules that are made to take long keep nobody else in the process waiting, wherever events are judged by them.
import { expect, it } from 'vitest'
import { longestHold } from '../../test/longest-hold.ts'
import { hire } from '../../test/scenario.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { replayJobsJob } from '../replays/run-replay-jobs.job.ts'

const service = await startService()

const RULES = 60
const EVENTS = 16
const email = 'ada@example.com'
const type = 'custom.x'
/** Long to search for, and not in the text. */
const part = (n: number) => `${'a'.repeat(400)}b${'a'.repeat(300 + n)}`
const details = { text: 'a'.repeat(32_000) }
const conditions = (n: number) => ({ text: { contains: part(n) } })

async function sendBatch(tenant: Tenant): Promise<void> {
  const events = Array.from({ length: EVENTS }, () => ({ type, employee_email: email, details }))
  const { status, body } = await tenant.call('POST', '/v1/events/batch', { events })
  expect(status).toBe(207)
  expect(body.data.map((one: { status: number }) => one.status)).toEqual(events.map(() => 201))
}

async function open(): Promise<Tenant> {
  const tenant = await service.tenant()
  await hire(service, tenant, [email])
  return tenant
}

async function addRules(tenant: Tenant): Promise<void> {
  for (let n = 0; n < RULES; n++) {
    const rule = { name: 'x', event_type: type, category: 'custom', impact: -1 }
    const sent = { ...rule, conditions: conditions(n) }
    expect((await tenant.call('POST', '/v1/rules', sent)).status).toBe(201)
  }
}

it('while events come in, by rules that are known and by such that are not', async () => {
  const tenant = await open()
  await addRules(tenant)
  expect(await longestHold(() => sendBatch(tenant))).toBeLessThan(1 / 3)
  expect(await longestHold(() => sendBatch(tenant))).toBeLessThan(1 / 3)
})

it('while scores are recalculated', async () => {
  const tenant = await open()
  await sendBatch(tenant)
  await addRules(tenant)
  expect((await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })).status).toBe(202)
  const run = () => runDueJobs(service.context, [replayJobsJob()])
  expect(await longestHold(run)).toBeLessThan(1 / 3)
})
