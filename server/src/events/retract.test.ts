// Retraction of one event: what is left of it, of the score, and of everything kept beside them.
import { describe, expect, it } from 'vitest'
import { signIn } from '../../test/people.ts'
import {
  checkBooks,
  days,
  hire,
  ingest,
  readHistory,
  readLog,
  readStandings,
  recalculate,
  runJobs,
} from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { adjustScore } from './adjust-score.ts'

const service = await startService()
const acme = await service.tenant()

let people = 0
async function somebody() {
  const email = `r${++people}@example.com`
  const [employee_id] = await hire(service, acme, [email])
  return { email, employee_id: employee_id! }
}

async function click(email: string, at: number | null = null) {
  const [outcome] = await ingest(service, acme, [{ email, type: 'sim.link_clicked', at }])
  if (outcome?.kind !== 'scored') throw new Error('not scored')
  return outcome.event
}

const retract = (id: string, reason: unknown = 'a mail scanner') =>
  acme.call('POST', `/v1/events/${id}/retract`, { reason })

async function standingOf(email: string) {
  return (await readStandings(service, acme)).find(one => one.email === email)!
}

function adjust(employee_id: string, impact: number, reason = 'audit') {
  const { tenant_id } = acme
  const asked = { tenant_id, origin: operatorOrigin(), now: service.clock.now() }
  return service.context.db.inTenant(tenant_id, tx =>
    adjustScore(tx, asked, { employee_id, impact, reason }),
  )
}

