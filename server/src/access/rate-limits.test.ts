// Rate limits: exact numbers, all processes together, headers on every answer.
import { describe, expect, it } from 'vitest'
import { HOST, ORIGIN, PASSWORD, signIn } from '../../test/people.ts'
import { caller, startService } from '../../test/service.ts'
import { buildApp } from '../app.ts'
import { openDatabase } from '../platform/database.ts'

const service = await startService()

function rate(headers: Record<string, unknown>) {
  return ['limit', 'remaining', 'reset'].map(name => Number(headers[`x-ratelimit-${name}`]))
}

describe('general limit', () => {
  it('counts down from the plan, serves the burst reserve, then answers 429', async () => {
    const { call } = await service.tenant({ plan: 'starter' })
    const now = Math.floor(service.clock.now() / 1000)
    const seen = []
    for (let i = 0; i < 100; i++) seen.push(await call('GET', '/v1/me'))
    expect(seen.every(answer => answer.status === 200)).toBe(true)
    expect(rate(seen[0]!.headers)).toEqual([60, 59, now + 1])
    expect(rate(seen[59]!.headers)).toEqual([60, 0, now + 60])
    expect(rate(seen[99]!.headers)).toEqual([60, 0, now + 100])
    const refused = await call('GET', '/v1/me')
    expect(refused.status).toBe(429)
    expect(refused.body.error.code).toBe('RATE_LIMITED')
    expect(refused.headers['retry-after']).toBe('1')
    expect(rate(refused.headers)).toEqual([60, 0, now + 100])
    service.clock.advance(1000)
    expect((await call('GET', '/v1/me')).status).toBe(200)
    expect((await call('GET', '/v1/me')).status).toBe(429)
  })

  it('admits exactly the burst when two processes are asked at once', async () => {
    const tenant = await service.tenant({ plan: 'starter' })
    const other = buildApp(service.context)
    const calls = [tenant.call, caller(other, tenant.key)]
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, i) => calls[i % 2]!('GET', '/v1/me')),
    )
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(100)
    expect(answers.filter(answer => answer.status === 429)).toHaveLength(50)
    await other.close()
  })

  it('is shown to the token on a large plan too, while the bucket fills up', async () => {
    const { call } = await service.tenant({ limits: {} })
    const seen = []
    for (let i = 0; i < 12; i++) {
      if (i > 6) service.clock.advance(150)
      const { headers } = await call('GET', '/v1/me')
      const [, remaining, reset] = rate(headers)
      seen.push([remaining, reset! - Math.ceil(service.clock.now() / 1000)])
    }
    // Seven at once; then 2.5 tokens come back before each further one.
    const remaining = [999, 998, 997, 996, 995, 994, 993, 994, 996, 997, 999, 999]
    expect(seen.map(([left]) => left)).toEqual(remaining)
    expect(seen.every(([, until]) => until! <= 1)).toBe(true)
  })

  it("takes an operator's limits for Enterprise", async () => {
    const { call } = await service.tenant({ limits: { requests: 2, burst: 3 } })
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await call('GET', '/v1/me')).status)
    expect(statuses).toEqual([200, 200, 200, 429])
  })
})

describe('the inbound bucket stands on top', () => {
  it('refuses with its own numbers and leaves the general bucket alone', async () => {
    const { call } = await service.tenant({ plan: 'starter' })
    const body = { source: 'okta', event_type: 'auth.mfa_disabled', employee: { email: 'a@b.co' } }
    for (let i = 0; i < 20; i++) {
      expect((await call('POST', '/v1/events/webhook', body)).status).toBe(404)
    }
    const refused = await call('POST', '/v1/events/webhook', body)
    expect(refused.status).toBe(429)
    expect(rate(refused.headers).slice(0, 2)).toEqual([20, 0])
    expect(rate((await call('GET', '/v1/me')).headers).slice(0, 2)).toEqual([60, 39])
  })
})

describe('callers without valid credentials', () => {
  it('draw on their address: 100 tries, then 429', async () => {
    const call = caller(service.app, 'bw_live_nobody_guess')
    const statuses = []
    for (let i = 0; i < 101; i++) statuses.push((await call('GET', '/v1/me')).status)
    expect(statuses.slice(0, 100).every(status => status === 401)).toBe(true)
    expect(statuses[100]).toBe(429)
    expect((await caller(service.app, null)('GET', '/healthz')).status).toBe(200)
  })

  it('share one bucket where they share a network of IPv6', async () => {
    const proxied = await startService({ trust_proxy: '127.0.0.1' })
    const call = caller(proxied.app, 'bw_live_nobody_guess')
    const from = (address: string) =>
      call('GET', '/v1/me', undefined, { 'x-forwarded-for': address })
    for (let i = 0; i < 100; i++) expect((await from(`2001:db8:1:2::${i + 1}`)).status).toBe(401)
    expect((await from('2001:db8:1:2:ffff::1')).status).toBe(429)
    expect((await from('2001:db8:1:3::1')).status).toBe(401)
  })
})

