// An explanation adds up at any instant since creation and says what was true then.
import { beforeAll, describe, expect, it } from 'vitest'
import { START, startService, type Tenant } from '../../test/service.ts'
import { create, happen } from '../employees/employees.fixture.ts'
import { DAY, HOUR, MINUTE } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { expectExplanations, explain } from './explanation.fixture.ts'
import {
  ALL_JOBS,
  adjust,
  change,
  DUE_JOBS,
  get,
  liveOn,
  openCompany,
  randomOf,
} from './scores.fixture.ts'

const service = await startService()
let acme: Tenant

const NANO = 1e9
const units = (value: number) => Math.round(value * NANO)

describe('at any instant', () => {
  it.each([11, 12])('the parts add up and give the score recorded then, life %i', async seed => {
    service.clock.set(START)
    const company = await openCompany(service)
    const random = randomOf(seed)
    for (let i = 0; i < 120; i++) await liveOn(service, company, random, DUE_JOBS)
    const { tenant } = company
    await expectExplanations(service, company, random, 60)
    for (const { id } of company.people) {
      const { score, band } = await get(tenant, `/v1/employees/${id}`)
      expect(await explain(tenant, id)).toMatchObject({ score, band })
    }
  })
})

describe('200', () => {
  beforeAll(async () => {
    service.clock.set(START)
    acme = await service.tenant()
  })

  it('names the event, the rule, the impact and what is left of it', async () => {
    const { id, email } = await create(acme)
    const event = await happen(acme, email)
    service.clock.advance(HOUR)
    const rule = await get(acme, `/v1/rules/${event.rules_matched[0]}`)
    const body = await explain(acme, id)
    expect(body.shares).toEqual([
      {
        kind: 'rule',
        event_id: event.id,
        event_type: 'sim.link_clicked',
        source: 'simulator',
        timestamp: new Date(service.clock.now() - HOUR).toISOString(),
        rule_id: rule.id,
        rule_name: rule.name,
        impact: rule.impact,
        current_impact: units(rule.impact * 2 ** (-1 / 24 / 90)) / NANO,
        dated_at: new Date(service.clock.now() - HOUR).toISOString(),
      },
    ])
    const { current_impact } = body.shares[0]
    expect(body.totals).toEqual({ risk: current_impact, recovery: 0 })
    expect(body).toMatchObject({ starting_score: 75, rest: { count: 0, current_impact: 0 } })
    expect(body).not.toHaveProperty('frozen_at')
  })

  it('tells manual adjustments and clean streaks from rules', async () => {
    const { id } = await create(acme)
    await adjust(service, acme, { employee_id: id, impact: -9, reason: 'a talk' })
    service.clock.advance(31 * DAY)
    await runDueJobs(service.context, DUE_JOBS)
    const { shares } = await explain(acme, id)
    const kinds = shares.map((one: Record<string, unknown>) => [one.kind, one.rule_id === null])
    expect(kinds).toEqual([
      ['manual', true],
      ['clean_streak', false],
    ])
  })

  it('shows what the cap and the edge 0 did', async () => {
    const { id, email } = await create(acme)
    for (const impact of [20, 20]) {
      await adjust(service, acme, { employee_id: id, impact, reason: 'well done' })
    }
    expect(await explain(acme, id)).toMatchObject({ score: 100, cap_adjustment: -15 })
    for (const type of ['endpoint.malware_detected', 'sim.credential_submitted']) {
      await happen(acme, email, type)
    }
    await adjust(service, acme, { employee_id: id, impact: -90, reason: 'badly done' })
    const body = await explain(acme, id)
    expect(body).toMatchObject({ score: 0, exact_score: 0 })
    expect(body.edge_adjustment).toBeGreaterThan(0)
  })

  it('explains a frozen score as of the instant that froze it, also after a retraction', async () => {
    const { id, email } = await create(acme)
    const event = await happen(acme, email)
    service.clock.advance(3 * DAY)
    await change(acme, id, { status: 'inactive' })
    const frozen = service.clock.now()
    const then = await explain(acme, id)
    service.clock.advance(20 * DAY)
    await acme.call('POST', `/v1/events/${event.id}/retract`, { reason: 'a scanner' })
    service.clock.advance(DAY)
    const later = await explain(acme, id)
    expect(later).toEqual({ ...then, at: new Date(service.clock.now()).toISOString() })
    expect(later).toMatchObject({ status: 'inactive', frozen_at: new Date(frozen).toISOString() })
    expect(later.shares).toHaveLength(1)
  })

  it('without `at` explains the stored score, a moment before a change that is overdue', async () => {
    const { id, email } = await create(acme)
    await happen(acme, email)
    service.clock.advance(12 * DAY)
    const { score } = await get(acme, `/v1/employees/${id}`)
    const now = await explain(acme, id, service.clock.now())
    expect(now.score).toBeGreaterThan(score)
    const body = await explain(acme, id)
    expect(body.score).toBe(score)
    expect((await explain(acme, id, Date.parse(body.at) + 1)).score).toBe(score + 1)
  })

  it('a date means its last instant, today means now', async () => {
    const { id } = await create(acme)
    service.clock.advance(3 * DAY)
    const day = (at: number) => new Date(at).toISOString().slice(0, 10)
    const yesterday = day(service.clock.now() - DAY)
    const past = await get(acme, `/v1/employees/${id}/explanation?at=${yesterday}`)
    expect(past.at).toBe(`${yesterday}T23:59:59.999Z`)
    const today = await get(acme, `/v1/employees/${id}/explanation?at=${day(service.clock.now())}`)
    expect(today.at).toBe(new Date(service.clock.now()).toISOString())
  })

  it('calls what the kept events do not account for older than retention', async () => {
    const { id, email } = await create(acme)
    const gone = await happen(acme, email)
    await happen(acme, email, 'endpoint.malware_detected')
    const { tenant_id } = acme
    const before = await explain(acme, id)
    await service.context.db.inTenant(tenant_id, async tx => {
      await tx`UPDATE shares SET folded = true WHERE tenant_id = ${tenant_id} AND event_id = ${gone.id}`
      await tx`DELETE FROM events WHERE tenant_id = ${tenant_id} AND event_id = ${gone.id}`
    })
    const after = await explain(acme, id)
    expect(after).toMatchObject({ score: before.score, older_than_retention: gone.impact })
    expect(after.shares).toHaveLength(before.shares.length - 1)
  })
})

