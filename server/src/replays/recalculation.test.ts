// Recalculation: equals a fresh database, loses nothing to live events, survives a kill, and keeps to its limits.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkBooks,
  days,
  type EventRecord,
  type Happening,
  hire,
  ingest,
  readHistory,
  readLog,
  readStandings,
  recalculate,
  runJobs,
  setSettings,
} from '../../test/scenario.ts'
import { START, startService, type Tenant } from '../../test/service.ts'
import { type Standing, stateAt } from '../employees/standing.ts'
import { type Adjustment, adjustScore } from '../events/adjust-score.ts'
import { applyDueChangesJob } from '../events/apply-due-changes.job.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { HOUR } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { readScoringBasis } from '../tenants/scoring-basis.ts'
import { replayJobsJob } from './run-replay-jobs.job.ts'

const service = await startService()

const origin = operatorOrigin()

const adjust = ({ tenant_id }: Tenant, now: number, given: Adjustment) =>
  service.context.db.inTenant(tenant_id, tx => adjustScore(tx, { tenant_id, origin, now }, given))

const RULES = [
  { event_type: 'custom.a', impact: -12, cooldown: '24h' },
  { event_type: 'custom.a', impact: -3, priority: 50 },
  { event_type: 'custom.*', impact: 4, conditions: { good: true }, priority: 300, exclusive: true },
  { event_type: 'custom.b', impact: 6, cooldown: '3d' },
]

async function addRules(tenant: Tenant, rules: readonly object[]) {
  const ids: string[] = []
  for (const rule of rules) {
    const fields = { name: `Own rule ${ids.length}`, category: 'custom', ...rule }
    const { body, status } = await tenant.call('POST', '/v1/rules', fields)
    expect(status).toBe(201)
    ids.push(body.id)
  }
  return ids
}

/** A database that is fed the same inputs in order of time, when all of them are past. */
async function feedFresh(log: readonly EventRecord[], rules: readonly object[], change = {}) {
  const fresh = await service.tenant()
  await addRules(fresh, rules)
  if (Object.keys(change).length > 0) await setSettings(service, fresh, change)
  const emails = [...new Set(log.map(event => event.email))]
  const people = await hire(service, fresh, emails)
  let waiting: Happening[] = []
  const feed = async () => {
    if (waiting.length > 0) await ingest(service, fresh, waiting)
    waiting = []
  }
  for (const event of log) {
    if (event.retracted_at || event.inert) continue
    const { email, type, source, details, impact } = event
    const at = event.timestamp.getTime()
    if (type !== 'manual.adjustment') {
      waiting.push({ email, type, source, details, at })
      continue
    }
    await feed()
    const given = { employee_id: people[emails.indexOf(email)]!, impact, reason: 'same' }
    await adjust(fresh, at, given)
  }
  await feed()
  return fresh
}

/** Scores, sums, impacts and rules of the active ones; rules by name, since ids differ. */
async function describeScores(tenant: Tenant, only: ReadonlySet<string>) {
  const { body } = await tenant.call('GET', '/v1/rules?per_page=100')
  const names = new Map(body.data.map((rule: any) => [rule.id, rule.name]))
  const round = (x: number) => Math.round(x * 1e6) / 1e6 + 0
  const { tenant_id } = tenant
  const basis = await service.context.db.inTenant(tenant_id, tx => readScoringBasis(tx, tenant_id))
  const standings = (await readStandings(service, tenant)).filter(one => only.has(one.email))
  const log = (await readLog(service, tenant)).filter(
    one => only.has(one.email) && !one.retracted_at && !one.inert,
  )
  return {
    people: standings.map(standing => {
      const { email, score } = standing
      const state = stateAt(standing, basis, service.clock.now())
      return { email, score, risk: round(state.risk), recovery: round(state.recovery) }
    }),
    events: log
      .map(({ email, type, timestamp, impact, rules_matched }) => {
        const rules = rules_matched.map(id => names.get(id))
        return JSON.stringify([email, timestamp.getTime(), type, impact, rules])
      })
      .sort(),
  }
}

async function activeOnes(tenant: Tenant): Promise<Set<string>> {
  const standings = await readStandings(service, tenant)
  return new Set(standings.filter(one => one.status === 'active').map(one => one.email))
}

/** The job alone: what falls due afterwards would be an input the other database has not seen. */
async function recalculateOnly(tenant: Tenant) {
  const asked = await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })
  expect(asked.status).toBe(202)
  await runDueJobs(service.context, [replayJobsJob()])
  return (await tenant.call('GET', asked.headers.location as string)).body
}

