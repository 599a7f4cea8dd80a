// Statistics and totals equal plain counting over the rows, whatever happened and however far the past is closed.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareTotals } from '../../test/event-totals.ts'
import { interleave, listOrders, type Side } from '../../test/interleave.ts'
import { hire, ingest, recalculate } from '../../test/scenario.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { DAY, HOUR, MINUTE } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { answerOne } from './answer-events.ts'
import { closeEventsJob } from './close-events.job.ts'
import { closeEvents, WAIT_MS } from './close-events.ts'
import { ingestTogether } from './ingest-events.ts'
import { retainEventsJob } from './retain-events.job.ts'

const service = await startService()
const { clock, context } = service
const GROUPINGS = ['type', 'source', 'department'] as const
const closing = () => runDueJobs(context, [closeEventsJob({ least: 1 })])

type Window = { from: number; to: number }

async function countPlainly({ tenant_id }: Tenant, by: string, { from, to }: Window) {
  const rows = await context.db.sql`
    SELECT ${context.db.sql(by)} AS value, count(*) AS count, count(DISTINCT employee_id) AS people,
      round(avg(impact), 1)::float8 AS average FROM events
    WHERE tenant_id = ${tenant_id} AND timestamp >= ${new Date(from)} AND timestamp <= ${new Date(to)}
      AND retracted_at IS NULL GROUP BY 1`
  return rows.map(row => [row.value, row.count, row.people, row.average])
}

async function ask(tenant: Tenant, by: string, { from, to }: Window) {
  const [first, last] = [new Date(from).toISOString(), new Date(to).toISOString()]
  const url = `/v1/events/statistics?group_by=${by}&from=${first}&to=${last}`
  const { status, body } = await tenant.call('GET', url)
  expect(status).toBe(200)
  return body.data.map((d: any) => [d.type, d.count, d.affected_employees, d.average_impact])
}

/** Averages are rounded half up here and half away from zero there: compared to within a rounding. */
async function compare(tenant: Tenant, window: Window): Promise<void> {
  const inOrder = (rows: any[]) => rows.toSorted((a, b) => (a[0] < b[0] ? -1 : 1))
  for (const by of GROUPINGS) {
    const [ours, plain] = await Promise.all([
      ask(tenant, by, window),
      countPlainly(tenant, by, window),
    ])
    const known = inOrder(plain)
    const exact = (rows: any[]) => inOrder(rows).map(row => row.slice(0, 3))
    expect(exact(ours)).toEqual(exact(plain))
    inOrder(ours).forEach((row, i) => {
      expect(Math.abs(row[3] - known[i]![3])).toBeLessThan(0.11)
    })
  }
}

async function count(tenant: Tenant, table: string): Promise<number> {
  const { sql } = context.db
  const [row] =
    await sql`SELECT count(*) AS n FROM ${sql(table)} WHERE tenant_id = ${tenant.tenant_id}`
  return row!.n
}

async function close(): Promise<void> {
  await closing()
  clock.advance(WAIT_MS)
  await closing()
}

const TYPES = ['sim.link_clicked', 'sim.reported', 'auth.mfa_disabled', 'other.nothing']
const SOURCES = ['siem', 'okta']

async function openCompany(people: number) {
  const tenant = await service.tenant()
  const emails = Array.from({ length: people }, (_, i) => `p${i}@example.com`)
  const third = Math.ceil(people / 3)
  for (const [i, department] of ['Sales', 'Legal', ''].entries()) {
    await hire(service, tenant, emails.slice(i * third, (i + 1) * third), department)
  }
  return { tenant, emails }
}

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('events'),
      n: fc.integer({ min: 1, max: 40 }),
      back: fc.nat(50 * 24),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('retract'), n: fc.nat(), back: fc.constant(0) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('move'), n: fc.nat(), back: fc.constant(0) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('erase'), n: fc.nat(), back: fc.constant(0) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('recalculate'), n: fc.nat(), back: fc.constant(0) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait'), n: fc.nat(20 * 60), back: fc.constant(0) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('close'), n: fc.nat(), back: fc.constant(0) }),
  },
)
type Step = { kind: string; n: number; back: number }

