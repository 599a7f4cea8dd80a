// What the fuzzer has found, each as the request that showed it; a failing seed ends up here.
import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { buildApp } from '../server/src/app.ts'
import { logOptions } from '../server/src/platform/log-options.ts'
import { startService } from '../server/test/service.ts'
import { createJudge } from './judge.ts'
import { listOperations, readDocument } from './operations.ts'

const document = readDocument()
const judge = createJudge(document, [])
const operations = new Map(listOperations(document).map(one => [one.name, one]))
const service = await startService()
const { key } = await service.tenant()
const lines: string[] = []
const log = pino(logOptions('info'), { write: line => void lines.push(line) })
const app = buildApp({ ...service.context, log })
await app.server.ready()
afterAll(() => app.server.close())

test.each([
  ['GET /v1/scores/trends', '/v1/scores/trends?department=Finance'],
  ['GET /v1/scores/distribution', '/v1/scores/distribution?department='],
])('an unknown department is an answer the document knows: %s', async (name, url) => {
  const headers = { authorization: `Bearer ${key}` }
  const answer = await app.server.inject({ method: 'GET', url, headers })
  expect(answer.statusCode).toBe(404)
  const { statusCode: status, body } = answer
  expect(judge(operations.get(name)!, { status, body, headers: answer.headers })).toEqual([])
})

test('a form of the wrong type is the mistake of who sent it, and no failure in the log', async () => {
  const headers = { 'content-type': 'text/plain', origin: 'http://localhost:80' }
  const answer = await app.server.inject({ method: 'POST', url: '/login', payload: 'x', headers })
  expect(answer.statusCode).toBe(415)
  expect(lines.filter(line => JSON.parse(line).level >= 50)).toEqual([])
})

test.each([
  ['/login', 'email=%00&password=wrong'],
  ['/login', 'email=a%00b&password=wrong'],
  ['/login/code', 'code=%00'],
  ['/reset', 'token=%00&password=x'],
  ['/invitation', 'token=x&password=%00'],
  ['/oauth/token', 'grant_type=refresh_token&client_id=app_x%00&client_secret=x'],
  ['/oauth/revoke', 'token=%00'],
  ['/oauth/consent', 'request=%00'],
])('400 a form with NUL, which the database cannot hold: %s %s', async (url, payload) => {
  lines.splice(0)
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const headers = { ...type, origin: 'http://localhost:80' }
  const answer = await app.server.inject({ method: 'POST', url, payload, headers })
  expect(answer.statusCode).toBe(400)
  expect(lines.filter(line => JSON.parse(line).level >= 50)).toEqual([])
})
