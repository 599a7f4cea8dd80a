// A forecast is what then happens: the clock is moved, the worker runs, and the record is compared.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { setSettings } from '../../test/scenario.ts'
import { START, startService, type Tenant } from '../../test/service.ts'
import { create, happen } from '../employees/employees.fixture.ts'
import { DAY, HOUR } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { lastVersions, recordedChanges } from './forecast.fixture.ts'
import { change, DUE_JOBS, get, liveOn, openCompany, randomOf } from './scores.fixture.ts'

const service = await startService()
const acme = await service.tenant()

const forecast = (tenant: Tenant, id: string, query = '') =>
  get(tenant, `/v1/employees/${id}/forecast${query}`)

describe('200', () => {
  it.each([21, 22])('forecast = what then happens, life %i', async seed => {
    service.clock.set(START)
    const company = await openCompany(service)
    const { tenant } = company
    const random = randomOf(seed)
    for (let i = 0; i < 90; i++) await liveOn(service, company, random, DUE_JOBS)
    const versions = await lastVersions(service, tenant)
    const seen = new Map<string, any>()
    for (const { id } of company.people) {
      seen.set(id, await forecast(tenant, id, '?days=200'))
    }
    service.clock.advance(200 * DAY)
    await runDueJobs(service.context, DUE_JOBS)
    let changes = 0
    for (const [id, body] of seen) {
      const happened = await recordedChanges(service, tenant, id, versions.get(id)!)
      expect(body.changes).toEqual(happened)
      changes += happened.length
    }
    expect(changes).toBeGreaterThan(50)
  })

  it('a streak overdue when its period changes comes as forecast', async () => {
    const lag = fc.integer({ min: 0, max: 80 })
    const period = fc.integer({ min: 2, max: 60 })
    const type = fc.constantFrom('sim.link_clicked', 'endpoint.malware_detected', null)
    await fc.assert(
      fc.asyncProperty(
        lag,
        lag,
        period,
        type,
        async (before, after, clean_streak_days, happened) => {
          service.clock.set(START)
          const tenant = await service.tenant()
          const { id, email } = await create(tenant)
          if (happened) await happen(tenant, email, happened)
          // The worker is away, before the change and after it.
          service.clock.advance(before * DAY)
          await setSettings(service, tenant, { clean_streak_days })
          service.clock.advance(after * HOUR)
          const version = (await lastVersions(service, tenant)).get(id)!
          const body = await forecast(tenant, id, '?days=100')
          service.clock.advance(100 * DAY)
          await runDueJobs(service.context, DUE_JOBS)
          expect(body.changes).toEqual(await recordedChanges(service, tenant, id, version))
          const path = `/v1/employees/${id}/events?type=recovery.clean_streak&per_page=100`
          const log = await get(tenant, path)
          const applied = log.data.map((one: any) => one.timestamp).toReversed()
          const foreseen = body.streaks.map((one: any) => one.at)
          expect(foreseen).toEqual(applied)
          if (before >= 30 && !happened)
            expect(applied[0]).toBe(new Date(START + 30 * DAY).toISOString())
        },
      ),
      { numRuns: 25 },
    )
  })

  it('with a supposed event = what happens when it comes', async () => {
    const first = await create(acme)
    const { id, email } = await create(acme)
    await happen(acme, email, 'sim.credential_submitted')
    service.clock.advance(17 * DAY)
    const supposed = await forecast(acme, id, '?days=120&with=endpoint.malware_detected')
    const untouched = await forecast(acme, first.id, '?days=120')
    const version = (await lastVersions(service, acme)).get(id)!
    const event = await happen(acme, email, 'endpoint.malware_detected')
    const { type, ...effect } = supposed.supposed
    expect(type).toBe('endpoint.malware_detected')
    expect(event).toMatchObject(effect)
    service.clock.advance(120 * DAY)
    await runDueJobs(service.context, DUE_JOBS)
    const reason = expect.any(String)
    const happened = await recordedChanges(service, acme, id, version)
    expect(supposed.changes).toEqual(happened.map(one => ({ ...one, reason })))
    expect(supposed.changes.map((one: any) => one.reason)).toContain('event')
    expect(untouched.streaks.length).toBeGreaterThan(2)
  })

  it('names the streaks and the way back', async () => {
    const { id, email } = await create(acme)
    await happen(acme, email, 'endpoint.malware_detected')
    const body = await forecast(acme, id, '?days=90')
    expect(body.streaks.map((one: any) => Date.parse(one.at) - service.clock.now())).toEqual([
      30 * DAY,
      60 * DAY,
      90 * DAY,
    ])
    expect(body.streaks[0]).toMatchObject({ impact: 5, rules_matched: [expect.any(String)] })
    expect(body.back_in_band.map((one: any) => one.band)).toEqual(['orange', 'yellow', 'green'])
    const [orange] = body.back_in_band
    const reached = body.changes.find((one: any) => one.band === 'orange')
    expect(orange).toEqual({ band: 'orange', at: reached.at, date: reached.at.slice(0, 10) })
    expect(body.back_in_band.at(-1)).toEqual({ band: 'green', at: null, date: null })
    expect(body).not.toHaveProperty('supposed')
  })

  it('a rule that cools down does not fire on the supposed event', async () => {
    const { id, email } = await create(acme)
    await happen(acme, email)
    service.clock.advance(HOUR)
    const { supposed, score } = await forecast(acme, id, '?with=sim.link_clicked')
    const again = await happen(acme, email)
    expect(supposed.rules_matched).toEqual(again.rules_matched)
    expect(supposed).toMatchObject({ impact: 0, score_before: score, score_after: score })
  })

  it('nothing moves for an inactive employee', async () => {
    const { id, email } = await create(acme)
    await happen(acme, email)
    await change(acme, id, { status: 'inactive' })
    const body = await forecast(acme, id, '?with=sim.link_clicked')
    expect(body).toMatchObject({ status: 'inactive', changes: [], streaks: [], back_in_band: [] })
    expect(body.supposed).toMatchObject({ impact: 0, score_after: body.score })
  })

  it('reaches 90 days by default and 730 at most', async () => {
    const { id } = await create(acme)
    const length = async (query: string) => {
      const { from, until } = await forecast(acme, id, query)
      return (Date.parse(until) - Date.parse(from)) / DAY
    }
    expect([await length(''), await length('?days=730')]).toEqual([90, 730])
  })
})

describe('400 names', () => {
  it.each([
    ['days=0', 'days'],
    ['days=731', 'days'],
    ['days=1.5', 'days'],
    ['days=soon', 'days'],
    ['days=', 'days'],
    ['with=', 'with'],
    ['with=click', 'with'],
    ['with=sim.*', 'with'],
    ['with=recovery.clean_streak', 'with'],
    ['with=manual.adjustment', 'with'],
    [`with=sim.${'x'.repeat(100)}`, 'with'],
    ['at=2026-03-02', 'at'],
  ])('%s', async (query, path) => {
    const { id } = await create(acme)
    const answer = await acme.call('GET', `/v1/employees/${id}/forecast?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.body.error.details[0].path).toBe(path)
  })
})
