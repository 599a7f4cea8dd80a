// One person with very many events, such as a shared mailbox: worked through page by page, and left out where even that
// takes too long.
import { expect, it } from 'vitest'
import {
  checkBooks,
  hire,
  ingest,
  openChanged,
  readStandings,
  runJobs,
  setSettings,
} from '../../test/scenario.ts'
import { START, startService, type Tenant } from '../../test/service.ts'
import type { Database, Tx } from '../platform/database.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { findJob } from './jobs.queries.ts'
import { PAGE } from './replays.queries.ts'
import { HEAVY_EVENTS, LEASE_MS } from './run-pieces.ts'
import { replayJobsJob } from './run-replay-jobs.job.ts'

let limit_ms = 0
const service = await startService({}, { wrap: limitStatements })

async function limitStatements<T>(tx: Tx, todo: (tx: Tx) => Promise<T>): Promise<T> {
  if (limit_ms > 0) await tx.unsafe(`SET LOCAL statement_timeout = ${limit_ms}`)
  return todo(tx)
}

const NOISY = 'noisy@x.com'
const MANY = PAGE + 1000
/** Between two events; a cooldown of a second covers 143 of them, and its last one before the end of a page goes on. */
const APART_MS = 7

async function openNoisy() {
  service.clock.set(START)
  const tenant = await service.tenant()
  await hire(service, tenant, [NOISY])
  const rule = { name: 'noise', event_type: 'custom.noise', category: 'custom', impact: -1 }
  const { body } = await tenant.call('POST', '/v1/rules', rule)
  for (let i = 0; i < MANY; i += 1000) {
    const events = Array.from({ length: 1000 }, (_, n) => ({
      email: NOISY,
      type: 'custom.noise',
      at: START - (MANY - i - n) * APART_MS,
      details: { n: i + n },
    }))
    await ingest(service, tenant, events)
  }
  await service.context.db.sql`ANALYZE`
  return { tenant, rule_id: body.id as string }
}

/** Runs a job to its end; gives it, and the most events that one answer of the database held. */
async function run(tenant: Tenant, path: string, wanted: object) {
  let most = 0
  const watched =
    (tx: Tx) =>
    (strings: TemplateStringsArray, ...values: never[]) => {
      const query = tx(strings, ...values)
      if (!strings.raw?.join('').includes('e.timestamp')) return query
      const wait = query.then.bind(query)
      const then = (kept?: (found: any) => unknown, failed?: (error: unknown) => unknown) =>
        wait((found: any) => {
          most = Math.max(most, found[0]?.lines?.split('\n').length ?? found.length)
          return kept ? kept(found) : found
        }, failed)
      return Object.assign(query, { then })
    }
  const inTenant: Database['inTenant'] = (tenant_id, work, ...rest) =>
    service.context.db.inTenant(
      tenant_id,
      tx => work(Object.assign(watched(tx), tx) as unknown as Tx),
      ...rest,
    )
  const asked = await tenant.call('POST', path, wanted)
  const context = { ...service.context, db: { ...service.context.db, inTenant } }
  await runDueJobs(context, [replayJobsJob()])
  const { body } = await tenant.call('GET', asked.headers.location as string)
  return { job: body, most }
}

const countImpacts = async ({ tenant_id }: Tenant) => {
  const rows = await service.context.db.sql`SELECT impact, count(*)::int AS n FROM events
    WHERE tenant_id = ${tenant_id} AND retracted_at IS NULL GROUP BY impact ORDER BY impact`
  return rows.map(({ impact, n }) => [impact, n])
}

it('a recalculation reads them in pages, and what cools goes on from one to the next', async () => {
  const { tenant, rule_id } = await openNoisy()
  await tenant.call('PATCH', `/v1/rules/${rule_id}`, { impact: -2, cooldown: '1s' })
  const body = { scope: 'all' }
  const preview = await run(tenant, '/v1/rules/recalculate?dry_run=true', body)
  const { job, most } = await run(tenant, '/v1/rules/recalculate', body)
  expect(job).toMatchObject({ status: 'completed', employees_processed: 1, error: null })
  expect([preview.most, most]).toEqual([PAGE, PAGE])
  const fired = Math.ceil(MANY / Math.ceil(1000 / APART_MS))
  expect(await countImpacts(tenant)).toEqual([
    [-2, fired],
    [0, MANY - fired],
  ])
  await checkBooks(service, tenant)
  const [standing] = await readStandings(service, tenant)
  expect(preview.job.result.bands_after[standing!.band]).toBe(1)
})