describe('POST /v1/events/:id/retract', () => {
  it('200 keeps the event, gives the score back, and tells why', async () => {
    const { email } = await somebody()
    const event = await click(email)
    expect(event).toMatchObject({ score_before: 75, impact: -25, score_after: 50 })
    service.clock.advance(days(1))
    const answer = await retract(event.id)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      id: event.id,
      impact: -25,
      current_impact: 0,
      rules_matched: event.rules_matched,
      reason: 'a mail scanner',
      score_before: 50,
      score_after: 75,
      retracted_at: new Date(service.clock.now()).toISOString(),
    })
    const shown = await acme.call('GET', `/v1/events/${event.id}`)
    expect(shown.body).toMatchObject({ impact: -25, current_impact: 0 })
    expect(shown.body.retraction_reason).toBe('a mail scanner')
    expect(shown.body.retracted_at).toBe(answer.body.retracted_at)
    const last = (await readHistory(service, acme, email)).at(-1)
    expect(last).toMatchObject({
      reason: 'retraction',
      trigger_event: 'sim.link_clicked',
      event_id: event.id,
      score: 75,
      risk: 0,
      actor: `key:${acme.key_id}`,
    })
    await checkBooks(service, acme)
  })

  it('200 leaves what the event had silenced as it was, but cools nothing any more', async () => {
    const { email } = await somebody()
    const first = await click(email)
    service.clock.advance(1000)
    const silenced = await click(email)
    expect([first.impact, silenced.impact]).toEqual([-25, 0])
    await retract(first.id)
    expect((await standingOf(email)).score).toBe(75)
    service.clock.advance(1000)
    expect((await click(email)).impact).toBe(-25)
    await checkBooks(service, acme)
  })

  it('200 moves an overdue streak to its own day, in a row after the retraction', async () => {
    const { email } = await somebody()
    const hired = service.clock.now()
    service.clock.advance(days(20))
    const event = await click(email)
    service.clock.advance(days(15))
    await runJobs(service)
    await retract(event.id)
    const retracted_at = service.clock.now()
    expect((await standingOf(email)).streak_due_at).toBe(hired + days(30))
    await runJobs(service)
    const [streak] = (await readLog(service, acme)).filter(
      row => row.email === email && row.type === 'recovery.clean_streak',
    )
    expect(streak!.timestamp.getTime()).toBe(hired + days(30))
    const history = await readHistory(service, acme, email)
    const row = history.find(one => one.event_id === streak!.event_id)!
    expect(row.at.getTime()).toBe(retracted_at)
    expect(history.map(one => one.at.getTime())).toEqual(
      history.map(one => one.at.getTime()).toSorted((a, b) => a - b),
    )
    await checkBooks(service, acme)
  })

  it('200 applies what fell due before it, each change at its own instant', async () => {
    const { email } = await somebody()
    const event = await click(email)
    service.clock.advance(days(10))
    const answer = await retract(event.id)
    const history = await readHistory(service, acme, email)
    expect(history.slice(2).map(row => [row.reason, row.score])).toEqual([
      ['decay', 51],
      ['decay', 52],
      ['retraction', 75],
    ])
    expect(answer.body).toMatchObject({ score_before: 52, score_after: 75 })
    await checkBooks(service, acme)
  })

  it('200 ends what a recalculation has given, and leaves alone what it had ended', async () => {
    const { email } = await somebody()
    const written = { name: 'Door', event_type: 'custom.door', category: 'custom', impact: -20 }
    const rule = await acme.call('POST', '/v1/rules', written)
    await click(email)
    const [outcome] = await ingest(service, acme, [{ email, type: 'custom.door' }])
    const { id } = (outcome as { event: { id: string } }).event
    await acme.call('PATCH', `/v1/rules/${rule.body.id}`, { impact: -5 })
    await recalculate(service, acme)
    const answer = await retract(id)
    expect(answer.body).toMatchObject({ score_before: 45, score_after: 50 })
    const { tenant_id } = acme
    const shares = await service.context.db.inTenant(
      tenant_id,
      tx => tx`SELECT impact, ended_by FROM shares WHERE tenant_id = ${tenant_id} AND event_id = ${id}
        ORDER BY from_version`,
    )
    expect(shares).toMatchObject([
      { impact: -20, ended_by: 'recalculation' },
      { impact: -5, ended_by: 'retraction' },
    ])
    await checkBooks(service, acme)
  })

  it('200 counts a streak from the last negative event that is left, retracted ones aside', async () => {
    const { email } = await somebody()
    const hired = service.clock.now()
    const clicks = [2, 4, 6].map(n => click(email, hired - days(10 - n)))
    const [first, second, third] = await Promise.all(clicks)
    await ingest(service, acme, [{ email, type: 'other.nothing', at: hired - days(1) }])
    await retract(second!.id)
    await retract(third!.id)
    expect((await standingOf(email)).last_negative_at).toBe(hired - days(8))
    await retract(first!.id)
    expect((await standingOf(email)).last_negative_at).toBeNull()
    await checkBooks(service, acme)
  })

  it('200 changes the state of an inactive employee, not the frozen score', async () => {
    const { email, employee_id } = await somebody()
    const event = await click(email)
    service.clock.advance(days(1))
    await acme.call('PATCH', `/v1/employees/${employee_id}`, { status: 'inactive' })
    const frozen = (await standingOf(email)).score
    service.clock.advance(days(1))
    const answer = await retract(event.id)
    expect(answer.body).toMatchObject({ score_before: frozen, score_after: frozen })
    expect(await standingOf(email)).toMatchObject({ score: frozen, state: { risk: 0 } })
    await checkBooks(service, acme)
    await acme.call('PATCH', `/v1/employees/${employee_id}`, { status: 'active' })
    expect((await standingOf(email)).score).toBe(75)
    await checkBooks(service, acme)
  })

  it('200 marks an event without effect and one recorded while inactive', async () => {
    const { email, employee_id } = await somebody()
    const [nothing] = await ingest(service, acme, [{ email, type: 'custom.unknown' }])
    await acme.call('PATCH', `/v1/employees/${employee_id}`, { status: 'inactive' })
    const inert = await click(email)
    for (const outcome of [nothing!, { kind: 'scored', event: inert } as const]) {
      if (outcome.kind !== 'scored') throw new Error('not scored')
      expect((await retract(outcome.event.id)).status).toBe(200)
    }
    const rows = (await readHistory(service, acme, email)).map(row => row.reason)
    expect(rows).toEqual(['created', 'deactivation'])
    await checkBooks(service, acme)
  })

  it('200 answers a repeated Idempotency-Key with the first answer', async () => {
    const { email } = await somebody()
    const { id } = await click(email)
    const headers = { 'idempotency-key': 'once-1' }
    const path = `/v1/events/${id}/retract`
    const first = await acme.call('POST', path, { reason: 'scanner' }, headers)
    const again = await acme.call('POST', path, { reason: 'scanner' }, headers)
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.body).toEqual(first.body)
  })

  it('409 the second time, also of two at once', async () => {
    const { email } = await somebody()
    const { id } = await click(email)
    const both = await Promise.all([retract(id), retract(id)])
    expect(both.map(one => one.status).sort()).toEqual([200, 409])
    expect((await retract(id)).body.error.code).toBe('CONFLICT')
    await checkBooks(service, acme)
  })

  it('409 for a clean streak, which nobody reported', async () => {
    const { email } = await somebody()
    service.clock.advance(days(31))
    await runJobs(service)
    const streak = (await readLog(service, acme)).find(
      row => row.email === email && row.type === 'recovery.clean_streak',
    )!
    const answer = await retract(streak.event_id)
    expect([answer.status, answer.body.error.code]).toEqual([409, 'CONFLICT'])
  })

  it('403 for a manual adjustment by who may not make one; an admin takes it back', async () => {
    const { email, employee_id } = await somebody()
    const given = await adjust(employee_id, -10)
    expect(given).toMatchObject({ score_before: 75, score_after: 65, rules_matched: [] })
    expect((await retract(given.id)).status).toBe(403)
    const path = `/v1/events/${given.id}/retract`
    const analyst = await signIn(service, acme.tenant_id, 'analyst')
    expect((await analyst.call('POST', path, { reason: 'mistaken' })).status).toBe(403)
    expect((await standingOf(email)).score).toBe(65)
    const admin = await signIn(service, acme.tenant_id, 'admin')
    expect((await admin.call('POST', path, { reason: 'mistaken' })).status).toBe(200)
    expect((await standingOf(email)).score).toBe(75)
    await checkBooks(service, acme)
  })

  it.each([
    [{}, 'reason'],
    [{ reason: '' }, 'reason'],
    [{ reason: '  ' }, 'reason'],
    [{ reason: 'x'.repeat(501) }, 'reason'],
    [{ reason: 7 }, 'reason'],
    [{ reason: 'ok', force: true }, 'force'],
  ])('400 refuses %j by name', async (body, path) => {
    const answer = await acme.call('POST', '/v1/events/evt_x/retract', body)
    expect(answer.status).toBe(400)
    expect(answer.body.error.details[0].path).toBe(path)
  })

  it("404 for an unknown event and for another tenant's, which stays as it was", async () => {
    const other = await service.tenant()
    const { email } = await somebody()
    const { id } = await click(email)
    const answer = await other.call('POST', `/v1/events/${id}/retract`, { reason: 'x' })
    expect([answer.status, (await retract('evt_none')).status]).toEqual([404, 404])
    expect((await acme.call('GET', `/v1/events/${id}`)).body.retracted_at).toBeUndefined()
  })
})

describe('manual adjustment', () => {
  it('is an event with reason and author that no rule touches, and ends a streak when negative', async () => {
    const { email, employee_id } = await somebody()
    service.clock.advance(days(10))
    const { id } = await adjust(employee_id, -7)
    const shown = await acme.call('GET', `/v1/events/${id}`)
    expect(shown.body).toMatchObject({
      type: 'manual.adjustment',
      source: 'dashboard',
      impact: -7,
      rules_matched: [],
      details: { reason: 'audit', author: expect.stringMatching(/^operator/) },
    })
    const standing = await standingOf(email)
    expect(standing.streak_due_at).toBe(service.clock.now() + days(30))
    expect((await readHistory(service, acme, email)).at(-1)).toMatchObject({
      reason: 'adjustment',
      trigger_event: 'manual.adjustment',
      score: 68,
    })
    await checkBooks(service, acme)
  })
})
