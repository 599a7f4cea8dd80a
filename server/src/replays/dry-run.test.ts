// Dry runs: worked examples by hand, what is left out, and that an unchanged rule changes nothing.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { days, hire, ingest, runJobs } from '../../test/scenario.ts'
import { START, startService, type Tenant } from '../../test/service.ts'
import { retainEventsJob } from '../events/retain-events.job.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { exampleOf } from '../platform/openapi-schemas.ts'
import { DraftRule } from './replays.schema.ts'

const service = await startService()

const NAME = { name: 'Badge lost', category: 'custom', event_type: 'custom.badge' }

/** A tenant with one rule of its own and people who know only that one. */
async function open(rule: object, emails: readonly string[]) {
  service.clock.set(START)
  const tenant = await service.tenant()
  const people = await hire(service, tenant, emails)
  const { body } = await tenant.call('POST', '/v1/rules', { ...NAME, ...rule })
  return { tenant, people, rule_id: body.id as string }
}

const change = (tenant: Tenant, rule_id: string, body: object) =>
  tenant.call('PATCH', `/v1/rules/${rule_id}`, body)

const test = (tenant: Tenant, rule_id: string, query = '') =>
  tenant.call('POST', `/v1/rules/${rule_id}/test${query}`)

const badge = (email: string, at: number | null = null, details = {}) => {
  return { email, type: 'custom.badge', at, details }
}

/** Too long to be remembered. */
const LONG = `${'hay '.repeat(500)}needle`

