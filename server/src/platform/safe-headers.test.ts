// Every answer of every route, good or bad, carries the safe headers; no page of elsewhere may read or frame one.
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { caller, startService } from '../../test/service.ts'
import type { Route } from './openapi-operation.ts'

const service = await startService()
const tls = await startService({ public_url: 'https://bellwether.test' })
const proxied = await startService({ trust_proxy: '127.0.0.1' })
const { key, call } = await service.tenant()
const { routes } = service.app

/** All but a stream that never ends, and a picture that is there only once the dashboard is built. */
const visited = routes.filter(({ url }) => url !== '/admin/live' && url !== '/favicon.svg')
const pathOf = ({ url }: Route) => url.replaceAll(/:\w+|\*/g, 'none')

async function visit(headers: Record<string, string> = {}) {
  const answers = []
  for (const route of visited) {
    service.clock.advance(2000)
    const method = route.method as 'GET'
    answers.push({
      name: `${route.method} ${route.url}`,
      answer: await service.app.server.inject({ method, url: pathOf(route), headers }),
    })
  }
  return answers
}

const asNobody = await visit()
const asKey = await visit({ authorization: `Bearer ${key}` })

/** Answers that never reach a handler. */
const broken = await Promise.all(
  [
    { method: 'GET', url: '/v1/nowhere' },
    { method: 'PUT', url: '/v1/events' },
    { method: 'OPTIONS', url: '/v1/events' },
    { method: 'GET', url: '/%ff' },
    { method: 'GET', url: '/.git/HEAD' },
    { method: 'POST', url: '/v1/events', payload: '{', headers: { 'content-type': 'text/plain' } },
    { method: 'POST', url: '/v1/events', payload: 'x'.repeat(300_000) },
  ].map(async ({ headers = {}, ...one }) => {
    const authorization = `Bearer ${key}`
    const request = { ...one, headers: { authorization, ...headers } }
    const answer = await service.app.server.inject(request as { method: 'GET'; url: string })
    return { name: `${one.method} ${one.url}`, answer }
  }),
)
const all = [...asNobody, ...asKey, ...broken]

test('the sweep meets every kind of answer', () => {
  const statuses = new Set(all.map(({ answer }) => answer.statusCode))
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 405]))
  expect(all.length).toBeGreaterThan(200)
})

const EXPECTED: readonly [string, RegExp][] = [
  ['x-content-type-options', /^nosniff$/],
  ['referrer-policy', /^(?:no-referrer|same-origin)$/],
  ['cross-origin-resource-policy', /^same-origin$/],
  ['cross-origin-opener-policy', /^same-origin$/],
  ['x-frame-options', /^DENY$/],
  ['permissions-policy', /camera=\(\)/],
  ['content-security-policy', /default-src 'none'.*frame-ancestors 'none'/],
]

test.each(EXPECTED)('%s on every answer', (header, form) => {
  const wrong = all.filter(({ answer }) => !form.test(String(answer.headers[header])))
  expect(wrong.map(({ name, answer }) => `${name} ${answer.statusCode}`)).toEqual([])
})

test('no policy allows inline code, eval or a foreign source', () => {
  for (const { name, answer } of all) {
    const policy = String(answer.headers['content-security-policy'])
    expect(policy, name).not.toMatch(/unsafe|https?:|\*/)
    expect(policy, name).toContain("base-uri 'none'")
  }
})

test('nothing is kept by a cache but files that hold nobody’s data', () => {
  const kept = all.filter(({ answer }) => answer.headers['cache-control'] !== 'no-store')
  expect([...new Set(kept.map(({ name }) => name))].sort()).toEqual([
    ...['GET /docs', 'GET /docs/style.css', 'GET /openapi.json', 'GET /pages.css'],
  ])
})

test('the content type names what the body is, in UTF-8', () => {
  for (const { name, answer } of all.filter(one => one.answer.body !== '')) {
    const type = String(answer.headers['content-type'])
    expect(type, name).toMatch(/; charset=utf-8$/)
    if (type.startsWith('application/json'))
      expect(() => JSON.parse(answer.body), name).not.toThrow()
    if (!type.startsWith('text/html')) expect(answer.body, name).not.toMatch(/^\s*<!doctype/i)
  }
})

test('no answer names the software or its version', () => {
  for (const { name, answer } of all) {
    for (const header of ['server', 'x-powered-by', 'via']) {
      expect(answer.headers[header], `${name} ${header}`).toBeUndefined()
    }
    if (answer.statusCode >= 400)
      expect(answer.body, name).not.toMatch(/fastify|node\.js|postgres/i)
  }
})