const action = fc.record({
  hours: fc.integer({ min: 0, max: 200 }),
  who: fc.integer({ min: 0, max: 2 }),
  what: fc.constantFrom('a', 'a', 'a', 'b', 'good', 'late', 'adjust', 'leave', 'return', 'retract'),
  late: fc.integer({ min: 1, max: 400 }),
})
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

const EMAILS = ['a@x.com', 'b@x.com', 'c@x.com']

async function act(tenant: Tenant, people: string[], { hours, who, what, late }: Action) {
  service.clock.advance(hours * HOUR)
  const email = EMAILS[who]!
  const now = service.clock.now()
  const happen = (type: string, at: number | null = null, details = {}) =>
    ingest(service, tenant, [{ email, type, at, details }])
  if (what === 'a' || what === 'b') return happen(`custom.${what}`)
  if (what === 'good') return happen('custom.a', null, { good: true })
  if (what === 'late') return happen('custom.a', now - late * HOUR)
  const employee_id = people[who]!
  if (what === 'leave' || what === 'return') {
    const status = what === 'leave' ? 'inactive' : 'active'
    return tenant.call('PATCH', `/v1/employees/${employee_id}`, { status })
  }
  if (what === 'retract') {
    const own = (await readLog(service, tenant)).filter(one => one.email === email)
    const last = own.findLast(one => one.type.startsWith('custom.'))
    if (last) await tenant.call('POST', `/v1/events/${last.event_id}/retract`, { reason: 'x' })
    return
  }
  const given = { employee_id, impact: (late % 19) - 12 || 3, reason: 'same' }
  await adjust(tenant, now, given).catch(error => expect(error.status).toBe(409))
}