/** Chance from the numbers of the step alone, so that a failing run repeats. */
const draw = (seed: number, i: number) => ((seed * 7919 + i * 104_729) % 10_007) / 10_007

async function carryOut(tenant: Tenant, emails: readonly string[], { kind, n, back }: Step) {
  const now = clock.now()
  const pick = <T>(from: readonly T[], i: number) => from[Math.floor(draw(n, i) * from.length)]!
  if (kind === 'events') {
    const events = Array.from({ length: n }, (_, i) => ({
      email: pick(emails, i * 4),
      type: pick(TYPES, i * 4 + 1),
      source: pick(SOURCES, i * 4 + 2),
      at: now - Math.floor(draw(n, i * 4 + 3) * back * HOUR),
    }))
    await ingest(service, tenant, events)
  }
  if (kind === 'retract') {
    const { sql } = context.db
    const rows =
      await sql`SELECT event_id FROM events WHERE tenant_id = ${tenant.tenant_id} AND retracted_at IS NULL
      AND source <> 'engine' ORDER BY 1`
    if (rows.length === 0) return
    for (let i = 0; i <= n % 6; i++) {
      const { event_id } = pick(rows, i)
      const url = `/v1/events/${event_id}/retract`
      const { status } = await tenant.call('POST', url, { reason: 'wrong' })
      expect([200, 409]).toContain(status)
    }
  }
  if (kind === 'move' || kind === 'erase') {
    const url = `/v1/employees/by-email/${emails[n % emails.length]}`
    const found = await tenant.call('GET', url)
    if (found.status !== 200) return
    const { id } = found.body
    if (kind === 'move') await tenant.call('PATCH', `/v1/employees/${id}`, { department: 'Moved' })
    else await tenant.call('POST', `/v1/employees/${id}/erase`, { confirm: 'erase' })
  }
  if (kind === 'recalculate') {
    const rules = await tenant.call('GET', '/v1/rules?per_page=100')
    const [rule] = rules.body.data.filter((one: any) => one.event_type === pick(TYPES, 1))
    if (rule) await tenant.call('PATCH', `/v1/rules/${rule.id}`, { impact: -1 - (n % 50) })
    await recalculate(service, tenant)
  }
  if (kind === 'wait') clock.advance(n * MINUTE)
  if (kind === 'close') await close()
}

describe('equal plain counting', () => {
  it('after anything, before and after the worker ran, for any window', async () => {
    let blocks = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 12 }),
        fc.array(fc.tuple(fc.nat(55 * DAY), fc.nat(55 * DAY)), { minLength: 3, maxLength: 3 }),
        async (steps, windows) => {
          const { tenant, emails } = await openCompany(30)
          const look = async () => {
            const now = clock.now()
            await compareTotals(service, tenant)
            await compare(tenant, { from: now - 30 * DAY, to: now })
            for (const [a, b] of windows) {
              await compare(tenant, { from: now - Math.max(a, b), to: now - Math.min(a, b) })
            }
          }
          await carryOut(tenant, emails, { kind: 'events', n: 30, back: 40 * 24 })
          await close()
          for (const one of steps) await carryOut(tenant, emails, one)
          await look()
          await close()
          blocks += await count(tenant, 'event_people')
          expect(await settled(tenant)).toBe(true)
          await look()
        },
      ),
      { numRuns: 12 },
    )
    expect(blocks).toBeGreaterThan(500)
  })
})

/** Nothing that is closed is left in doubt. */
async function settled({ tenant_id }: Tenant): Promise<boolean> {
  const rows = await context.db
    .sql`SELECT 1 FROM event_marks m JOIN event_closings c USING (tenant_id)
    WHERE m.tenant_id = ${tenant_id} AND (m.block + 1) << (3 * m.level) <= c.closed_to`
  return rows.length === 0
}

