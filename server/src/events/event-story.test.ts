// What the dashboard says of one event and of the rules' activity: what fired, what kept still and why.
import { describe, expect, it } from 'vitest'
import { signIn } from '../../test/people.ts'
import { hire, ingest, recalculate } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'
import { HOUR } from '../platform/clock.ts'
import { listRuleActivity } from './activity.queries.ts'
import { findStoryEvent, listFirings } from './event-story.queries.ts'

const service = await startService()
const { clock } = service
const acme = await service.tenant({ name: 'Acme' })
const other = await service.tenant({ name: 'Other' })
const viewer = await signIn(service, acme.tenant_id, 'viewer')
const stranger = await signIn(service, other.tenant_id)
await hire(service, acme, ['ada@acme.test'])

async function click(email = 'ada@acme.test', at: number | null = null) {
  const [outcome] = await ingest(service, acme, [{ email, type: 'sim.link_clicked', at }])
  if (outcome?.kind !== 'scored') throw new Error('the click was not scored')
  return outcome.event.id
}

/** Logged in anew: the clock may have outlived the session. */
async function story(id: string, browser = viewer) {
  await browser.logIn(browser.email)
  return browser.call('GET', `/admin/events/${id}/story`)
}

describe('the story of an event', () => {
  it('200: names what it gave and the step it took', async () => {
    const { body } = await story(await click())
    expect(body.shares).toEqual([
      {
        rule_id: expect.stringMatching(/^rule_/),
        rule_name: 'Simulated phishing link clicked',
        impact: -25,
        ended_at: null,
        ended_by: null,
      },
    ])
    expect(body.steps).toEqual([
      {
        at: new Date(clock.now()).toISOString(),
        reason: 'event',
        score_before: 75,
        band_before: 'yellow',
        score_after: 50,
        band_after: 'orange',
      },
    ])
    expect([body.cooled_by, body.retraction, body.inert]).toEqual([[], null, false])
  })

  it('200: names the firing a cooldown counts from, and a retraction with its reason', async () => {
    clock.advance(48 * HOUR)
    const first = await click()
    const at = new Date(clock.now()).toISOString()
    clock.advance(HOUR)
    const { body } = await story(await click())
    expect([body.shares, body.steps]).toEqual([[], []])
    expect(body.cooled_by).toEqual([
      { rule_id: expect.any(String), event_id: first, timestamp: at },
    ])
    await acme.call('POST', `/v1/events/${first}/retract`, { reason: 'a mail scanner' })
    const retracted = (await story(first)).body
    expect(retracted.retraction).toBe('a mail scanner')
    expect(retracted.shares[0]).toMatchObject({ ended_by: 'retraction' })
    expect(retracted.steps.map((step: { reason: string }) => step.reason)).toEqual([
      'event',
      'retraction',
    ])
  })

  const causesOf = async (id: string) =>
    (await story(id)).body.cooled_by.map((one: { event_id: string }) => one.event_id)
  const retract = (id: string) =>
    acme.call('POST', `/v1/events/${id}/retract`, { reason: 'a mail scanner' })

  /** Someone new, and a hand that clicks for them so many hours after a first moment, long past. */
  async function clicker(email: string) {
    await hire(service, acme, [email])
    const start = clock.now() - 72 * HOUR
    return (hours: number) => {
      clock.advance(1)
      return click(email, start + hours * HOUR)
    }
  }

  it('200: what fires after an event was judged did not cool it', async () => {
    const at = await clicker('bo@acme.test')
    const [fired, cooled] = [await at(0), await at(20)]
    expect(await causesOf(cooled)).toEqual([fired])
    await at(25)
    expect(await causesOf(cooled)).toEqual([fired])
    await retract(fired)
    expect(await causesOf(cooled)).toEqual([fired])
  })

  it('200: what was retracted before an event came did not cool it', async () => {
    const at = await clicker('cy@acme.test')
    await retract(await at(19))
    const [fired, cooled] = [await at(0), await at(20)]
    expect(await causesOf(cooled)).toEqual([fired])
  })

  it('200: once recalculated, it is what fired before it in the order of time', async () => {
    const at = await clicker('di@acme.test')
    const [late, cooled] = [await at(23), await at(40)]
    const early = await at(2)
    expect(await causesOf(cooled)).toEqual([late])
    expect(await causesOf(early)).toEqual([late])
    clock.advance(HOUR)
    await recalculate(service, acme)
    expect(await causesOf(late)).toEqual([early])
    expect((await story(cooled)).body.cooled_by).toEqual([])
    // What comes after it is judged as it comes, by what lies next to it on either side.
    expect(await causesOf(await at(25))).toEqual([cooled])
  })

  it('200: what comes late, after a recalculation, did not cool what that judged', async () => {
    const at = await clicker('ed@acme.test')
    await at(23)
    const [early, cooled] = [await at(2), await at(24)]
    clock.advance(HOUR)
    await recalculate(service, acme)
    clock.advance(1)
    await retract(early)
    const late = await at(22)
    expect((await story(late)).body.cooled_by).toEqual([])
    expect(await causesOf(cooled)).toEqual([early])
  })

  it('200: a recalculation leaves a retracted event as it was judged before', async () => {
    const at = await clicker('flo@acme.test')
    const [fired, cooled] = [await at(23), await at(40)]
    clock.advance(1)
    await retract(cooled)
    expect(await causesOf(await at(2))).toEqual([fired])
    clock.advance(HOUR)
    await recalculate(service, acme)
    expect(await causesOf(cooled)).toEqual([fired])
  })

  it('200: of thousands of shares it gave, those in force and the latest, a thousand in all', async () => {
    clock.advance(48 * HOUR)
    const id = await click()
    await service.context.db.inTenant(
      acme.tenant_id,
      tx => tx`INSERT INTO shares (tenant_id, employee_id, rule_id, timestamp, event_id, from_version, impact,
          dated_at, to_version, ended_at, ended_by, folded)
        SELECT s.tenant_id, s.employee_id, s.rule_id, s.timestamp, s.event_id, s.from_version + n, n, s.dated_at,
          s.from_version + n + 1, s.dated_at, 'recalculation', false
        FROM shares s, generate_series(1, 3000) n WHERE s.tenant_id = ${acme.tenant_id} AND s.event_id = ${id}`,
    )
    const { shares } = (await story(id)).body
    const impacts = shares.map((one: { impact: number }) => one.impact)
    expect(impacts).toEqual([-25, ...Array.from({ length: 999 }, (_, i) => 2002 + i)])
  })

  it('of thousands of firings of a rule only those next to the event are read', async () => {
    const at = await clicker('gus@acme.test')
    const [fired, cooled] = [await at(20), await at(22)]
    await service.context.db.inTenant(acme.tenant_id, async tx => {
      await tx`INSERT INTO shares (tenant_id, employee_id, rule_id, timestamp, event_id, from_version, impact, dated_at,
          folded)
        SELECT s.tenant_id, s.employee_id, s.rule_id, s.timestamp + (n - 1500.5) * interval '1 minute', 'evt_0' || n,
          s.from_version, 1, s.dated_at, false
        FROM shares s, generate_series(1, 3000) n WHERE s.tenant_id = ${acme.tenant_id} AND s.event_id = ${fired}`
      const event = (await findStoryEvent(tx, acme.tenant_id, cooled))!
      const rules = event.cooling!.map(one => one.rule_id)
      expect(await listFirings(tx, acme.tenant_id, event, rules, null)).toHaveLength(2)
      expect(
        await listFirings(tx, acme.tenant_id, event, rules, new Date(clock.now())),
      ).toHaveLength(1)
    })
    expect(await causesOf(cooled)).toHaveLength(1)
  })

  it("404: another tenant's event is not there", async () => {
    expect((await story(await click(), stranger)).status).toBe(404)
  })

  it('401: a key does not reach it', async () => {
    expect((await acme.call('GET', '/admin/events/evt_1/story')).status).toBe(401)
  })
})

