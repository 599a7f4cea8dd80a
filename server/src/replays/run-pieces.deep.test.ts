// Pieces of a job that overlap: the same as one after the other, and nothing of them is kept once the job is taken away.
import { expect, it, onTestFinished } from 'vitest'
import {
  checkBooks,
  days,
  hire,
  ingest,
  openChanged,
  readStandings,
  setSettings,
} from '../../test/scenario.ts'
import { START, startService, type Tenant } from '../../test/service.ts'
import type { Database, Tx } from '../platform/database.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { type StepName, watchSteps } from '../platform/steps.ts'
import { findJob } from './jobs.queries.ts'
import { replayJobsJob } from './run-replay-jobs.job.ts'

const service = await startService()

const COUNT = 30
const EMAILS = Array.from({ length: COUNT }, (_, i) => `p${i}@x.com`)
/** A person each, all in one turn. */
const OVERLAPPING = { pieces: 100, events: 1, most_employees: 1, first_employees: 1 }

async function openMany(): Promise<Tenant> {
  service.clock.set(START)
  return (await openChanged(service, await service.tenant(), EMAILS)).tenant
}

const ask = async (tenant: Tenant, query = '') =>
  (await tenant.call('POST', `/v1/rules/recalculate${query}`, { scope: 'all' })).body.job_id

const read = (tenant: Tenant, job_id: string) =>
  service.context.db.inTenant(tenant.tenant_id, tx => findJob(tx, tenant.tenant_id, job_id))

const scores = async (tenant: Tenant) =>
  (await readStandings(service, tenant)).map(standing => standing.score)

function watch(see: (name: StepName) => void): void {
  watchSteps(see)
  onTestFinished(() => watchSteps(() => {}))
}

/** How many pieces were chosen and not yet committed at the same time. */
function mostUnderWay(seen: readonly StepName[]): number {
  let [now, most] = [0, 0]
  for (const name of seen) {
    if (name === 'recalculation.selected') now++
    if (name === 'recalculation.committed') now--
    most = Math.max(most, now)
  }
  return most
}

it('everybody once, and a preview that adds up, with pieces read before the one before is written', async () => {
  const tenant = await openMany()
  const seen: StepName[] = []
  watch(name => seen.push(name))
  const preview = await ask(tenant, '?dry_run=true')
  await runDueJobs(service.context, [replayJobsJob(OVERLAPPING)])
  const deed = await ask(tenant)
  await runDueJobs(service.context, [replayJobsJob(OVERLAPPING)])
  const done = {
    status: 'completed',
    processed: COUNT,
    total: COUNT,
    changed: COUNT,
    events: COUNT,
  }
  expect(await read(tenant, preview)).toMatchObject({
    ...done,
    result: { bands_before: { yellow: COUNT }, bands_after: { red: COUNT } },
  })
  expect(await read(tenant, deed)).toMatchObject({ ...done, result: null })
  expect(await scores(tenant)).toEqual(Array(COUNT).fill(35))
  await checkBooks(service, tenant)
  expect(mostUnderWay(seen)).toBeGreaterThan(1)
})

const askRetraction = async (tenant: Tenant) => {
  const asked = { reason: 'a scanner', filter: { type: 'a.b' } }
  return (await tenant.call('POST', '/v1/events/retract', asked)).body.job_id
}

it.each([
  ['recalculation', ask],
  ['retraction', askRetraction],
] as const)(
  'a %s locks nobody beside or behind somebody whose many events take long',
  async (_, askFor) => {
    const tenant = await openMany()
    const each = EMAILS.flatMap(email => Array.from({ length: 5 }, () => ({ email, type: 'a.b' })))
    await ingest(service, tenant, each)
    const seen: StepName[] = []
    watch(name => seen.push(name))
    const job = await askFor(tenant)
    const pace = { ...OVERLAPPING, first_employees: COUNT, most_employees: COUNT }
    await runDueJobs(service.context, [replayJobsJob(pace)])
    expect(await read(tenant, job)).toMatchObject({ status: 'completed', processed: COUNT })
    // One for each, and one that finds nobody left.
    expect(seen.filter(name => name === 'recalculation.committed')).toHaveLength(COUNT + 1)
    expect(mostUnderWay(seen)).toBe(1)
    await checkBooks(service, tenant)
  },
)

