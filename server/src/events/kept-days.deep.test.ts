// Totals of lists are exact, whether a day is kept, in doubt or not kept yet; and kept days are what is read.
import { describe, expect, it } from 'vitest'
import { askTotal, compareTotals } from '../../test/event-totals.ts'
import { interleave, listOrders, type Side } from '../../test/interleave.ts'
import { hire, ingest, recalculate } from '../../test/scenario.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { DAY, dayOf } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { isReplaying } from '../replays/jobs.queries.ts'
import { replayJobsJob } from '../replays/run-replay-jobs.job.ts'
import { verifyTenant } from '../verify/verify-tenant.ts'
import { answerOne } from './answer-events.ts'
import { closeEventsJob } from './close-events.job.ts'
import { closeEvents, WAIT_MS } from './close-events.ts'
import { ingestTogether } from './ingest-events.ts'
import { retainEventsJob } from './retain-events.job.ts'

const service = await startService()
const { clock, context } = service
const { sql } = context.db
const EMAILS = ['ada@example.com', 'bo@example.com', 'cy@example.com']
const TYPES = ['sim.reported', 'sim.link_clicked', 'other.nothing']
const SOURCES = ['siem', 'okta']

const build = () => runDueJobs(context, [closeEventsJob({ least: 1 })])

async function close(): Promise<void> {
  await build()
  clock.advance(WAIT_MS)
  await build()
}

/** One event a day of each person, the last of them yesterday. */
async function openCompany(days = 25): Promise<Tenant> {
  const tenant = await service.tenant()
  for (const [i, email] of EMAILS.entries()) await hire(service, tenant, [email], `Unit ${i}`)
  const now = clock.now()
  const events = Array.from({ length: days * EMAILS.length }, (_, i) => ({
    email: EMAILS[i % EMAILS.length]!,
    type: TYPES[(i >> 1) % TYPES.length]!,
    source: SOURCES[(i >> 2) % SOURCES.length]!,
    at: now - (1 + Math.floor(i / EMAILS.length)) * DAY,
  }))
  await ingest(service, tenant, events)
  return tenant
}

async function openClosed(days?: number): Promise<Tenant> {
  const tenant = await openCompany(days)
  await close()
  return tenant
}

async function readDaysTo({ tenant_id }: Tenant): Promise<string | null> {
  const [row] = await sql`SELECT days_to FROM event_closings WHERE tenant_id = ${tenant_id}`
  return row!.days_to
}

async function countDoubts({ tenant_id }: Tenant): Promise<number> {
  const [row] =
    await sql`SELECT count(*) AS n FROM event_marks m JOIN event_closings c USING (tenant_id)
    WHERE m.tenant_id = ${tenant_id} AND m.kind = 'sums' AND DATE '1970-01-01' + m.block / 24 < c.days_to`
  return row!.n
}

/** Exact while the change is in doubt, exact when it is built, and what is kept is proven. */
async function checkBoth(tenant: Tenant): Promise<void> {
  const check = async () => {
    await compareTotals(service, tenant)
    expect((await verifyTenant(context, tenant.tenant_id)).faults).toEqual([])
  }
  expect(await countDoubts(tenant)).toBeGreaterThan(0)
  await check()
  await build()
  expect(await countDoubts(tenant)).toBe(0)
  await check()
}