test('HSTS of a year where the public URL is https, none where it is not', async () => {
  const secure = await tls.app.server.inject({ method: 'GET', url: '/v1/me' })
  expect(secure.headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
  const plain = all.filter(({ answer }) => answer.headers['strict-transport-security'])
  expect(plain).toEqual([])
})

test('no origin is ever allowed to read across: foreign, null, look-alikes, preflights', async () => {
  const origins = [
    ...[
      'https://evil.test',
      'null',
      'https://bellwether.test.evil.test',
      'https://evilbellwether.test',
    ],
    ...['https://bellwether.test', 'http://localhost', '*'],
  ]
  for (const origin of origins) {
    for (const [method, url] of [
      ...[
        ['GET', '/v1/me'],
        ['OPTIONS', '/v1/events'],
        ['GET', '/session'],
        ['GET', '/docs'],
      ],
      ...[
        ['OPTIONS', '/oauth/token'],
        ['OPTIONS', '/oauth/authorize'],
        ['GET', '/openapi.json'],
      ],
    ] as const) {
      const headers = { origin, 'access-control-request-method': 'POST' }
      tls.clock.advance(2000)
      const answer = await tls.app.server.inject({ method: method as 'GET', url: url!, headers })
      const allowed = Object.keys(answer.headers).filter(name => name.startsWith('access-control'))
      expect(allowed, `${method} ${url} from ${origin}`).toEqual([])
    }
  }
})

test('proxy headers count for nothing unless the operator names the proxy', async () => {
  const limit = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'evil.test' }
  const remaining = async (one: typeof service, headers: Record<string, string>) => {
    const answer = await caller(one.app, null)('GET', '/v1/me', undefined, headers)
    return Number(answer.headers['x-ratelimit-remaining'])
  }
  const first = await remaining(service, {})
  expect(await remaining(service, limit)).toBe(first - 1)
  expect(await remaining(service, { 'x-forwarded-for': '203.0.113.10' })).toBe(first - 2)
  const trusted = await remaining(proxied, limit)
  expect(await remaining(proxied, { 'x-forwarded-for': '203.0.113.10' })).toBe(trusted)
})

test('a trusted proxy that names the port as well, or no address at all, opens no bucket for each request', async () => {
  const remaining = async (forwarded: string) => {
    const headers = { 'x-forwarded-for': forwarded }
    const answer = await caller(proxied.app, null)('GET', '/v1/me', undefined, headers)
    expect(answer.status, forwarded.slice(0, 30)).toBe(401)
    return Number(answer.headers['x-ratelimit-remaining'])
  }
  const alike = [
    ['203.0.113.30', '203.0.113.30:4711', '203.0.113.30:4712', '[::ffff:203.0.113.30]:4713'],
    ['2001:db8:30::1', '[2001:db8:30::1]:4711', '[2001:db8:30::2]', '2001:db8:30::1'],
    ['unknown', '_hidden', 'evil:1', randomBytes(5000).toString('hex')],
  ]
  for (const [first, ...others] of alike) {
    const full = await remaining(first!)
    const left = []
    for (const other of others) left.push(await remaining(other))
    expect(left, first).toEqual([full - 1, full - 2, full - 3])
  }
})

test('the API never redirects, whatever the proxy says of the scheme', async () => {
  const plain = { 'x-forwarded-proto': 'http', 'x-forwarded-for': '203.0.113.20' }
  const behind = await caller(proxied.app, null)('GET', '/v1/me', undefined, plain)
  expect(behind.status).toBe(401)
  const api = all.filter(({ name }) => /\/(?:v1|admin|session|oauth\/token)\b/.test(name))
  const redirected = api.filter(({ answer }) => answer.statusCode >= 300 && answer.statusCode < 400)
  expect(redirected.map(({ name }) => name)).toEqual([])
})

test.each(['/.git/HEAD', '/package.json', '/server/src/app.ts', '/.env', '/assets/', '/v1/x.css'])(
  '404 %s: no source, no listing, no page in its place',
  async path => {
    const answer = await call('GET', path, undefined, { accept: 'text/html' })
    expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND'])
  },
)

test('405 or 404 for methods nobody offers', async () => {
  for (const method of ['TRACE', 'PUT', 'PROPFIND'] as const) {
    const answer = await service.app.server.inject({ method: method as 'PUT', url: '/v1/events' })
    expect([404, 405], method).toContain(answer.statusCode)
  }
})

test('no route takes a callback for its answer', async () => {
  const gets = routes.filter(one => one.method === 'GET' && one.url.startsWith('/v1/'))
  expect(gets.length).toBeGreaterThan(20)
  for (const route of gets) {
    const answer = await call('GET', `${pathOf(route)}?callback=alert`)
    expect(answer.status, route.url).toBe(400)
  }
})
