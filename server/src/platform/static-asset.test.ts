// What is the same for everybody: packed for who takes it so, not sent to who has it, kept as long as it says.
import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { afterAll, describe, expect, it } from 'vitest'
import { AN_HOUR, describeAsset, packAsset, sendAsset } from './static-asset.ts'

const TEXT = 'a page, a page, a page, a page, a page, a page, a page, a page, a page'
const page = await packAsset(TEXT, 'text/html; charset=utf-8')
const small = describeAsset({ body: Buffer.from('x'), packed: null, type: 'x/y', keep: AN_HOUR })

const server = Fastify()
server.get('/page', async (request, reply) => sendAsset(request, reply, page))
server.get('/small', async (request, reply) => sendAsset(request, reply, small))
afterAll(() => server.close())

const get = (url: string, headers: Record<string, string> = {}) =>
  server.inject({ method: 'GET', url, headers })

describe('200', () => {
  it.each(['gzip', 'gzip, br', 'br;q=1.0, gzip;q=0.8', 'GZIP'])('packed for %s', async takes => {
    const { headers, rawPayload } = await get('/page', { 'accept-encoding': takes })
    expect(headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(page.packed!.length),
      'cache-control': 'public, max-age=3600',
      vary: 'accept-encoding',
      etag: page.etag,
    })
    expect(gunzipSync(rawPayload).toString()).toBe(TEXT)
  })

  it.each(['', 'br', 'identity', 'gzip;q=0', 'gzip; q=0.0, br'])('plain for "%s"', async takes => {
    const { headers, body } = await get('/page', { 'accept-encoding': takes })
    expect(headers['content-encoding']).toBeUndefined()
    expect(headers.vary).toBe('accept-encoding')
    expect(body).toBe(TEXT)
  })

  it('plain where packing gained nothing', async () => {
    const { headers, body } = await get('/small', { 'accept-encoding': 'gzip' })
    expect([headers['content-encoding'], body]).toEqual([undefined, 'x'])
  })

  it('whole to who has something else', async () => {
    for (const known of ['"other"', 'W/"other"', small.etag, page.etag.slice(3, -1)]) {
      expect((await get('/page', { 'if-none-match': known })).statusCode).toBe(200)
    }
  })
})

describe('304', () => {
  it.each(['%s', '"other", %s', '*'])('to who has it by %s, without a body', async pattern => {
    for (const tag of [page.etag, page.etag.slice(2)]) {
      const known = { 'if-none-match': pattern.replace('%s', tag), 'accept-encoding': 'gzip' }
      const { statusCode, headers, body } = await get('/page', known)
      expect([statusCode, body]).toEqual([304, ''])
      expect(headers).toMatchObject({ etag: page.etag, 'cache-control': 'public, max-age=3600' })
      expect(headers['content-encoding']).toBeUndefined()
    }
  })
})
