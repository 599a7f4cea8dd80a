// What goes wrong inside is told to the log and not to the caller, and never opens a door.
import { once } from 'node:events'
import { connect } from 'node:net'
import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { ORIGIN } from '../../test/people.ts'
import { portOf } from '../../test/raw-socket.ts'
import { caller, startService, testClock, testConfig } from '../../test/service.ts'
import { type App, buildApp } from '../app.ts'
import type { Context } from './context.ts'
import { unavailable } from './errors.ts'
import { createServer } from './http.ts'
import { logOptions } from './log-options.ts'

const lines: string[] = []
const log = pino(logOptions('info'), { write: line => void lines.push(line) })
const take = () => lines.splice(0).map(line => JSON.parse(line))

const context = { config: testConfig(), clock: testClock(), log }
const server = createServer(context as unknown as Context)
server.get('/v1/broken', {}, async () => {
  throw Object.assign(new Error('relation "employees" of ada@example.com'), { detail: 'a row' })
})
afterAll(() => server.close())

test('500 tells the caller an id, and the log one line with that id and the stack', async () => {
  const answer = await server.inject({ method: 'GET', url: '/v1/broken' })
  expect(answer.statusCode).toBe(500)
  const { error } = answer.json()
  expect(error).toEqual({
    code: 'INTERNAL_ERROR',
    message: 'something went wrong on our side; quote the request_id',
    request_id: answer.headers['x-request-id'],
  })
  const [entry, ...more] = take()
  expect(more).toEqual([])
  expect(entry).toMatchObject({ level: 50, request_id: error.request_id, msg: 'request failed' })
  expect(entry.err.stack).toContain('failures.test.ts')
  expect(JSON.stringify(entry)).not.toMatch(/ada@|a row/)
  expect(new Date(entry.time).getTime()).toBe(entry.time)
})

const service = await startService()
const { key } = await service.tenant()

const started: App[] = []
afterAll(() => Promise.all(started.map(app => app.server.close())))

/** The same service once more, with the log at hand and some of what it stands on replaced. */
async function startAgain(change: Partial<Context> = {}): Promise<App> {
  const app = buildApp({ ...service.context, log, ...change })
  started.push(app)
  await app.server.ready()
  return app
}

test('401 and 403 are written down: which route and why, never the credential', async () => {
  const app = await startAgain()
  const { key: weak } = await service.tenant({ scopes: 'rules:read' })
  take()
  const wrong = `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`
  expect((await caller(app, wrong)('GET', '/v1/me')).status).toBe(401)
  expect((await caller(app, weak)('GET', '/v1/employees?search=ada')).status).toBe(403)
  expect((await caller(app, weak)('GET', '/v1/rules')).status).toBe(200)
  const written = take()
  expect(written).toMatchObject([
    { msg: 'access refused', code: 'UNAUTHORIZED', method: 'GET', route: '/v1/me', level: 30 },
    { msg: 'access refused', code: 'FORBIDDEN', method: 'GET', route: '/v1/employees' },
  ])
  expect(written[1].reason).toContain('employees:read')
  expect(written[1]).toMatchObject({
    request_id: expect.stringMatching(/^req_/),
    address: '127.0.0.1',
  })
  const text = JSON.stringify(written)
  for (const secret of [wrong, weak, 'ada']) expect(text).not.toContain(secret)
})

test('so are refusals of the pages and of the token endpoint, which have answers of their own', async () => {
  const app = await startAgain()
  take()
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const post = (url: string, payload: string, more = {}) =>
    app.server.inject({ method: 'POST', url, headers: { ...form, ...more }, payload })
  const own = { origin: ORIGIN, host: new URL(ORIGIN).host }
  const answers = [
    await post('/oauth/token', 'client_id=app_x&client_secret=violet-otter'),
    await post('/login', 'email=a%40b.test&password=violet-otter'),
    await post('/login', 'email=a%40b.test&password=violet-otter', own),
  ]
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 403, 401])
  const written = take()
  expect(written).toMatchObject([
    { msg: 'access refused', code: 'invalid_client', route: '/oauth/token', method: 'POST' },
    { msg: 'access refused', code: 'FORBIDDEN', route: '/login', address: '127.0.0.1' },
    { msg: 'access refused', code: 'UNAUTHORIZED', route: '/login', method: 'POST' },
  ])
  expect(JSON.stringify(written)).not.toContain('violet')
})