describe('kept days', () => {
  it('are all that are wholly closed, and hold no departments', async () => {
    const tenant = await openCompany()
    await compareTotals(service, tenant)
    await close()
    expect(await readDaysTo(tenant)).toBe(dayOf(clock.now()))
    await compareTotals(service, tenant)
    const [row] =
      await sql`SELECT sum(events)::int AS events, count(DISTINCT day) AS days FROM event_days
      WHERE tenant_id = ${tenant.tenant_id}`
    expect(row).toEqual({ events: 75, days: 25 })
  })

  it('are what is read: a number changed behind their back is seen, and verify tells of it', async () => {
    const tenant = await openClosed()
    const { tenant_id } = tenant
    const total = await askTotal(tenant)
    const day = dayOf(clock.now() - 3 * DAY)
    await sql`UPDATE event_days SET events = events + 100 WHERE tenant_id = ${tenant_id} AND day = ${day}
      AND type = (SELECT min(type) FROM event_days WHERE tenant_id = ${tenant_id} AND day = ${day})`
    expect(await askTotal(tenant)).toBeGreaterThan(total + 99)
    expect(await askTotal(tenant, { from: day, to: day })).toBeGreaterThan(99)
    expect(await askTotal(tenant, { to: dayOf(clock.now() - 4 * DAY) })).toBeLessThan(total)
    const { faults } = await verifyTenant(context, tenant_id)
    expect(faults.join()).toContain(`events of day "${day} `)
  })

  it('come on in pieces of a month, and further with every day that is over', async () => {
    const tenant = await openClosed(100)
    expect(await readDaysTo(tenant)).toBe(dayOf(clock.now()))
    await compareTotals(service, tenant)
    await ingest(service, tenant, [{ email: EMAILS[0]!, type: TYPES[0]! }])
    expect(await askTotal(tenant)).toBe(301)
    clock.advance(3 * DAY)
    await close()
    expect(await readDaysTo(tenant)).toBe(dayOf(clock.now()))
    await compareTotals(service, tenant)
  })

  it('are begun where a past was closed before days were kept', async () => {
    const tenant = await openClosed(40)
    const { tenant_id } = tenant
    await sql`DELETE FROM event_days WHERE tenant_id = ${tenant_id}`
    await sql`UPDATE event_closings SET days_to = NULL WHERE tenant_id = ${tenant_id}`
    await compareTotals(service, tenant)
    await build()
    expect(await readDaysTo(tenant)).toBe(dayOf(clock.now()))
    await compareTotals(service, tenant)
    await sql`UPDATE event_closings SET days_to = NULL WHERE tenant_id = ${tenant_id}`
    await sql`DELETE FROM event_counts WHERE tenant_id = ${tenant_id}`
    await sql`DELETE FROM event_count_entries WHERE tenant_id = ${tenant_id}`
    await build()
    expect(await readDaysTo(tenant)).toBe(dayOf(clock.now()))
  })

  it('go on holding after a late event, even before the first day', async () => {
    const tenant = await openClosed()
    const late = [5 * DAY, 60 * DAY].map(ago => clock.now() - ago)
    await ingest(
      service,
      tenant,
      late.map(at => ({ email: EMAILS[1]!, type: TYPES[0]!, source: 'siem', at })),
    )
    expect(await askTotal(tenant)).toBe(77)
    await checkBoth(tenant)
  })

  it('go on holding after a retraction', async () => {
    const tenant = await openClosed()
    const { body } = await tenant.call('GET', '/v1/events?per_page=1&sort=timestamp&order=asc')
    const url = `/v1/events/${body.data[0].id}/retract`
    expect((await tenant.call('POST', url, { reason: 'wrong' })).status).toBe(200)
    await checkBoth(tenant)
  })

  it('go on holding after a recalculation that turns bad into good', async () => {
    const tenant = await openClosed()
    const before = await askTotal(tenant, { impact: 'positive' })
    const rules = await tenant.call('GET', '/v1/rules?per_page=100')
    for (const { id, event_type } of rules.body.data) {
      if (event_type === TYPES[1]) await tenant.call('PATCH', `/v1/rules/${id}`, { impact: 5 })
    }
    await recalculate(service, tenant)
    expect(await askTotal(tenant, { impact: 'positive' })).toBeGreaterThan(before)
    await checkBoth(tenant)
    expect(await askTotal(tenant, { impact: 'negative' })).toBe(0)
  })

  it('are built once a recalculation is over, not again and again while it goes on', async () => {
    const tenant = await openClosed(5)
    const { tenant_id } = tenant
    const { body } = await tenant.call('GET', '/v1/rules?per_page=100')
    const rule = body.data.find((one: any) => one.event_type === TYPES[1])
    await tenant.call('PATCH', `/v1/rules/${rule.id}`, { impact: -1 })
    await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })
    const pace = { pieces: 1, events: 1, most_employees: 1, first_employees: 1 }
    await replayJobsJob(pace).run(context)
    const building = closeEventsJob({ least: 1, isReplaying })
    const before = await countDoubts(tenant)
    expect(before).toBeGreaterThan(0)
    await runDueJobs(context, [building])
    expect(await countDoubts(tenant)).toBe(before)
    await compareTotals(service, tenant)
    await runDueJobs(context, [replayJobsJob()])
    expect(await countDoubts(tenant)).toBeGreaterThan(0)
    await runDueJobs(context, [building])
    expect(await countDoubts(tenant)).toBe(0)
    await compareTotals(service, tenant)
    expect(await verifyTenant(context, tenant_id)).toMatchObject({ clean: true })
  })

  it('go on holding after an erasure', async () => {
    const tenant = await openClosed()
    const { body } = await tenant.call('GET', `/v1/employees/by-email/${EMAILS[0]}`)
    const done = await tenant.call('POST', `/v1/employees/${body.id}/erase`, { confirm: 'erase' })
    expect(done.status).toBeLessThan(300)
    await compareTotals(service, tenant)
    expect(await askTotal(tenant)).toBe(75)
  })

  it('forget what retention removes, a part of it and all', async () => {
    const tenant = await openClosed()
    clock.advance(350 * DAY)
    await runDueJobs(context, [retainEventsJob(7)])
    expect(await askTotal(tenant)).toBeGreaterThan(0)
    expect(await askTotal(tenant)).toBeLessThan(75)
    await checkBoth(tenant)
    clock.advance(30 * DAY)
    await runDueJobs(context, [retainEventsJob()])
    expect(await askTotal(tenant)).toBe(0)
    await checkBoth(tenant)
    const rows = await sql`SELECT 1 FROM event_days WHERE tenant_id = ${tenant.tenant_id}`
    expect(rows).toHaveLength(0)
  })
})