describe('closed hours', () => {
  it('are read from blocks: a row that is changed behind their back is not seen', async () => {
    const { tenant, emails } = await openCompany(6)
    const now = clock.now()
    const at = now - 3 * DAY
    await ingest(
      service,
      tenant,
      emails.map(email => ({ email, type: 'sim.reported', at })),
    )
    await close()
    const { sql } = context.db
    await sql`UPDATE events SET employee_id = (SELECT min(employee_id) FROM employees
      WHERE tenant_id = ${tenant.tenant_id}) WHERE tenant_id = ${tenant.tenant_id}`
    const window = { from: now - 30 * DAY, to: now }
    expect(await ask(tenant, 'type', window)).toEqual([['sim.reported', 6, 6, 10]])
  })

  it('ordinary events leave no marks, late ones do', async () => {
    const { tenant, emails } = await openCompany(3)
    const email = emails[0]!
    await ingest(service, tenant, [{ email, type: 'sim.reported', at: clock.now() - DAY }])
    expect(await count(tenant, 'event_marks')).toBe(0)
    await close()
    const before = await count(tenant, 'event_marks')
    await ingest(service, tenant, [{ email, type: 'sim.reported' }])
    expect(await count(tenant, 'event_marks')).toBe(before)
    await ingest(service, tenant, [{ email, type: 'sim.reported', at: clock.now() - 3 * DAY }])
    expect(await count(tenant, 'event_marks')).toBe(before + 2)
  })

  it('a tenant with few events is left alone', async () => {
    const { tenant, emails } = await openCompany(3)
    await ingest(service, tenant, [{ email: emails[0]!, type: 'sim.reported' }])
    clock.advance(HOUR)
    await runDueJobs(context, [closeEventsJob()])
    expect(await count(tenant, 'event_closings')).toBe(0)
  })

  it('forget what retention removes', async () => {
    const { tenant, emails } = await openCompany(6)
    const events = emails.map(email => ({ email, type: 'sim.reported', at: clock.now() - 3 * DAY }))
    await ingest(service, tenant, events)
    await close()
    const [from, to] = [clock.now() - 30 * DAY, clock.now()]
    expect(await count(tenant, 'event_people')).toBeGreaterThan(0)
    clock.advance(400 * DAY)
    await runDueJobs(context, [retainEventsJob()])
    expect(await ask(tenant, 'type', { from, to })).toEqual([])
    await closing()
    expect(await ask(tenant, 'type', { from, to })).toEqual([])
    expect(await count(tenant, 'event_people')).toBe(0)
    expect(await count(tenant, 'event_sums')).toBe(0)
  })
})

describe('a late event and the worker that builds its block', () => {
  it('in every order: nothing is lost', async () => {
    const { tenant, emails } = await openCompany(6)
    const { tenant_id } = tenant
    const now = clock.now()
    const at = now - 3 * DAY
    await ingest(service, tenant, [{ email: emails[0]!, type: 'sim.reported', at }])
    await close()
    // Somebody new each time, so that a lost event is a lost person.
    let email = ''
    const late: Side<unknown> = context => {
      const named = { type: 'sim.reported', source: 'siem', employee_email: email }
      const rest = { timestamp: at, details: {}, keep_unmatched: false, external_id: null }
      const answer = ([outcome]: any) => answerOne(outcome, 'req_test')
      const inputs = [{ ...named, ...rest }]
      const submission = { inputs, actor: 'key:test', repeatable: null, answer }
      return ingestTogether(context, tenant_id, [submission])
    }
    const build: Side<unknown> = ({ db }) =>
      db.inTenant(tenant_id, tx => closeEvents(tx, tenant_id, clock.now(), { least: 1 }))
    const window = { from: now - 10 * DAY, to: now }
    let turns = 0
    const turn = async (order: { first: number; second: number }) => {
      email = `late${turns++}@example.com`
      await hire(service, tenant, [email])
      await ingest(service, tenant, [{ email: emails[1]!, type: 'sim.reported', at }])
      const ended = await interleave(service, late, build, order)
      expect([ended.first.status, ended.second.status]).toEqual(['fulfilled', 'fulfilled'])
      await compare(tenant, window)
      await closing()
      await compare(tenant, window)
      expect(await settled(tenant)).toBe(true)
      return ended.counts
    }
    const counts = await turn({ first: Number.POSITIVE_INFINITY, second: 0 })
    for (const order of listOrders(counts, 40, 1)) await turn(order)
  })
})
