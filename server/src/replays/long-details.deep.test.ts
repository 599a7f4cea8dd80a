// Recalculation and retraction of events with long details: judged as when they came in, and only some of them read at
// once.
import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { checkBooks, hire, ingest, readLog } from '../../test/scenario.ts'
import { START, startService, type Tenant } from '../../test/service.ts'
import type { Database, Tx } from '../platform/database.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { replayJobsJob } from './run-replay-jobs.job.ts'

const service = await startService()

const LENGTH = 20_000
/** One that PostgreSQL cannot make shorter, and one that it makes very short. */
const noise = () => randomBytes((LENGTH * 3) / 4).toString('base64')
const SAME = 'x'.repeat(LENGTH)

async function open(conditions: object, details: readonly Record<string, unknown>[]) {
  service.clock.set(START)
  const tenant = await service.tenant()
  await hire(service, tenant, ['a@x.com'])
  const rule = { name: 'Alert', category: 'custom', event_type: 'custom.a', impact: -1, conditions }
  const { body } = await tenant.call('POST', '/v1/rules', rule)
  const events = details.map(one => ({ email: 'a@x.com', type: 'custom.a', details: one }))
  for (let i = 0; i < events.length; i += 100) {
    await ingest(service, tenant, events.slice(i, i + 100))
  }
  await tenant.call('PATCH', `/v1/rules/${body.id}`, { impact: -2 })
  return tenant
}

const recalculate = (tenant: Tenant) => runJob(tenant, '/v1/rules/recalculate', { scope: 'all' })

/** The length of the longest answer about events that the database gave meanwhile. */
async function runJob(tenant: Tenant, path: string, wanted: object): Promise<number> {
  let longest = 0
  const measured =
    (tx: Tx) =>
    (strings: TemplateStringsArray, ...values: never[]) => {
      const query = tx(strings, ...values)
      if (!strings.raw?.join('').includes('FROM events e')) return query
      // A part of another statement is never waited for.
      const wait = query.then.bind(query)
      const then = (kept?: (found: unknown) => unknown, failed?: (error: unknown) => unknown) =>
        wait(found => {
          longest = Math.max(longest, JSON.stringify(found).length)
          return kept ? kept(found) : found
        }, failed)
      return Object.assign(query, { then })
    }
  const inTenant: Database['inTenant'] = (tenant_id, work) =>
    service.context.db.inTenant(tenant_id, tx =>
      work(Object.assign(measured(tx), tx) as unknown as Tx),
    )
  const asked = await tenant.call('POST', path, wanted)
  const context = { ...service.context, db: { ...service.context.db, inTenant } }
  await runDueJobs(context, [replayJobsJob()])
  const { body } = await tenant.call('GET', `${path}/${asked.body.job_id}`)
  expect(body.status).toBe('completed')
  return longest
}

it('what conditions say of details holds however long these are', async () => {
  const tenant = await open({ 'alert.raw': { contains: 'needle' }, source: 'simulator' }, [
    { alert: { raw: `${noise()} needle` } },
    { alert: { raw: `${SAME} needle` }, n: 1 },
    { alert: { raw: 'a needle' } },
    { alert: { raw: noise() } },
    { alert: { raw: SAME } },
    { alert: { raw: 'hay' }, rest: noise() },
  ])
  await recalculate(tenant)
  const log = await readLog(service, tenant)
  expect(log.map(({ impact }) => impact)).toEqual([-2, -2, -2, 0, 0, 0])
  await checkBooks(service, tenant)
})

it.each([
  ['that can be made shorter', () => SAME],
  ['that cannot', noise],
])('of many long details, of a kind %s, only some are read at once', async (_, raw) => {
  const count = 450
  const details = Array.from({ length: count }, (_, n) => ({ n, raw: raw() }))
  const tenant = await open({ n: { gte: 0 } }, details)
  const longest = await recalculate(tenant)
  expect(longest).toBeGreaterThan(LENGTH)
  expect(longest).toBeLessThan((count * LENGTH) / 2)
  const log = await readLog(service, tenant)
  expect(log.every(({ impact }) => impact === -2)).toBe(true)
  expect(log).toHaveLength(count)
})

it('so it is where events are retracted by what their details say', async () => {
  const count = 450
  const details = Array.from({ length: count }, (_, n) => ({ n, raw: noise() }))
  const tenant = await open({ n: { gte: 0 } }, details)
  const filter = { type: 'custom.a', conditions: { n: { gte: 10 }, raw: { exists: true } } }
  const longest = await runJob(tenant, '/v1/events/retract', { reason: 'a scanner', filter })
  expect(longest).toBeGreaterThan(LENGTH)
  expect(longest).toBeLessThan((count * LENGTH) / 2)
  const { body } = await tenant.call('GET', '/v1/events?per_page=100&page=5')
  const kept = body.data.filter((one: { retracted_at?: string }) => one.retracted_at === undefined)
  expect(kept.map((one: { details: { n: number } }) => one.details.n).sort()).toEqual([
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
  ])
  await checkBooks(service, tenant)
})