it('so does a retraction by what their details say', async () => {
  const { tenant } = await openNoisy()
  const filter = { type: 'custom.noise', conditions: { n: { gte: 10 } } }
  const asked = { reason: 'a loop', filter }
  const preview = await run(tenant, '/v1/events/retract?dry_run=true', asked)
  const { job, most } = await run(tenant, '/v1/events/retract', asked)
  const found = { status: 'completed', events_matched: MANY - 10, employees_affected: 1 }
  expect(job).toMatchObject(found)
  expect(preview.job).toMatchObject(found)
  expect([preview.most, most]).toEqual([PAGE, PAGE])
  expect(await countImpacts(tenant)).toEqual([[-1, 10]])
  const [standing] = await readStandings(service, tenant)
  expect(standing!.score).toBe(65)
  expect(preview.job.result.score_changes).toMatchObject([{ projected_score: 65 }])
  await checkBooks(service, tenant)
})

it('whoever returns is not kept waiting: a job brings them to the settings in force', async () => {
  service.clock.set(START)
  const tenant = await service.tenant()
  const [id] = await hire(service, tenant, [NOISY])
  await tenant.call('PATCH', `/v1/employees/${id}`, { status: 'inactive' })
  await service.context.db.inTenant(
    tenant.tenant_id,
    tx => tx`INSERT INTO events (tenant_id, event_id, employee_id, department, type, source, timestamp,
        received_at, impact, details, rules_matched, inert, actor)
      SELECT ${tenant.tenant_id}, 'evt_' || n, ${id!}, 'Sales', 'custom.noise', 'x', ${new Date(START - 1)},
        ${new Date(START - 1)}, 0, '{}', '{}', true, 'operator:test'
      FROM generate_series(1, ${HEAVY_EVENTS + 1}::int) n`,
  )
  await setSettings(service, tenant, { starting_score: 60 })
  await runJobs(service)
  const back = await tenant.call('PATCH', `/v1/employees/${id}`, { status: 'active' })
  expect([back.status, back.body.score]).toEqual([200, 75])
  await runJobs(service)
  const { body } = await tenant.call('GET', `/v1/employees/${id}`)
  expect(body.score).toBe(60)
})

const ONE_AT_A_TIME = { pieces: 9, events: 0, most_employees: 1, first_employees: 1 }

it.each([
  ['recalculation', ask],
  ['change of settings', (tenant: Tenant) => setSettings(service, tenant, { starting_score: 60 })],
] as const)('a %s leaves out whom there is no time for, and says so', async (_, askFor) => {
  service.clock.set(START)
  const emails = Array.from({ length: 4 }, (_, i) => `p${i}@x.com`)
  const { tenant, people } = await openChanged(service, await service.tenant(), emails)
  const job_id = await askFor(tenant)
  const before = (await readStandings(service, tenant)).map(one => one.score)
  await service.context.db.sql.begin(async tx => {
    await tx`SELECT 1 FROM employee_states WHERE employee_id = ${people[1]!} FOR UPDATE`
    limit_ms = 500
    for (let i = 0; i < 12; i++) {
      await replayJobsJob(ONE_AT_A_TIME).run(service.context)
      service.clock.advance(5 * LEASE_MS)
    }
    limit_ms = 0
  })
  const { tenant_id } = tenant
  const job = await service.context.db.inTenant(tenant_id, tx => findJob(tx, tenant_id, job_id))
  expect(job).toMatchObject({ status: 'failed', processed: 4, total: 4, changed: 3 })
  expect(job!.error).toContain(people[1])
  const after = (await readStandings(service, tenant)).map(one => one.score)
  expect(after.map((score, i) => score === before[i])).toEqual([false, true, false, false])
  await checkBooks(service, tenant)
  const notices = await service.context.db.sql`SELECT kind FROM notifications
    WHERE tenant_id = ${tenant_id} AND kind = 'job.failed'`
  expect(notices).toHaveLength(1)
})

it('other tenants do not wait until they are done', async () => {
  service.clock.set(START)
  const held = await openChanged(service, await service.tenant(), ['a@x.com'])
  const free = await openChanged(service, await service.tenant(), ['b@x.com'])
  const jobs = [await ask(held.tenant), await ask(free.tenant)]
  const job = replayJobsJob({ ...ONE_AT_A_TIME, long_turn_ms: 50 })
  const statuses = async () => {
    const rows = await service.context.db.sql`SELECT job_id, status FROM jobs
      WHERE job_id = ANY(${jobs}::text[])`
    return jobs.map(id => rows.find(row => row.job_id === id)!.status)
  }
  await service.context.db.sql.begin(async tx => {
    await tx`SELECT 1 FROM employee_states WHERE employee_id = ${held.people[0]!} FOR UPDATE`
    while ((await statuses())[1] !== 'completed') await job.run(service.context)
    expect(await statuses()).toEqual(['running', 'completed'])
  })
  while ((await statuses())[0] !== 'completed') await job.run(service.context)
  await checkBooks(service, held.tenant)
})

async function ask(tenant: Tenant): Promise<string> {
  return (await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })).body.job_id
}