describe('recalculation', () => {
  it('equals a fresh database fed the same inputs in order of time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { minLength: 5, maxLength: 30 }),
        fc.constantFrom({}, { half_life_days: 30 }, { starting_score: 60, recovery_cap: 10 }),
        fc.integer({ min: -20, max: 10 }),
        async (actions, change, impact) => {
          service.clock.set(START)
          const tenant = await service.tenant()
          const people = await hire(service, tenant, EMAILS)
          const ids = await addRules(tenant, RULES)
          for (const one of actions) await act(tenant, people, one)
          await tenant.call('PATCH', `/v1/rules/${ids[0]}`, { impact })
          if (Object.keys(change).length > 0) await setSettings(service, tenant, change)
          await runDueJobs(service.context, [replayJobsJob()])
          const job = await recalculateOnly(tenant)
          expect(job.status).toBe('completed')
          await checkBooks(service, tenant)
          const log = await readLog(service, tenant)
          const rules = [{ ...RULES[0], impact }, ...RULES.slice(1)]
          const fresh = await feedFresh(log, rules, change)
          const present = await activeOnes(tenant)
          const those = new Set(log.map(one => one.email).filter(email => present.has(email)))
          expect(await describeScores(tenant, those)).toEqual(await describeScores(fresh, those))
          const again = await recalculateOnly(tenant)
          expect(again.scores_changed).toBe(0)
        },
      ),
      { numRuns: 12 },
    )
  })

  it('writes nothing where nothing changes, and ends shares where something does', async () => {
    service.clock.set(START)
    const tenant = await service.tenant()
    await hire(service, tenant, ['a@x.com', 'b@x.com'])
    const [rule_id] = await addRules(tenant, [{ event_type: 'custom.a', impact: -10 }])
    await ingest(service, tenant, [{ email: 'a@x.com', type: 'custom.a' }])
    service.clock.advance(days(1))
    await runJobs(service)
    const before = await readHistory(service, tenant, 'a@x.com')
    const same = await recalculate(service, tenant)
    expect(same).toMatchObject({ employees_total: 2, employees_processed: 2, scores_changed: 0 })
    expect(await readHistory(service, tenant, 'a@x.com')).toHaveLength(before.length)
    await tenant.call('PATCH', `/v1/rules/${rule_id}`, { impact: -30 })
    const changed = await recalculate(service, tenant)
    expect(changed.scores_changed).toBe(1)
    const last = (await readHistory(service, tenant, 'a@x.com')).at(-1)!
    expect(last).toMatchObject({
      reason: 'recalculation',
      trigger_event: 'recalculation',
      score: 45,
      at: new Date(service.clock.now()),
    })
    const shares = await service.context.db.inTenant(
      tenant.tenant_id,
      tx => tx`SELECT impact, from_version, to_version, ended_at, ended_by FROM shares
        WHERE tenant_id = ${tenant.tenant_id} ORDER BY from_version`,
    )
    expect([...shares]).toEqual([
      {
        impact: -10,
        from_version: 2,
        to_version: last.version,
        ended_at: last.at,
        ended_by: 'recalculation',
      },
      { impact: -30, from_version: last.version, to_version: null, ended_at: null, ended_by: null },
    ])
    const { body } = await tenant.call('GET', '/v1/events?impact=negative')
    expect(body.data[0]).toMatchObject({ impact: -30, rules_matched: [rule_id] })
    await checkBooks(service, tenant)
  })

  it('takes events of one millisecond in the order in which they came', async () => {
    service.clock.set(START)
    const tenant = await service.tenant()
    await addRules(tenant, [
      { event_type: 'custom.*', impact: -10, cooldown: '24h', priority: 300, exclusive: true },
      { event_type: 'custom.b', impact: -7 },
    ])
    const names = Array.from({ length: 16 }, (_, i) => `p${i}@x.com`)
    await hire(service, tenant, [...names, ...names.map(name => `other-${name}`)])
    service.clock.advance(days(31))
    // Between the two events of each person somebody else's streak is made up for.
    const events = names.flatMap(email => [
      { email, type: 'custom.a' },
      { email: `other-${email}`, type: 'custom.c' },
      { email, type: 'custom.b' },
    ])
    await ingest(service, tenant, events)
    const before = await readLog(service, tenant)
    expect(await recalculate(service, tenant)).toMatchObject({ scores_changed: 0 })
    expect(await readLog(service, tenant)).toEqual(before)
  })

  it('gives the shares of an event anew where its rules change but not their sum', async () => {
    service.clock.set(START)
    const tenant = await service.tenant()
    const { tenant_id } = tenant
    await hire(service, tenant, ['a@x.com'])
    const event_type = 'custom.a'
    const rules = [-10, -4, -1].map(impact => ({ event_type, impact }))
    const [first, second, third] = await addRules(tenant, rules)
    await ingest(service, tenant, [{ email: 'a@x.com', type: event_type }])
    await tenant.call('PATCH', `/v1/rules/${first}`, { impact: -6 })
    await tenant.call('PATCH', `/v1/rules/${second}`, { impact: -8 })
    expect(await recalculate(service, tenant)).toMatchObject({ scores_changed: 0 })
    const shares = await service.context.db.inTenant(
      tenant_id,
      tx => tx`SELECT rule_id, impact, from_version FROM shares
        WHERE tenant_id = ${tenant_id} AND to_version IS NULL ORDER BY rule_id`,
    )
    expect([...shares]).toEqual([
      { rule_id: first, impact: -6, from_version: 3 },
      { rule_id: second, impact: -8, from_version: 3 },
      { rule_id: third, impact: -1, from_version: 2 },
    ])
    await checkBooks(service, tenant)
  })

  it('tells anew until when a rule cools, also where nothing else of the event changes', async () => {
    service.clock.set(START)
    const tenant = await service.tenant()
    await hire(service, tenant, ['a@x.com'])
    const [rule_id] = await addRules(tenant, [
      { event_type: 'custom.a', impact: -8, cooldown: '2d' },
    ])
    const click = (at: number) => ({ email: 'a@x.com', type: 'custom.a', at })
    await ingest(service, tenant, [click(START - days(1)), click(START)])
    await tenant.call('PATCH', `/v1/rules/${rule_id}`, { cooldown: '3d' })
    await recalculate(service, tenant)
    const { body } = await tenant.call('GET', '/v1/events?per_page=1')
    const { body: shown } = await tenant.call('GET', `/v1/events/${body.data[0].id}`)
    const until = new Date(START + days(2)).toISOString()
    expect(shown).toMatchObject({ impact: 0, rules_cooling: [{ rule_id, until }] })
  })

  it('takes carried sums and folded firings as they are', async () => {
    service.clock.set(START)
    const tenant = await service.tenant()
    await hire(service, tenant, ['a@x.com'])
    await addRules(tenant, [{ event_type: 'custom.a', impact: -8, cooldown: '30d' }])
    const [first] = await ingest(service, tenant, [{ email: 'a@x.com', type: 'custom.a' }])
    if (first?.kind !== 'scored') throw new Error('not scored')
    service.clock.advance(days(20))
    await runJobs(service)
    await ingest(service, tenant, [{ email: 'a@x.com', type: 'custom.a' }])
    const { tenant_id } = tenant
    // What retention does: the event goes, its share is folded into the carried sums.
    await service.context.db.inTenant(tenant_id, async tx => {
      await tx`DELETE FROM events WHERE tenant_id = ${tenant_id} AND event_id = ${first.event.id}`
      await tx`UPDATE shares SET folded = true WHERE tenant_id = ${tenant_id} AND event_id = ${first.event.id}`
      await tx`UPDATE employee_states SET carried_risk = -8, carried_as_of = ${new Date(START)}
        WHERE tenant_id = ${tenant_id}`
      await tx`DELETE FROM event_count_entries WHERE tenant_id = ${tenant_id} AND impacts <> '{0}'`
    })
    await recalculate(service, tenant)
    const [standing] = await readStandings(service, tenant)
    // The second event is still silenced by the removed first one.
    const worth = (standing: Standing, half_life_days: number) => {
      const elapsed = service.clock.now() - standing.state.as_of
      return standing.state.risk * 2 ** (-elapsed / days(half_life_days))
    }
    expect(worth(standing!, 90)).toBeCloseTo(-8 * 2 ** (-20 / 90), 6)
    expect(standing!.last_negative_at).toBe(START)
    await checkBooks(service, tenant)
    await setSettings(service, tenant, { half_life_days: 10 })
    await runJobs(service)
    service.clock.advance(days(10))
    await runJobs(service)
    const [later] = await readStandings(service, tenant)
    // 20 days at the old half-life, then ten at the new one.
    expect(worth(later!, 10)).toBeCloseTo(-8 * 2 ** (-20 / 90) * 2 ** (-10 / 10), 6)
    await checkBooks(service, tenant)
  })

  it('covers one department by where people are when their turn comes', async () => {
    service.clock.set(START)
    const tenant = await service.tenant()
    const [sam] = await hire(service, tenant, ['s@x.com'], 'Sales')
    await hire(service, tenant, ['f@x.com'], 'Finance')
    const [rule_id] = await addRules(tenant, [{ event_type: 'custom.a', impact: -10 }])
    await ingest(service, tenant, [
      { email: 's@x.com', type: 'custom.a' },
      { email: 'f@x.com', type: 'custom.a' },
    ])
    await tenant.call('PATCH', `/v1/rules/${rule_id}`, { impact: -20 })
    const job = await recalculate(service, tenant, { department: 'Finance' })
    expect(job).toMatchObject({
      scope: { department: 'Finance' },
      dry_run: false,
      employees_total: 1,
    })
    const scores = async () => (await readStandings(service, tenant)).map(one => one.score)
    expect(await scores()).toEqual([55, 65])
    const asked = await tenant.call('POST', '/v1/rules/recalculate', { scope: 'department:Sales' })
    await tenant.call('PATCH', `/v1/employees/${sam}`, { department: 'Legal' })
    await runJobs(service)
    expect((await tenant.call('GET', asked.headers.location as string)).body).toMatchObject({
      status: 'completed',
      employees_processed: 0,
    })
    expect(await scores()).toEqual([55, 65])
  })

  it('neither loses nor doubles events that come in while it runs', async () => {
    service.clock.set(START)
    const tenant = await service.tenant()
    const emails = Array.from({ length: 24 }, (_, i) => `e${String(i).padStart(2, '0')}@x.com`)
    await hire(service, tenant, emails)
    const ids = await addRules(tenant, RULES)
    const burst = async (round: number) => {
      const some = emails.filter((_, i) => (i * 7 + round) % 3 === 0)
      const type = round % 4 === 3 ? 'custom.b' : 'custom.a'
      await ingest(
        service,
        tenant,
        some.map(email => ({ email, type })),
      )
    }
    for (let round = 0; round < 6; round++) {
      service.clock.advance(9 * HOUR)
      await burst(round)
    }
    await tenant.call('PATCH', `/v1/rules/${ids[0]}`, { impact: -7, cooldown: '12h' })
    const asked = await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })
    const workers = [replayJobsJob(SLOW), replayJobsJob(SLOW)]
    let rounds = 0
    for (let open = true; open; rounds++) {
      service.clock.advance(HOUR)
      const runs = workers.map(worker => worker.run(service.context))
      await Promise.all([...runs, burst(rounds), burst(rounds + 1)])
      const { body } = await tenant.call('GET', asked.headers.location as string)
      open = body.status !== 'completed'
    }
    expect(rounds).toBeGreaterThan(3)
    await checkBooks(service, tenant)
    const rules = [{ ...RULES[0], impact: -7, cooldown: '12h' }, ...RULES.slice(1)]
    const log = await readLog(service, tenant)
    const recorded = await service.context.db.inTenant(
      tenant.tenant_id,
      tx => tx`SELECT count(*) AS n FROM score_history
        WHERE tenant_id = ${tenant.tenant_id} AND reason = 'recalculation' GROUP BY employee_id`,
    )
    expect(recorded.every(row => row.n === 1)).toBe(true)
    await runDueJobs(service.context, [applyDueChangesJob()])
    const fresh = await feedFresh(log, rules)
    const those = new Set(emails)
    expect(await describeScores(tenant, those)).toEqual(await describeScores(fresh, those))
  })
})

const SLOW = { pieces: 1, events: 12, most_employees: 3, first_employees: 3 }
