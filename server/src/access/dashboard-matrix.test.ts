// Visits every route of the dashboard: who may not, does not; a new route without its line here fails.
import { describe, expect, test } from 'vitest'
import { addApp } from '../../test/oauth.ts'
import { addFactor, type Method, ORIGIN, openBrowser, signIn } from '../../test/people.ts'
import { type Answer, caller, startService } from '../../test/service.ts'
import { ROLE_NAMES, type Role } from '../accounts/roles.ts'

/**
 * The least one has to be. `anyone`: before a login; `pending`: while it waits for its code; `person`: logged in, in
 * whichever organization; the rest is a role there.
 */
type Who = 'anyone' | 'pending' | 'person' | 'viewer' | 'admin' | 'owner'

const ROUTES: Readonly<Record<string, Who>> = {
  'POST /session/login': 'anyone',
  'POST /session/link': 'anyone',
  'POST /session/link/accept': 'anyone',
  'POST /session/reset': 'anyone',
  'POST /session/second-factor': 'pending',
  'GET /session': 'pending',
  'DELETE /session': 'pending',
  'POST /session/proof': 'person',
  'PUT /session/tenant': 'person',
  'GET /session/sessions': 'person',
  'DELETE /session/sessions': 'person',
  'DELETE /session/sessions/:id': 'person',
  'PUT /session/password': 'person',
  'POST /session/totp': 'person',
  'POST /session/totp/confirm': 'person',
  'DELETE /session/totp': 'person',
  'POST /session/recovery-codes': 'person',
  'GET /session/grants': 'viewer',
  'DELETE /session/grants/:id': 'viewer',
  'GET /admin/policy': 'viewer',
  'GET /admin/notifications': 'viewer',
  'GET /admin/notifications/unread': 'viewer',
  'POST /admin/notifications/read': 'viewer',
  'GET /admin/notifications/digest': 'viewer',
  'PUT /admin/notifications/digest': 'viewer',
  'GET /admin/webhooks/retrying': 'viewer',
  'GET /admin/employees/names': 'viewer',
  'GET /admin/employees/sparklines': 'viewer',
  'GET /admin/action-policies': 'viewer',
  'GET /admin/live': 'viewer',
  'GET /admin/rules/activity': 'viewer',
  'GET /admin/events/:id/story': 'viewer',
  'GET /admin/settings': 'viewer',
  'GET /admin/usage': 'viewer',
  'GET /admin/jobs': 'viewer',
  'GET /admin/audit/export': 'admin',
  'GET /admin/audit/verdict': 'admin',
  'GET /admin/users/names': 'admin',
  'GET /admin/keys': 'admin',
  'POST /admin/keys': 'admin',
  'DELETE /admin/keys/:id': 'admin',
  'GET /admin/apps': 'admin',
  'POST /admin/apps': 'admin',
  'PATCH /admin/apps/:id': 'admin',
  'POST /admin/apps/:id/secret': 'admin',
  'DELETE /admin/apps/:id': 'admin',
  'GET /admin/apps/:id/grants': 'admin',
  'GET /admin/grants': 'admin',
  'DELETE /admin/grants/:id': 'admin',
  'POST /admin/action-policies': 'admin',
  'PATCH /admin/action-policies/:id': 'admin',
  'DELETE /admin/action-policies/:id': 'admin',
  'POST /admin/employees/:id/adjustments': 'admin',
  'PATCH /admin/settings': 'admin',
  'GET /admin/users': 'owner',
  'POST /admin/users': 'owner',
  'PATCH /admin/users/:id': 'owner',
  'DELETE /admin/users/:id': 'owner',
  'POST /admin/users/:id/reset': 'owner',
  'DELETE /admin/users/:id/second-factor': 'owner',
  'DELETE /admin/users/:id/sessions': 'owner',
  'PUT /admin/policy': 'owner',
  'PUT /admin/retention': 'owner',
  'POST /admin/webhooks/:id/adopt': 'owner',
}

type Visited = { name: string; method: Method; url: string; who: Who }

const visited: Visited[] = Object.entries(ROUTES).map(([name, who]) => {
  const [method, url] = name.split(' ') as [Method, string]
  return { name, method, url: url.replace(':id', 'none'), who }
})
const only = (...who: Who[]) => visited.filter(one => who.includes(one.who))
const not = (...who: Who[]) => visited.filter(one => !who.includes(one.who))

const service = await startService()
/** Another clock, for those whose address would be slowed down. */
const outside = await startService()
const acme = await service.tenant({ name: 'Acme' })
const rival = await service.tenant({ name: 'Rival' })
const owner = await signIn(service, acme.tenant_id)
const stranger = await signIn(service, rival.tenant_id)

const toldOf = ({ status, body }: Answer) => ({ status, code: body?.error?.code })