describe("the rules' activity", () => {
  it('200: counts what still counts of the last 30 days, nothing retracted, and people once', async () => {
    const fresh = await service.tenant({ name: 'Fresh' })
    const browser = await signIn(service, fresh.tenant_id, 'analyst')
    await hire(service, fresh, ['a@fresh.test', 'b@fresh.test'])
    const at = clock.now()
    const type = 'training.completed'
    await ingest(service, fresh, [
      { email: 'a@fresh.test', type, at: at - 31 * 24 * HOUR },
      { email: 'a@fresh.test', type, at: at - 3 * 24 * HOUR },
      { email: 'a@fresh.test', type, at: at - HOUR },
      { email: 'b@fresh.test', type, at: at - HOUR },
      { email: 'b@fresh.test', type, at: at - 5 * 24 * HOUR },
    ])
    const { body: sent } = await fresh.call('GET', '/v1/events?sort=timestamp&order=asc')
    const reason = 'sent by mistake'
    await fresh.call('POST', `/v1/events/${sent.data[1].id}/retract`, { reason })
    const { body } = await browser.call('GET', '/admin/rules/activity')
    expect(body).toEqual({
      days: 30,
      most: 10_000,
      data: [{ rule_id: expect.any(String), fired: 3, people: 2, effect: 45 }],
    })
  })

  it('200: of a rule that fired very often only the latest firings are counted, of others all', async () => {
    const fresh = await service.tenant({ name: 'Busy' })
    await hire(service, fresh, ['a@busy.test'])
    await ingest(service, fresh, [{ email: 'a@busy.test', type: 'training.completed' }])
    const [often, rarely] = (await fresh.call('GET', '/v1/rules')).body.data.filter(
      (rule: { event_type: string }) => rule.event_type !== 'training.completed',
    )
    const { db } = service.context
    const fire = (rule_id: string, times: number) =>
      db.inTenant(
        fresh.tenant_id,
        tx => tx`INSERT INTO shares (tenant_id, employee_id, rule_id, timestamp, event_id, from_version, impact, dated_at,
            folded)
          SELECT ${fresh.tenant_id}, 'emp_' || n % 10, ${rule_id}, t.at, 'evt_' || n, 1,
            CASE WHEN n > 500 THEN -100 ELSE -1 END, t.at, false
          FROM generate_series(1, ${times}) n
          CROSS JOIN LATERAL (SELECT ${new Date(clock.now())}::timestamptz - n * interval '2 minutes' AS at) t`,
      )
    await fire(often.id, 1500)
    await fire(rarely.id, 400)
    const from = clock.now() - 30 * 24 * HOUR
    const data = await db.inTenant(fresh.tenant_id, tx =>
      listRuleActivity(tx, fresh.tenant_id, from, 500),
    )
    const of = (id: string) => data.find(one => one.rule_id === id)
    expect(of(often.id)).toMatchObject({ fired: 500, people: 10, effect: -500 })
    expect(of(rarely.id)).toMatchObject({ fired: 400, people: 10, effect: -400 })
    expect(data).toHaveLength(3)
  })
})