test('a 429 is written down once a minute for each address and route, so that a flood fills no disk', async () => {
  const app = await startAgain()
  const limited = () =>
    take()
      .filter(({ code }) => code === 'RATE_LIMITED')
      .map(({ msg, method, route, address, level }) => ({ msg, method, route, address, level }))
  const ask = async (url: string, remoteAddress: string) =>
    (await app.server.inject({ method: 'GET', url, remoteAddress })).statusCode
  const [first, second] = ['192.0.2.1', '192.0.2.2']
  for (const address of [first, second]) {
    for (let tries = 0; tries < 100; tries++) await ask('/v1/me', address)
  }
  take()
  for (let tries = 0; tries < 3; tries++) expect(await ask('/v1/me', first)).toBe(429)
  const line = { msg: 'access refused', method: 'GET', route: '/v1/me', address: first, level: 30 }
  expect(limited()).toEqual([line])
  expect(await ask('/v1/rules', first)).toBe(429)
  expect(await ask('/v1/me', second)).toBe(429)
  expect(limited()).toEqual([
    { ...line, route: '/v1/rules' },
    { ...line, address: second },
  ])
  service.clock.advance(60_000)
  for (let tries = 0; tries < 62; tries++) await ask('/v1/me', first)
  expect(limited()).toEqual([line])
})

test.each([
  ['/v1/events', 'application/json', 'Content-Length: 9', '{'],
  ['/v1/events', 'application/json', 'Transfer-Encoding: chunked', '5\r\n{"a"'],
  ['/login', 'application/x-www-form-urlencoded', 'Content-Length: 9', 'email='],
  ['/oauth/token', 'application/x-www-form-urlencoded', 'Content-Length: 9', 'code='],
])(
  '%s as %s by %s, cut off within its body: a refusal, and no failure',
  async (route, type, length, begun) => {
    const app = await startAgain()
    const port = await portOf(app)
    take()
    const head = [`POST ${route} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`]
    const socket = connect(port, '127.0.0.1')
    socket.write([...head, `Content-Type: ${type}`, length].join('\r\n'))
    socket.write(`\r\n\r\n${begun}`)
    const [request] = await once(app.server.server, 'request')
    await expect.poll(() => request.listenerCount('data')).toBeGreaterThan(0)
    socket.resetAndDestroy()
    const written: any[] = []
    const readAll = () => {
      written.push(...take())
      return written.length
    }
    await expect.poll(readAll, { timeout: 5000 }).toBeGreaterThan(0)
    await app.server.close()
    readAll()
    const reason = 'the connection ended within the body'
    const refusal = { msg: 'access refused', level: 30, code: 'VALIDATION_ERROR', reason, route }
    expect(written).toMatchObject([{ ...refusal, method: 'POST', address: '127.0.0.1' }])
  },
)

test('503 is written down with what the database said, once a minute for each reason', async () => {
  let cause: object = { code: '25006' }
  const fail = () => Promise.reject(Object.assign(unavailable(), { cause }))
  const db = { ...failingDatabase(), inTenant: fail, readTenant: fail, acrossTenants: fail }
  const app = await startAgain({ db: db as unknown as Context['db'] })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = `grant_type=refresh_token&refresh_token=x&client_id=app_${'x'.repeat(44)}&client_secret=y`
  const ask = async () => {
    const token = { method: 'POST', url: '/oauth/token', headers: form, payload } as const
    const answers = [
      await app.server.inject({ method: 'GET', url: '/readyz' }),
      await app.server.inject({ method: 'GET', url: '/v1/me' }),
      await app.server.inject(token),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([503, 503, 503])
    return take().map(({ level, msg, reason, route }) => ({ level, msg, reason, route }))
  }
  take()
  const line = { level: 40, msg: 'requests are answered 503', route: '/readyz' }
  const readOnly = {
    ...line,
    reason: 'the server is read-only: a standby, or a failover is under way',
  }
  expect(await ask()).toEqual([readOnly])
  expect(await ask()).toEqual([])
  cause = new Error('deadlock detected')
  expect(await ask()).toEqual([{ ...line, reason: 'deadlock detected' }])
  service.clock.advance(60_000)
  cause = { code: '25006' }
  expect(await ask()).toEqual([readOnly])
})

test('no way through when whoever is to judge cannot: keys, limits and sessions alike', async () => {
  const app = await startAgain({ db: failingDatabase() as unknown as Context['db'] })
  const ask = (headers: Record<string, string>, url = '/v1/employees') =>
    app.server.inject({ method: 'GET', url, headers })
  const answers = await Promise.all([
    ask({ authorization: `Bearer ${key}` }),
    ask({ cookie: `bw_session=${'x'.repeat(43)}` }, '/admin/keys'),
    ask({}),
  ])
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([500, 500, 500])
  for (const answer of answers) expect(answer.json().error.code).toBe('INTERNAL_ERROR')
})

function failingDatabase() {
  const fail = () => Promise.reject(new Error('no database'))
  return { inTenant: fail, readTenant: fail, acrossTenants: fail, listen: async () => {} }
}