test('every route of the dashboard has its line here', () => {
  const own = service.app.routes.filter(({ url }) => /^\/(?:admin|session)\b/.test(url))
  const names = own.map(({ method, url }) => `${method} ${url}`)
  expect(names.sort()).toEqual(Object.keys(ROUTES).sort())
})

/** Beside the API and the dashboard's own: what needs no session, or looks for one by itself. */
const OPEN = [
  ...['GET /', 'GET /assets/*', 'GET /favicon.svg', 'GET /pages.css', 'POST /csp-reports'],
  ...['GET /docs', 'GET /docs/style.css', 'GET /openapi.json', 'GET /healthz', 'GET /readyz'],
  ...['GET /login', 'POST /login', 'GET /login/code', 'POST /login/code', 'POST /logout'],
  ...['GET /forgot', 'POST /forgot', 'GET /invitation', 'POST /invitation'],
  ...['GET /reset', 'POST /reset', 'GET /.well-known/oauth-authorization-server'],
  ...['GET /oauth/authorize', 'POST /oauth/consent', 'POST /oauth/token', 'POST /oauth/revoke'],
]
const PAGES = [
  ...['employees', 'rules', 'events', 'actions', 'webhooks', 'keys', 'apps', 'users', 'audit'],
  ...['settings', 'profile'],
]

test('every other route is known: a page, a file, health, the document or OAuth', () => {
  const others = service.app.routes.filter(({ url }) => !/^\/(?:admin|session|v1)\b/.test(url))
  const pages = PAGES.flatMap(page => [`GET /${page}`, `GET /${page}/*`])
  const names = others.map(({ method, url }) => `${method} ${url}`)
  expect(names.sort()).toEqual([...OPEN, ...pages].sort())
})

describe('401', async () => {
  const tenant = await outside.tenant()
  const someone = await signIn(outside, tenant.tenant_id)
  const app = await addApp(outside, tenant.tenant_id)
  const { tokens } = await app.connect(someone)
  const waiting = await signIn(service, acme.tenant_id)
  await addFactor(service, waiting)
  const half = openBrowser(service)
  await half.logIn(waiting.email)

  test.each(not('anyone'))('without a session, also by a key or an app: $name', async one => {
    for (const bearer of [null, tenant.key, tokens.access_token]) {
      outside.clock.advance(2000)
      const headers = { origin: ORIGIN, host: new URL(ORIGIN).host }
      const answer = await caller(outside.app, bearer)(one.method, one.url, undefined, headers)
      expect(toldOf(answer)).toEqual({ status: 401, code: 'UNAUTHORIZED' })
    }
  })

  test.each(not('anyone', 'pending'))('while the login waits for its code: $name', async one => {
    const answer = await half.call(one.method, one.url)
    expect(toldOf(answer)).toEqual({ status: 401, code: 'UNAUTHORIZED' })
  })
})

describe('403', async () => {
  const other = await signIn(service, acme.tenant_id)
  const strict = await service.tenant({ name: 'Strict' })
  const bare = await signIn(service, strict.tenant_id)
  await bare.call('PUT', '/admin/policy', { require_second_factor: true })
  const people = new Map<Role, Awaited<ReturnType<typeof signIn>>>()
  for (const role of ROLE_NAMES) people.set(role, await signIn(service, acme.tenant_id, role))

  test.each(not('anyone'))('for what another page asks for: $name', async ({ method, url }) => {
    const forged = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      ...(method === 'GET' ? [] : [{ origin: 'https://evil.test' }, { origin: 'null' }]),
      ...(method === 'GET' ? [] : [{ 'x-csrf-token': '' }, { 'x-csrf-token': other.csrf() }]),
    ] as Record<string, string>[]
    for (const headers of forged) {
      const answer = await owner.call(method, url, undefined, headers)
      expect(toldOf(answer), JSON.stringify(headers)).toEqual({ status: 403, code: 'FORBIDDEN' })
    }
  })

  test.each(only('anyone'))('by another page before a login: $name', async ({ method, url }) => {
    const [email, password, token] = [owner.email, 'violet otters sing at noon', 'none']
    const bodies: Record<string, object> = {
      '/session/login': { email, password },
      '/session/link': { token },
      '/session/link/accept': { token, password },
      '/session/reset': { email },
    }
    for (const origin of ['https://evil.test', 'null', '']) {
      const answer = await openBrowser(service).call(method, url, bodies[url], { origin })
      expect(toldOf(answer), origin).toEqual({ status: 403, code: 'FORBIDDEN' })
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
  })

  const ranked: Role[] = ['viewer', 'analyst', 'admin', 'owner']
  test.each(only('admin', 'owner'))('for every role below $who: $name', async one => {
    for (const role of ranked.slice(0, ranked.indexOf(one.who as Role))) {
      const { status, body } = await people.get(role)!.call(one.method, one.url)
      expect([status, body.error.code], role).toEqual([403, 'FORBIDDEN'])
      expect(body.error.message).toMatch(/^your role lacks/)
    }
  })

  // A stream has no end.
  const ending = only('viewer', 'admin', 'owner').filter(one => one.url !== '/admin/live')
  test.each(ending)('but for none from $who on: $name', async one => {
    for (const role of ranked.slice(ranked.indexOf(one.who as Role))) {
      const { status } = await people.get(role)!.call(one.method, one.url)
      expect([200, 400, 404], role).toContain(status)
    }
  })

  test.each(only('viewer', 'admin', 'owner'))(
    'by a password alone where a second factor is required: $name',
    async ({ method, url }) => {
      const answer = await bare.call(method, url)
      expect(toldOf(answer)).toEqual({ status: 403, code: 'SECOND_FACTOR_REQUIRED' })
    },
  )
})

