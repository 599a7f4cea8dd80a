// The fuzzer in the deep run: fewer requests than by command, the same questions; and that it would notice.
import { expect, test } from 'vitest'
import { cloneDatabase } from '../server/test/service.ts'
import { fuzz } from './fuzz.ts'
import { createJudge, type FuzzAnswer, judgeLog } from './judge.ts'
import { listOperations, readDocument } from './operations.ts'
import { openStage } from './stage.ts'

const REQUESTS = 5000
const SEED = 20_260_302

test('every operation: no failure, no body outside its schema, nothing of another tenant, no secret', {
  timeout: 600_000,
}, async () => {
  console.log(`fuzz: ${REQUESTS} requests, seed ${SEED}`)
  const stage = await openStage(await cloneDatabase())
  try {
    const { findings, counts } = await fuzz(stage, SEED, REQUESTS)
    expect(findings).toEqual([])
    const statuses = new Set([...counts.values()].flatMap(own => [...own.keys()]))
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 202, 204, 400, 401, 404, 409]))
    for (const [name, own] of counts) {
      expect(
        [...own.values()].reduce((sum, one) => sum + one),
        name,
      ).toBeGreaterThan(30)
    }
  } finally {
    await stage.close()
  }
})

const document = readDocument()
const operation = listOperations(document).find(({ name }) => name === 'GET /v1/rules')!
const forbidden = [{ name: "another tenant's data", text: 'canaryzq' }]
const judge = createJudge(document, forbidden)
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': 'req_1',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
}
const pagination = { page: 1, per_page: 25, total: 0, total_pages: 0 }
const answer = (change: Partial<FuzzAnswer> = {}): FuzzAnswer => {
  return { status: 200, headers, body: JSON.stringify({ data: [], pagination }), ...change }
}
const error = (message: string) =>
  JSON.stringify({ error: { code: 'NOT_FOUND', message, request_id: 'req_1' } })

test('a right answer passes', () => {
  expect(judge(operation, answer())).toEqual([])
})

test.each([
  ['a failure', { status: 500, body: error('x') }],
  ['a status nobody wrote down', { status: 418 }],
  ['a body outside its schema', { body: '{"data":[{"id":7}],"pagination":{}}' }],
  ['a body that is not JSON', { body: '<html>' }],
  ['no body', { body: '' }],
  ['another type', { headers: { ...headers, 'content-type': 'text/html' } }],
  ['a missing header', { headers: { ...headers, 'x-content-type-options': undefined } }],
  ['data of others', { status: 400, body: error('Ada canaryzq') }],
  ['data of others in a header', { headers: { ...headers, location: '/canaryzq' } }],
  ['words of the database', { status: 400, body: error('violates unique constraint') }],
  ['a stack', { status: 400, body: error('at handler (server/src/app.ts:12)') }],
  ['a secret', { status: 400, body: error(`whsec_${'a'.repeat(32)}`) }],
  ['a key', { status: 400, body: error(`bw_live_abc_${'a'.repeat(49)}`) }],
])('%s is noticed', (_name, change) => {
  expect(judge(operation, answer(change))).not.toEqual([])
})

test.each([
  ['a line that is not JSON', 'plain text'],
  ['a failure', '{"level":50,"msg":"request failed"}'],
  ['data of others', '{"level":30,"msg":"canaryzq"}'],
  ['a secret', `{"level":30,"msg":"whsec_${'a'.repeat(32)}"}`],
])('in the log %s is noticed', (_name, line) => {
  expect(judgeLog(line, forbidden)).not.toEqual([])
  expect(judgeLog('{"level":30,"msg":"fine"}', forbidden)).toEqual([])
})