describe('a session', () => {
  it('draws on a bucket of its own: 600 a minute, then nobody is brought in', async () => {
    // The login itself draws on the address.
    service.clock.advance(2 * 60_000)
    const tenant = await service.tenant({ plan: 'starter' })
    const admin = await signIn(service, tenant.tenant_id, 'admin')
    const [, left] = rate((await admin.call('GET', '/v1/me')).headers)
    expect(left).toBeGreaterThan(590)
    const lanes = Array.from({ length: 4 }, async (_, lane) => {
      for (let i = lane; i < left!; i += 4)
        expect((await admin.call('GET', '/v1/me')).status).toBe(200)
    })
    await Promise.all(lanes)
    const person = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Byron' }
    expect((await admin.call('POST', '/v1/employees', person)).status).toBe(429)
    expect((await tenant.call('GET', '/v1/me')).status).toBe(200)
    service.clock.advance(100)
    expect((await admin.call('POST', '/v1/employees', person)).status).toBe(201)
  })
})

describe('a batch', () => {
  it('draws one request for each 100 events begun', async () => {
    const { call } = await service.tenant({ plan: 'starter' })
    const events = Array.from({ length: 101 }, () => ({
      type: 'custom.x',
      employee_email: 'a@b.co',
    }))
    const answer = await call('POST', '/v1/events/batch', { events })
    expect(answer.status).toBe(207)
    expect(rate(answer.headers).slice(0, 2)).toEqual([60, 58])
  })

  it('429 as a whole: a batch that is refused draws nothing', async () => {
    const { call } = await service.tenant({ limits: { requests: 5, burst: 5 } })
    const events = Array.from({ length: 501 }, () => ({
      type: 'custom.x',
      employee_email: 'a@b.co',
    }))
    const refused = await call('POST', '/v1/events/batch', { events })
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '12'])
    const whole = await call('POST', '/v1/events/batch', { events: events.slice(1) })
    expect(whole.status).toBe(207)
    expect(rate(whole.headers).slice(0, 2)).toEqual([5, 0])
  })
})

describe('without the database', () => {
  const nowhere = { ...service.address, host: '127.0.0.1', port: 1 }
  const withoutDatabase = async <T>(work: (app: ReturnType<typeof buildApp>) => Promise<T>) => {
    const db = openDatabase({ address: nowhere, pool: 1, prepare: true })
    const app = buildApp({ ...service.context, db })
    try {
      return await work(app)
    } finally {
      await app.server.close()
      await db.close()
    }
  }

  it('nobody is let in unproven: by key, session, password, client or link, it is 503', async () => {
    // The tests before have spent what this address may ask for.
    service.clock.advance(120_000)
    const { tenant_id, key } = await service.tenant()
    const { email, cookie } = await signIn(service, tenant_id)
    const json = { origin: ORIGIN, host: HOST }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const app_id = `app_${tenant_id.slice(4)}_${'a'.repeat(22)}`
    const code = new URLSearchParams({
      grant_type: 'authorization_code',
      code: 'x',
      redirect_uri: 'https://a.example/',
      client_id: app_id,
      client_secret: 'x',
      code_verifier: 'v'.repeat(43),
    })
    const statuses = await withoutDatabase(async app => {
      const [known, nobody] = [caller(app, key), caller(app, null)]
      const login = { email, password: PASSWORD }
      const link = { token: 'x'.repeat(43), password: PASSWORD }
      return Promise.all([
        known('GET', '/v1/me'),
        nobody('GET', '/v1/me', undefined, { cookie: cookie(), host: HOST }),
        nobody('GET', '/admin/users', undefined, { cookie: cookie(), host: HOST }),
        nobody('POST', '/session/login', login, json),
        nobody('POST', '/session/link/accept', link, json),
        nobody('POST', '/oauth/token', code.toString(), form),
      ])
    })
    expect(statuses.map(answer => answer.status)).toEqual([503, 503, 503, 503, 503, 503])
  })

  it('503 still tells of a limit, with nothing left', async () => {
    const { key } = await service.tenant()
    const answer = await withoutDatabase(app => caller(app, key)('GET', '/v1/me'))
    const now = Math.ceil(service.clock.now() / 1000)
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1'])
    expect(rate(answer.headers)).toEqual([60, 0, now + 1])
  })
})