describe('a late event and the worker that keeps its day', () => {
  it.each(['for the first time', 'anew'])('%s, in every order: nothing is lost', async kind => {
    const tenant = await openClosed(5)
    const { tenant_id } = tenant
    const at = clock.now() - 3 * DAY
    const event = { type: TYPES[0]!, source: 'siem', employee_email: EMAILS[0]! }
    const rest = { timestamp: at, details: {}, keep_unmatched: false, external_id: null }
    const answer = ([outcome]: any) => answerOne(outcome, 'req_test')
    const inputs = [{ ...event, ...rest }]
    const late: Side<unknown> = own =>
      ingestTogether(own, tenant_id, [{ inputs, actor: 'key:test', repeatable: null, answer }])
    const keep: Side<unknown> = ({ db }) =>
      db.inTenant(tenant_id, tx => closeEvents(tx, tenant_id, clock.now(), { least: 1 }))
    const turn = async (order: { first: number; second: number }) => {
      if (kind === 'anew') {
        await ingest(service, tenant, [{ email: EMAILS[1]!, type: TYPES[0]!, at }])
        await sql`DELETE FROM event_marks WHERE tenant_id = ${tenant_id} AND kind = 'people'`
      } else {
        await sql`UPDATE event_closings SET days_to = NULL WHERE tenant_id = ${tenant_id}`
      }
      const ended = await interleave(service, keep, late, order)
      expect([ended.first.status, ended.second.status]).toEqual(['fulfilled', 'fulfilled'])
      await compareTotals(service, tenant)
      await build()
      expect(await countDoubts(tenant)).toBe(0)
      await compareTotals(service, tenant)
      return ended.counts
    }
    const counts = await turn({ first: Number.POSITIVE_INFINITY, second: 0 })
    for (const order of listOrders(counts, 30, 1)) await turn(order)
  })
})
