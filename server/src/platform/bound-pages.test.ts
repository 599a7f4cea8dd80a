// Pages of large items: refused where they would be too large, and got by asking for fewer.
import pino from 'pino'
import Type from 'typebox'
import { expect, it } from 'vitest'
import { testClock, testConfig } from '../../test/service.ts'
import type { Context } from './context.ts'
import { createServer } from './http.ts'
import { PageQuery } from './pagination.ts'

const context = { config: testConfig(), clock: testClock(), log: pino({ level: 'silent' }) }
const server = createServer(context as unknown as Context)
const ITEM = 'é'.repeat(24 * 1024)
server.get('/v1/x', { schema: { querystring: Type.Object(PageQuery) } }, async request => ({
  data: new Array(request.query.per_page ?? 25).fill(ITEM),
}))

const get = (per_page: number) =>
  server.inject({ method: 'GET', url: `/v1/x?per_page=${per_page}` })

it('400 naming per_page for a page of more than 4 MiB, counted in bytes', async () => {
  const { statusCode, body } = await get(88)
  expect(statusCode).toBe(400)
  expect(JSON.parse(body).error).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [
      {
        path: 'per_page',
        message: 'this page would be larger than 4 MiB; ask for fewer items at once',
      },
    ],
  })
})

it('200 for one of less', async () => {
  const { statusCode, rawPayload } = await get(85)
  expect(statusCode).toBe(200)
  expect(rawPayload.length).toBeLessThan(4 * 1024 * 1024)
})