describe('400 and 404', () => {
  let id: string
  beforeAll(async () => {
    id = (await create(acme)).id
    service.clock.advance(DAY)
  })

  it.each([
    ['soon', /must be an ISO 8601 date/],
    ['2026-02-30', /must be an ISO 8601 date/],
    ['2026-03-02T09:00:00', /must be an ISO 8601 date/],
    ['2199-01-01', /future/],
    ['2026-01-01', /before the employee was created/],
  ])('400 names at=%s', async (at, message) => {
    const answer = await acme.call('GET', `/v1/employees/${id}/explanation?at=${at}`)
    expect(answer.status).toBe(400)
    expect(answer.body.error.details).toEqual([
      { path: 'at', message: expect.stringMatching(message) },
    ])
  })

  it('400 a moment before creation and a moment ahead, 200 at both ends', async () => {
    const { created_at } = await get(acme, `/v1/employees/${id}`)
    const created = Date.parse(created_at)
    const status = async (at: number) => {
      const url = `/v1/employees/${id}/explanation?at=${new Date(at).toISOString()}`
      return (await acme.call('GET', url)).status
    }
    const now = service.clock.now()
    expect(await Promise.all([created - 1, created, now, now + 1].map(status))).toEqual([
      400, 200, 200, 400,
    ])
    service.clock.advance(MINUTE)
  })

  it("404 for another tenant's employee and for nobody's", async () => {
    const other = await service.tenant()
    for (const path of ['explanation', 'forecast']) {
      expect((await other.call('GET', `/v1/employees/${id}/${path}`)).status).toBe(404)
      expect((await acme.call('GET', `/v1/employees/emp_nobody/${path}`)).status).toBe(404)
    }
  })

  it('403 without employees:read', async () => {
    const call = await acme.as('scores:read')
    for (const path of ['explanation', 'forecast']) {
      expect((await call('GET', `/v1/employees/${id}/${path}`)).status).toBe(403)
    }
    await runDueJobs(service.context, ALL_JOBS)
  })
})