describe('404', async () => {
  const person = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Moss' }
  const policy = {
    name: 'Tickets',
    trigger: { kind: 'band_entered', bands: ['red'] },
    type: 'open_ticket',
  }
  const made = async (path: string, body: object, call = owner.call) => {
    const answer = await call('POST', path, body)
    if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const employee = await made('/v1/employees', person)
  const event = { type: 'custom.matrix', employee_email: person.email }
  const key = { name: 'matrix', scopes: ['scores:read'] }
  const app = await addApp(service, acme.tenant_id)
  const member = await signIn(service, acme.tenant_id, 'viewer')
  for (const scope of ['employees:read', 'scores:read']) await app.connect(owner, scope)
  const grants = await owner.call('GET', '/session/grants')
  const maker = await addApp(service, acme.tenant_id, ['webhooks:write'])
  const { access_token } = (await maker.connect(owner)).tokens
  const hook = { url: 'https://hooks.example.com/x', events: ['score.updated'] }
  await openBrowser(service).logIn(owner.email)
  const sessions = await owner.call('GET', '/session/sessions')
  const ids: Record<string, string> = {
    '/session/sessions': sessions.body.data.find((one: { current: boolean }) => !one.current).id,
    '/session/grants': grants.body.data[0].id,
    '/admin/users': member.user_id,
    '/admin/keys': (await made('/admin/keys', key)).id,
    '/admin/apps': app.client_id,
    '/admin/grants': grants.body.data[1].id,
    '/admin/action-policies': (await made('/admin/action-policies', policy)).id,
    '/admin/employees': employee.id,
    '/admin/webhooks': (await made('/v1/webhooks', hook, caller(service.app, access_token))).id,
    '/admin/events': (await made('/v1/events', event)).id,
  }
  const bodies: Record<string, object> = {
    'PATCH /admin/users/:id': { role: 'analyst' },
    'PATCH /admin/apps/:id': { name: 'Other name' },
    'PATCH /admin/action-policies/:id': { name: 'Other name' },
    'POST /admin/employees/:id/adjustments': { impact: -5, reason: 'seen in the lobby' },
  }
  const rank = ({ method }: Visited) => Number(method === 'DELETE')
  const addressed = visited
    .filter(({ name }) => name.includes(':id'))
    .sort((a, b) => rank(a) - rank(b))
  const idOf = (name: string) => {
    const place = name.split(' ')[1]!.split('/:id')[0]!
    if (ids[place] === undefined) throw new Error(`say what ${name} is about`)
    return ids[place]
  }
  const ask = async (name: string, id: string, { call } = stranger) => {
    const [method, url] = name.split(' ') as [Method, string]
    const { status, body } = await call(method, url.replace(':id', id), bodies[name])
    return { status, body: { ...body, error: { ...body?.error, request_id: null } } }
  }

  test.each(addressed)("for another tenant's, as if it did not exist: $name", async ({ name }) => {
    const foreign = await ask(name, idOf(name))
    expect(foreign).toEqual(await ask(name, `${idOf(name)}0`))
    // A list of none.
    if (name === 'GET /admin/apps/:id/grants') expect(foreign.body.data).toEqual([])
    else expect(foreign.status).toBe(404)
  })

  test('but not for its owner', async () => {
    // What others hang on goes last.
    const last = ['DELETE /admin/apps/:id', 'DELETE /admin/users/:id']
    const late = ({ name }: Visited) => last.indexOf(name)
    const answers = []
    for (const { name } of [...addressed].sort((a, b) => late(a) - late(b))) {
      answers.push(`${name} ${(await ask(name, idOf(name), owner)).status}`)
    }
    expect(answers.filter(text => !/ 20[014]$/.test(text))).toEqual([])
  })
})