describe('POST /v1/rules/:id/test', () => {
  it('200 replaces the recorded shares by those of the rule as it stands', async () => {
    const { tenant, people, rule_id } = await open({ impact: -10 }, [
      'a@x.com',
      'b@x.com',
      'c@x.com',
    ])
    await ingest(service, tenant, [badge('a@x.com'), badge('a@x.com'), badge('b@x.com')])
    await change(tenant, rule_id, { impact: -20 })
    const answer = await test(tenant, rule_id)
    expect(answer.status).toBe(200)
    // a: 75 - 20 → 75 - 40; b: 75 - 10 → 75 - 20.
    expect(answer.body).toEqual({
      rule_id,
      events_matched: 3,
      employees_affected: 2,
      average_impact: -15,
      score_changes: [
        { employee_id: people[0], current_score: 55, projected_score: 35 },
        { employee_id: people[1], current_score: 65, projected_score: 55 },
      ],
    })
    const { body } = await tenant.call('GET', `/v1/employees/${people[0]}`)
    expect(body.score).toBe(55)
  })

  it('200 shows the score as it would be now, decayed by then', async () => {
    const { tenant, people, rule_id } = await open({ impact: -40 }, ['a@x.com'])
    await ingest(service, tenant, [badge('a@x.com')])
    service.clock.advance(days(20))
    await runJobs(service)
    await change(tenant, rule_id, { impact: 0 })
    const answer = await test(tenant, rule_id)
    // 40 · 2^(-20/90) = 34.29.
    expect(answer.body.score_changes).toEqual([
      { employee_id: people[0], current_score: 41, projected_score: 75 },
    ])
  })

  it('200 agrees with the stored score where a change is overdue', async () => {
    const { tenant, rule_id } = await open({ impact: -40 }, ['a@x.com'])
    await ingest(service, tenant, [badge('a@x.com')])
    service.clock.advance(days(20))
    const answer = await test(tenant, rule_id)
    expect(answer.body.score_changes[0]).toMatchObject({ current_score: 35, projected_score: 35 })
  })

  it('200 tries an inactive rule', async () => {
    const { tenant, rule_id } = await open({ impact: -10 }, ['a@x.com'])
    await change(tenant, rule_id, { status: 'inactive' })
    await ingest(service, tenant, [badge('a@x.com')])
    const { body } = await test(tenant, rule_id)
    expect(body).toMatchObject({ events_matched: 1, average_impact: -10 })
  })

  it('200 counts somebody whose share is only taken away', async () => {
    const { tenant, people, rule_id } = await open({ impact: -10 }, ['a@x.com'])
    await ingest(service, tenant, [badge('a@x.com')])
    await change(tenant, rule_id, { event_type: 'custom.other' })
    const { body } = await test(tenant, rule_id)
    expect(body).toMatchObject({ events_matched: 0, employees_affected: 1, average_impact: 10 })
    expect(body.score_changes).toEqual([
      { employee_id: people[0], current_score: 65, projected_score: 75 },
    ])
  })

  it('200 lets firings before the window cool, later ones not', async () => {
    const { tenant, rule_id } = await open({ impact: -10, cooldown: '24h' }, ['a@x.com'])
    await ingest(service, tenant, [badge('a@x.com')])
    service.clock.advance(days(0.5))
    const second = service.clock.now()
    await ingest(service, tenant, [badge('a@x.com')])
    service.clock.advance(days(1))
    const third = service.clock.now()
    await ingest(service, tenant, [badge('a@x.com')])
    const window = (from: number, to: number) =>
      test(
        tenant,
        rule_id,
        `?from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`,
      )
    // The second is 12 h after the first, which stays outside the window and cools it.
    expect((await window(second, second)).body.events_matched).toBe(0)
    // The third fired 36 h after the first; for it the rule is free, the second notwithstanding.
    expect((await window(third, third)).body).toMatchObject({
      events_matched: 1,
      average_impact: 0,
    })
    // Without its cooldown the second fires too, although the third stands close behind it.
    await change(tenant, rule_id, { cooldown: '0h' })
    expect((await window(second, second)).body).toMatchObject({
      events_matched: 1,
      average_impact: -10,
    })
  })

  it('200 lets the last firing before the window cool until its last millisecond', async () => {
    const { tenant, rule_id } = await open({ impact: -10, cooldown: '24h' }, ['a@x.com'])
    const matched = async (wait: number) => {
      service.clock.advance(wait)
      await ingest(service, tenant, [badge('a@x.com')])
      const at = new Date(service.clock.now()).toISOString()
      return (await test(tenant, rule_id, `?from=${at}&to=${at}`)).body.events_matched
    }
    expect(await matched(0)).toBe(1)
    expect(await matched(days(1))).toBe(1)
    expect(await matched(days(1) - 1)).toBe(0)
    expect(await matched(1)).toBe(1)
  })

  it('200 lets a firing cool whose event is removed, and leaves its share as it is', async () => {
    const { tenant, rule_id } = await open({ impact: -10, cooldown: '24h' }, ['a@x.com'])
    const from = new Date(service.clock.now()).toISOString()
    await ingest(service, tenant, [badge('a@x.com')])
    service.clock.advance(days(0.5))
    await ingest(service, tenant, [badge('a@x.com')])
    service.clock.set(START + days(365.25))
    await runJobs(service)
    await runDueJobs(service.context, [retainEventsJob()])
    const { body: left } = await tenant.call('GET', '/v1/events?type=custom.badge')
    expect(left.pagination.total).toBe(1)
    const { body } = await test(tenant, rule_id, `?from=${from}`)
    expect(body).toMatchObject({ events_matched: 0, employees_affected: 0 })
  })

  it('200 is measured where the state stands, also by a clock that is behind it', async () => {
    const { tenant, people, rule_id } = await open({ impact: -40 }, ['a@x.com'])
    const from = new Date(service.clock.now()).toISOString()
    service.clock.advance(days(12))
    const to = new Date(service.clock.now()).toISOString()
    await ingest(service, tenant, [badge('a@x.com')])
    await change(tenant, rule_id, { impact: -60 })
    service.clock.advance(-days(10))
    const { body } = await test(tenant, rule_id, `?from=${from}&to=${to}`)
    expect(body.score_changes).toEqual([
      { employee_id: people[0], current_score: 35, projected_score: 15 },
    ])
  })

  it('200 ignores exclusiveness and looks at conditions', async () => {
    const { tenant, rule_id } = await open(
      { impact: -10, conditions: { severity: 'high', 'metadata.n': { gte: 2 } } },
      ['a@x.com'],
    )
    const top = { ...NAME, impact: -1, priority: 900, exclusive: true }
    await tenant.call('POST', '/v1/rules', top)
    await ingest(service, tenant, [
      badge('a@x.com', null, { severity: 'high', metadata: { n: 2 } }),
      badge('a@x.com', null, { severity: 'high', metadata: { n: 1 } }),
      badge('a@x.com', null, { severity: 'low', metadata: { n: 3 } }),
    ])
    const { body } = await test(tenant, rule_id)
    expect(body).toMatchObject({ events_matched: 1, average_impact: -10 })
  })

  it.each([
    [{ severity: 'high' }, 2],
    [{ severity: ['high', 'low'] }, 3],
    [{ n: '5' }, 1],
    [{ n: 'null' }, 0],
    [{ 'tags.0': 'high' }, 1],
    [{ 'metadata.city': 'Köln "am Rhein"' }, 1],
    [{ severity: 'high', source: 'simulator' }, 2],
    [{ severity: 'high', type: 'custom.door' }, 0],
    [{ severity: 'high', n: { exists: true } }, 1],
    [{ 'alert.rank.n': { gte: 2 }, 'alert.rank.of': { lte: 5 } }, 1],
    [
      {
        'alert.rank': { exists: true },
        'alert.rank.n': { gte: 1 },
        'alert.note': { exists: false },
      },
      1,
    ],
    [{ 'alert.rank.n': { exists: true } }, 2],
    [{ 'alert.rank.n': { ne: 2 }, 'alert.tags.0': { exists: false } }, 5],
    [{ 'alert.raw': { contains: 'needle' } }, 1],
  ])('200 matches the texts of conditions as live scoring does: %j', async (conditions, count) => {
    const { tenant, rule_id } = await open({ impact: -10, conditions, cooldown: '0h' }, ['a@x.com'])
    await ingest(service, tenant, [
      badge('a@x.com', null, { severity: 'high', n: 5 }),
      badge('a@x.com', null, { severity: 'high', tags: ['high'] }),
      badge('a@x.com', null, { severity: 'low', n: '5', tags: { 0: 'high' } }),
      badge('a@x.com', null, { metadata: { city: 'Köln "am Rhein"' }, n: null }),
      badge('a@x.com', null, { alert: { rank: { n: 2, of: 5 }, tags: ['x'], raw: LONG } }),
      badge('a@x.com', null, { alert: { rank: { n: null }, note: '' } }),
    ])
    const { body } = await test(tenant, rule_id)
    expect(body).toMatchObject({ events_matched: count })
    const events = await tenant.call('GET', '/v1/events')
    const fired = events.body.data.filter((event: { impact: number }) => event.impact !== 0)
    expect(fired).toHaveLength(count)
  })

  it('200 reads fields named like what objects inherit, and leaves the inherited as it is', async () => {
    const conditions = { 'valueOf.kept': { gte: 1 }, 'valueOf.left': { exists: false } }
    const { tenant, rule_id } = await open({ impact: -5, conditions }, ['a@x.com'])
    await ingest(service, tenant, [
      badge('a@x.com'),
      badge('a@x.com', null, { valueOf: {} }),
      badge('a@x.com', null, { valueOf: { kept: 1 } }),
      badge('a@x.com', null, { valueOf: { kept: 2, left: 3 } }),
    ])
    expect((await test(tenant, rule_id)).body).toMatchObject({ events_matched: 1 })
    expect(Object.keys(Object.prototype.valueOf)).toEqual([])
  })

  it('200 covers all types of a wildcard, and only those', async () => {
    const { tenant, rule_id } = await open(
      { impact: -10, event_type: 'custom.door.*', cooldown: '0h' },
      ['a@x.com'],
    )
    await change(tenant, rule_id, { status: 'inactive' })
    const types = ['custom.door.open', 'custom.door.side.open', 'custom.doors', 'custom.door']
    await ingest(
      service,
      tenant,
      types.map(type => ({ email: 'a@x.com', type })),
    )
    expect((await test(tenant, rule_id)).body.events_matched).toBe(2)
  })

  it('200 leaves out retracted events, events recorded while inactive, and inactive people', async () => {
    const emails = ['a@x.com', 'b@x.com', 'c@x.com']
    const { tenant, people, rule_id } = await open({ impact: -10 }, emails)
    const [scored] = await ingest(
      service,
      tenant,
      emails.map(email => badge(email)),
    )
    if (scored?.kind !== 'scored') throw new Error('not scored')
    await tenant.call('POST', `/v1/events/${scored.event.id}/retract`, { reason: 'scanner' })
    const status = (id: string, to: string) =>
      tenant.call('PATCH', `/v1/employees/${id}`, { status: to })
    await status(people[1]!, 'inactive')
    await ingest(service, tenant, [badge('b@x.com')])
    await status(people[1]!, 'active')
    await status(people[2]!, 'inactive')
    await change(tenant, rule_id, { impact: -30 })
    const { body } = await test(tenant, rule_id)
    expect(body).toMatchObject({ events_matched: 1, employees_affected: 1 })
    expect(body.score_changes[0]).toEqual({
      employee_id: people[1],
      current_score: 65,
      projected_score: 45,
    })
  })

  it('200 takes the window of the query, inclusive, and 30 days by default', async () => {
    const { tenant, rule_id } = await open({ impact: -1 }, ['a@x.com'])
    const at = service.clock.now()
    const marks = [at - days(31), at - days(30), at - days(2), at]
    await ingest(
      service,
      tenant,
      marks.map(mark => badge('a@x.com', mark)),
    )
    const matched = async (query: string) =>
      (await test(tenant, rule_id, query)).body.events_matched
    expect(await matched('')).toBe(3)
    const iso = (mark: number) => new Date(mark).toISOString()
    expect(await matched(`?from=${iso(marks[2]!)}&to=${iso(marks[2]!)}`)).toBe(1)
    expect(await matched(`?from=${iso(marks[0]!)}`)).toBe(4)
    expect(await matched(`?to=2026-02-28`)).toBe(3)
  })

  it('200 gives zeros where there is nothing', async () => {
    const { tenant, rule_id } = await open({ impact: -1 }, [])
    expect((await test(tenant, rule_id)).body).toEqual({
      rule_id,
      events_matched: 0,
      employees_affected: 0,
      average_impact: 0,
      score_changes: [],
    })
  })

  it('200 lists the 1,000 largest changes and still counts everyone', async () => {
    const emails = Array.from({ length: 1003 }, (_, i) => `p${i}@x.com`)
    const { tenant, people, rule_id } = await open({ impact: -5 }, emails)
    const at = service.clock.now()
    const first = emails.slice(0, 1000).map(email => badge(email, at - 2))
    const rest = [...emails.slice(1000), 'p7@x.com'].map(email => badge(email, at))
    await ingest(service, tenant, [...first, ...rest])
    await change(tenant, rule_id, { impact: -6 })
    const { body: whole } = await test(
      tenant,
      rule_id,
      `?to=${encodeURIComponent(new Date(at - 1).toISOString())}`,
    )
    expect(whole.employees_affected).toBe(1000)
    expect(whole).not.toHaveProperty('truncated')
    const { body } = await test(tenant, rule_id)
    expect(body).toMatchObject({ employees_affected: 1003, truncated: true, events_matched: 1004 })
    expect(body.score_changes).toHaveLength(1000)
    expect(body.score_changes[0].employee_id).toBe(people[7])
    expect(body.score_changes[1].employee_id).toBe(people[0])
    // p7 was seen twice: 75 - 10 → 75 - 12; the others 70 → 69.
    const people_at = (scores: number[]) => scores.flatMap((n, i) => (n ? [[i, n]] : []))
    const [before, after] = [body.scores_before, body.scores_after].map(people_at)
    expect(before).toEqual([
      [65, 1],
      [70, 1002],
    ])
    expect(after).toEqual([
      [63, 1],
      [69, 1002],
    ])
  })

  it.each([
    ['?from=yesterday', 'from'],
    ['?from=2026-03-02&to=2026-03-01', 'from'],
    ['?sample=10', 'sample'],
  ])('400 refuses %s by name', async (query, path) => {
    const { tenant, rule_id } = await open({ impact: -1 }, [])
    const answer = await test(tenant, rule_id, query)
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path])
  })

  it("404 for an unknown rule and for another tenant's", async () => {
    const { tenant } = await open({ impact: -1 }, [])
    const other = await open({ impact: -1 }, [])
    expect((await test(tenant, 'rule_none')).status).toBe(404)
    expect((await test(tenant, other.rule_id)).status).toBe(404)
  })
})

