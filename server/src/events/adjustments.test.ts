// Adjusting a score by hand: who may, what it needs, and that no key or app can reach it.
import { describe, expect, it } from 'vitest'
import { PASSWORD, signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { MINUTE } from '../platform/clock.ts'

const service = await startService()
const tenant = await service.tenant()
const { call, tenant_id } = tenant

let people = 0
async function hire() {
  const email = `person${++people}@example.com`
  const person = { email, first_name: 'A', last_name: 'B' }
  return (await call('POST', '/v1/employees', person)).body
}

const body = { impact: -12, reason: 'Badge lent to a visitor' }
const path = (id: string) => `/admin/employees/${id}/adjustments`

describe('201', () => {
  it.each(['admin', 'owner'] as const)('an %s adjusts, with author and reason kept', async role => {
    const { id, score } = await hire()
    const person = await signIn(service, tenant_id, role)
    const answer = await person.call('POST', path(id), body)
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      type: 'manual.adjustment',
      impact: -12,
      score_before: score,
      score_after: score - 12,
      rules_matched: [],
    })
    const event = (await call('GET', `/v1/events/${answer.body.id}`)).body
    expect(event).toMatchObject({
      source: 'dashboard',
      details: { reason: body.reason, author: `user:${person.user_id}` },
    })
    const trail = (await call('GET', `/v1/audit?subject_id=${id}&action=score.adjusted`)).body
    expect(trail.data[0]).toMatchObject({
      actor: { kind: 'user', id: person.user_id },
      after: { impact: -12, reason: body.reason },
    })
  })
})

describe('201, asked for again', () => {
  it('with the same Idempotency-Key nothing is adjusted a second time', async () => {
    const { id, score } = await hire()
    const person = await signIn(service, tenant_id, 'admin')
    const ask = () => person.call('POST', path(id), body, { 'idempotency-key': 'lost' })
    const first = await ask()
    expect(first.status).toBe(201)
    expect((await ask()).body).toEqual(first.body)
    expect((await call('GET', `/v1/employees/${id}`)).body.score).toBe(score - 12)
  })
})

describe('400', () => {
  it('without a real reason, and with a number that is none', async () => {
    const { id } = await hire()
    const admin = await signIn(service, tenant_id, 'admin')
    const refused = [
      { ...body, reason: 'too short' },
      { ...body, reason: ' '.repeat(20) },
      { ...body, impact: 0 },
      { ...body, impact: 101 },
      { ...body, impact: -101 },
      { ...body, impact: 1.5 },
      { impact: 5 },
      { ...body, score: 50 },
    ]
    for (const one of refused) {
      const answer = await admin.call('POST', path(id), one)
      expect(answer.status, JSON.stringify(one)).toBe(400)
    }
    expect((await call('GET', `/v1/employees/${id}`)).body.last_event_at).toBeNull()
  })
})

describe('401 and 403', () => {
  it('a key with every scope cannot reach it', async () => {
    const { id } = await hire()
    expect((await call('POST', path(id), body)).status).toBe(401)
  })

  it.each(['analyst', 'viewer'] as const)('an %s may not', async role => {
    const { id } = await hire()
    const person = await signIn(service, tenant_id, role)
    expect((await person.call('POST', path(id), body)).status).toBe(403)
  })
})

describe('404 and 409', () => {
  it('somebody of another tenant does not exist; somebody inactive is frozen', async () => {
    const admin = await signIn(service, tenant_id, 'admin')
    const other = await service.tenant()
    const stranger = (
      await other.call('POST', '/v1/employees', {
        email: 'a@b.example',
        first_name: 'A',
        last_name: 'B',
      })
    ).body
    expect((await admin.call('POST', path(stranger.id), body)).status).toBe(404)
    const { id } = await hire()
    await call('PATCH', `/v1/employees/${id}`, { status: 'inactive' })
    expect((await admin.call('POST', path(id), body)).status).toBe(409)
  })

  it('somebody erased is nobody any more: only the numbers are left', async () => {
    const admin = await signIn(service, tenant_id, 'admin')
    const { id, score } = await hire()
    await call('POST', `/v1/employees/${id}/erase`, { confirm: 'erase' })
    expect(await admin.call('POST', path(id), body)).toMatchObject({
      status: 409,
      body: { error: { message: 'this person was erased; only the numbers are left' } },
    })
    expect((await call('GET', `/v1/employees/${id}`)).body.score).toBe(score)
  })
})

describe('taken back', () => {
  it('after a fresh proof of identity; another event needs none', async () => {
    const { id, email } = await hire()
    const admin = await signIn(service, tenant_id, 'admin')
    const adjusted = (await admin.call('POST', path(id), body)).body.id
    const event = { type: 'custom.x', employee_email: email }
    const sent = (await call('POST', '/v1/events', event)).body.id
    service.clock.advance(5 * MINUTE)
    const takeBack = (event_id: string) =>
      admin.call('POST', `/v1/events/${event_id}/retract`, { reason: 'mistaken' })
    const refused = await takeBack(adjusted)
    expect([refused.status, refused.body.error.code]).toEqual([403, 'REAUTHENTICATION_REQUIRED'])
    expect((await takeBack(sent)).status).toBe(200)
    await admin.call('POST', '/session/proof', { password: PASSWORD })
    expect((await takeBack(adjusted)).status).toBe(200)
  })
})
