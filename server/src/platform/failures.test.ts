// What goes wrong inside is told to the log and not to the caller, and never opens a door.
import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { caller, startService, testClock, testConfig } from '../../test/service.ts'
import { type App, buildApp } from '../app.ts'
import type { Context } from './context.ts'
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