describe('POST /v1/rules/test', () => {
  const draft = { ...NAME, impact: -20 }

  it('200 tries a rule that is not saved', async () => {
    const { tenant, people } = await open({ impact: -10 }, ['a@x.com'])
    await ingest(service, tenant, [badge('a@x.com')])
    const answer = await tenant.call('POST', '/v1/rules/test', draft)
    expect(answer.body).toEqual({
      rule_id: null,
      events_matched: 1,
      employees_affected: 1,
      average_impact: -20,
      score_changes: [{ employee_id: people[0], current_score: 65, projected_score: 45 }],
    })
    expect((await tenant.call('GET', '/v1/rules?category=custom')).body.pagination.total).toBe(1)
  })

  it('200 for the example of the API document, which replaces no rule', async () => {
    const { tenant } = await open({ impact: -10 }, ['a@x.com'])
    const example = exampleOf({ ...DraftRule }) as object
    expect((await tenant.call('POST', '/v1/rules/test', example)).status).toBe(200)
  })

  it('200 puts it in the place of a saved one, whose earlier firings cool', async () => {
    const { tenant, people, rule_id } = await open({ impact: -10 }, ['a@x.com'])
    await ingest(service, tenant, [badge('a@x.com')])
    service.clock.advance(days(1))
    const from = new Date(service.clock.now()).toISOString()
    await ingest(service, tenant, [badge('a@x.com')])
    const body = { ...draft, replaces: rule_id }
    const without = await tenant.call('POST', `/v1/rules/test?from=${from}`, body)
    expect(without.body.score_changes).toEqual([
      { employee_id: people[0], current_score: 55, projected_score: 45 },
    ])
    const cooling = { ...body, cooldown: '48h' }
    const with48h = await tenant.call('POST', `/v1/rules/test?from=${from}`, cooling)
    expect(with48h.body).toMatchObject({ events_matched: 0, average_impact: 10 })
  })

  it.each([
    [{ impact: 'x' }, 'impact'],
    [{ impact: -101 }, 'impact'],
    [{ cooldown: '5y' }, 'cooldown'],
    [{ conditions: { a: { near: 1 } } }, 'conditions.a'],
    [{ status: 'active' }, 'status'],
  ])('400 refuses %j by name', async (fields, path) => {
    const { tenant } = await open({ impact: -1 }, [])
    const answer = await tenant.call('POST', '/v1/rules/test', { ...draft, ...fields })
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path])
  })

  it('404 for an unknown rule to replace', async () => {
    const { tenant } = await open({ impact: -1 }, [])
    const body = { ...draft, replaces: 'rule_none' }
    expect((await tenant.call('POST', '/v1/rules/test', body)).status).toBe(404)
  })
})