it('the first piece too has no more people than their events allow', async () => {
  service.clock.set(START)
  const tenant = await service.tenant()
  const emails = EMAILS.slice(0, 6)
  await hire(service, tenant, emails)
  const many = emails.flatMap(email => Array(5).fill({ email, type: 'custom.a' }))
  await ingest(service, tenant, many)
  const job_id = await ask(tenant)
  // Ten events are allowed, so two people of five each.
  await replayJobsJob({ pieces: 1, events: 2.5, most_employees: 9, first_employees: 9 }).run(
    service.context,
  )
  expect(await read(tenant, job_id)).toMatchObject({ status: 'running', processed: 2, events: 10 })
  await runDueJobs(service.context, [replayJobsJob()])
  expect(await read(tenant, job_id)).toMatchObject({ status: 'completed', processed: 6 })
})

it('a job cancelled while pieces overlap keeps those that were committed and nothing of the others', async () => {
  const tenant = await openMany()
  const job_id = await ask(tenant)
  let cancelled: Promise<unknown> | undefined
  watch(name => {
    if (name !== 'recalculation.committed') return
    cancelled ??= tenant.call('DELETE', `/v1/rules/recalculate/${job_id}`)
  })
  await runDueJobs(service.context, [replayJobsJob(OVERLAPPING)])
  expect(await cancelled).toMatchObject({ status: 204 })
  const job = await read(tenant, job_id)
  expect(job?.status).toBe('cancelled')
  expect(job?.processed).toBeLessThan(COUNT)
  const kept = job!.processed
  const left = Array(COUNT - kept).fill(65)
  expect((await scores(tenant)).sort()).toEqual([...Array(kept).fill(35), ...left])
  await checkBooks(service, tenant)
})

it('whoever waits for a piece does not hold what an earlier piece still needs', async () => {
  const tenant = await openMany()
  const { db } = service.context
  const { tenant_id } = tenant
  const [first, second] = (await readStandings(service, tenant)).map(one => one.employee_id).sort()
  const job_id = await ask(tenant)
  const waits = Promise.withResolvers<void>()
  const lock = (employee_id: string) =>
    db.inTenant(tenant_id, async tx => {
      await tx`SELECT 1 FROM employee_states WHERE tenant_id = ${tenant_id} AND employee_id = ${first!} FOR UPDATE`
      const run = runDueJobs(service.context, [replayJobsJob(OVERLAPPING)])
      await waits.promise
      // The first piece waits for us: were the second to hold its person already, nobody could go on.
      await tx`SELECT 1 FROM employee_states
        WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id} FOR UPDATE NOWAIT`
      return { run }
    })
  let chosen = 0
  watch(name => {
    if (name === 'recalculation.selected' && ++chosen === 3) waits.resolve()
  })
  const { run } = await lock(second!)
  await run
  expect(await read(tenant, job_id)).toMatchObject({ status: 'completed', processed: COUNT })
  await checkBooks(service, tenant)
})

/** The first transaction that has something to tell waits until another one has written its own. */
function holdFirst(db: Database): Database {
  const written = Promise.withResolvers<void>()
  let first: Tx | undefined
  const watched =
    (tx: Tx) =>
    (strings: TemplateStringsArray, ...values: never[]) => {
      const query = tx(strings, ...values)
      const asks = strings.raw?.join().includes('FROM webhooks w WHERE')
      if (asks) first ??= tx
      if (asks && first === tx) return written.promise.then(() => query)
      if (first && first !== tx && strings.raw?.[0] === 'WITH ') query.then(() => written.resolve())
      return query
    }
  return {
    ...db,
    inTenant: (tenant_id, work) =>
      db.inTenant(tenant_id, tx => work(Object.assign(watched(tx), tx) as unknown as Tx)),
  }
}

it('streaks that a shorter period makes due in overlapping pieces keep no piece waiting for a later one', async () => {
  service.clock.set(START)
  const tenant = await service.tenant()
  await hire(service, tenant, EMAILS.slice(0, 2))
  service.clock.advance(days(20))
  const job_id = await setSettings(service, tenant, { clean_streak_days: 1 })
  const context = { ...service.context, db: holdFirst(service.context.db) }
  await runDueJobs(context, [replayJobsJob(OVERLAPPING)])
  expect(await read(tenant, job_id)).toMatchObject({ status: 'completed', processed: 2 })
  expect(await scores(tenant)).toEqual([80, 80])
  await checkBooks(service, tenant)
})