it('an unchanged rule over events that arrived in order changes nothing', async () => {
  const gap = fc.record({
    hours: fc.integer({ min: 0, max: 60 }),
    who: fc.integer({ min: 0, max: 2 }),
    severity: fc.constantFrom('low', 'high'),
  })
  const emails = ['a@x.com', 'b@x.com', 'c@x.com']
  await fc.assert(
    fc.asyncProperty(
      fc.array(gap, { minLength: 1, maxLength: 25 }),
      fc.constantFrom('0h', '12h', '3d'),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (gaps, cooldown, part) => {
        const conditions = { severity: 'high' }
        const { tenant, rule_id } = await open({ impact: -7, cooldown, conditions }, emails)
        for (const { hours, who, severity } of gaps) {
          service.clock.advance(days(hours / 24))
          await ingest(service, tenant, [badge(emails[who]!, null, { severity })])
        }
        const elapsed = service.clock.now() - START
        const since = new Date(START + Math.floor(elapsed * part)).toISOString()
        const { body } = await test(tenant, rule_id, `?from=${since}`)
        const fired = (await tenant.call('GET', `/v1/events?from=${since}&impact=negative`)).body
        expect(body.events_matched).toBe(fired.pagination.total)
        expect(body.average_impact).toBe(0)
        for (const { current_score, projected_score } of body.score_changes) {
          expect(projected_score).toBe(current_score)
        }
      },
    ),
    { numRuns: 20 },
  )
})
