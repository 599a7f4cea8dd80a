// Proves that the document and its page are served to everyone, hold every operation and load nothing from outside.
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { caller, startService, testConfig } from '../../test/service.ts'
import { buildApp } from '../app.ts'
import { ERROR_STATUS } from '../platform/errors.ts'
import type { ApiDocument } from '../platform/openapi.ts'
import type { Schema } from '../platform/openapi-schemas.ts'
import { describeService } from './about.ts'
import { renderPage } from './docs-page.ts'
import { describeType } from './schema-fields.ts'

const service = await startService()

const get = (path: string) => caller(service.app, null)('GET', path)

describe('200', () => {
  test('GET /openapi.json needs no credential and draws on the address', async () => {
    const { status, body, headers } = await get('/openapi.json')
    expect(status).toBe(200)
    expect(headers['content-type']).toContain('application/json')
    expect(headers['x-ratelimit-limit']).toBe('60')
    expect(body).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Bellwether', license: { identifier: 'Apache-2.0' } },
      servers: [{ url: '/' }],
    })
  })

  test('GET /openapi.json names the public address where one is set', async () => {
    const config = testConfig({ public_url: 'https://score.example.com' })
    const app = buildApp({ ...service.context, config })
    const { body } = await caller(app, null)('GET', '/openapi.json')
    expect(body.servers).toEqual([{ url: 'https://score.example.com' }])
    const { authorizationUrl } = body.components.securitySchemes.oauth.flows.authorizationCode
    expect(authorizationUrl).toBe('https://score.example.com/oauth/authorize')
    await app.close()
  })

  test('GET /docs names the port that the system chose, and a host that can be asked', async () => {
    const config = testConfig({ host: '0.0.0.0', port: 0 })
    const app = buildApp({ ...service.context, config })
    await app.server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.server.address() as AddressInfo
    const { body } = await caller(app, null)('GET', '/docs')
    expect(body).toContain(`export BELLWETHER_URL=http://localhost:${port}\n`)
    await app.close()
  })

  test('GET /docs shows every operation of the document', async () => {
    const [page, document] = await Promise.all([get('/docs'), get('/openapi.json')])
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    const operations = Object.values(document.body.paths).flatMap(item =>
      Object.values(item as object),
    )
    expect(operations.length).toBeGreaterThan(10)
    for (const { operationId } of operations) {
      expect(page.body, operationId).toContain(`<article id="${operationId}">`)
      expect(page.body, operationId).toContain(`href="#${operationId}"`)
    }
  })

  test('the document and its page tell of what integrators call, and of nothing behind it', async () => {
    const [page, document] = await Promise.all([get('/docs'), get('/openapi.json')])
    const ours = /^\/(?:v1\/|oauth\/|healthz$|readyz$|\.well-known\/)/
    expect(Object.keys(document.body.paths).filter(path => !ours.test(path))).toEqual([])
    for (const path of ['/admin/', '/session/', '/metrics']) {
      expect(page.body).not.toContain(path)
      expect(JSON.stringify(document.body)).not.toContain(path)
    }
  })

  test('what no key may do is shown to nobody as a thing to try with one', async () => {
    const [page, document] = await Promise.all([get('/docs'), get('/openapi.json')])
    const articles: string[] = page.body.split('<article ')
    const shown = (id: string) => articles.find(text => text.startsWith(`id="${id}"`))!
    for (const verb of ['approve', 'reject']) {
      const { security, operationId } = document.body.paths[`/v1/actions/{id}/${verb}`].post
      expect(security).toEqual([{ session: [] }])
      expect(shown(operationId)).not.toMatch(
        /BELLWETHER_KEY|Requires the scope|class="scope">actions/,
      )
    }
    expect(document.body.components.securitySchemes.session).toMatchObject({ in: 'cookie' })
    expect(shown('postActionComplete')).toContain('BELLWETHER_KEY')
  })

  test('GET /docs needs no script and nothing from elsewhere, and its policy says so', async () => {
    const { body, headers } = await get('/docs')
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    )
    expect(body).not.toMatch(/<script|<style|\sstyle="|\son\w+="|javascript:/i)
    const loaded = [...body.matchAll(/<(?:link|img|iframe|source)\b[^>]*?(?:href|src)="([^"]*)"/g)]
    expect(loaded.map(match => match[1])).toEqual(['data:,', '/docs/style.css'])
  })

  test('GET /docs has no link within the page that leads nowhere', async () => {
    const { body } = await get('/docs')
    const ids = new Set([...body.matchAll(/\sid="([^"]+)"/g)].map(match => match[1]))
    const targets = [...body.matchAll(/href="#([^"]+)"/g)].map(match => match[1])
    expect(targets.filter(target => !ids.has(target))).toEqual([])
    expect(ids).toContain('authentication')
    expect(ids).toContain('limits')
  })

  test('GET /docs gives each error code a meaning of its own', async () => {
    const { body } = await get('/docs')
    const rows = [
      ...body.matchAll(
        /<th scope="row">\d{3}<\/th><td><code>([A-Z_]+)<\/code><\/td><td>(.*?)<\/td>/g,
      ),
    ]
    expect(rows.map(row => row[1])).toEqual(Object.keys(ERROR_STATUS))
    expect(new Set(rows.map(row => row[2])).size).toBe(rows.length)
  })

  test('GET /docs tells an app every parameter it has to send', async () => {
    const { body } = await get('/docs')
    const text = body.slice(body.indexOf('id="authentication"'), body.indexOf('id="errors"'))
    const asked = ['response_type=code', 'scope', 'state', 'code_challenge', 'redirect_uri']
    const given = ['grant_type=authorization_code', 'code', 'code_verifier', 'client_secret']
    const kept = ['grant_type=refresh_token', 'refresh_token', 'client_id']
    for (const name of [...asked, ...given, ...kept, 'code_challenge_method=S256']) {
      expect(text).toContain(`<code>${name}</code>`)
    }
  })

  test('GET /docs/style.css is all the page loads, and itself loads nothing', async () => {
    const { status, body, headers } = await get('/docs/style.css')
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/css; charset=utf-8')
    expect(body).not.toMatch(/@import|url\(|https?:/)
    expect(body).toContain('prefers-color-scheme: dark')
  })
})

test.each(['/openapi.json', '/docs', '/docs/style.css'])(
  '%s comes packed, may be kept for an hour, and is not sent again to who has it',
  async url => {
    const ask = (headers: Record<string, string>) =>
      service.app.server.inject({ method: 'GET', url, headers })
    const [whole, packed] = [await ask({}), await ask({ 'accept-encoding': 'gzip, br' })]
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=3600',
      vary: 'accept-encoding',
      etag: whole.headers.etag,
    })
    expect(packed.rawPayload.length).toBeLessThan(whole.rawPayload.length / 2)
    expect(gunzipSync(packed.rawPayload)).toEqual(whole.rawPayload)
    const again = await ask({ 'if-none-match': String(whole.headers.etag) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  },
)

test('what may be null says so, whatever its form', () => {
  const type = (schema: Schema) => describeType({} as ApiDocument, schema)
  expect(type({ type: ['string', 'null'] })).toBe('string or null')
  expect(type({ type: ['string', 'null'], format: 'date-time' })).toBe('date-time or null')
  expect(type({ type: ['string', 'null'], enum: ['a', 'b', null] })).toBe('one of a, b or null')
  expect(type({ type: ['integer', 'null'], minimum: 0 })).toBe('integer or null, at least 0')
  expect(type({ type: 'string', format: 'date-time' })).toBe('date-time')
})

describe('400', () => {
  test.each(['/openapi.json', '/docs', '/docs/style.css'])('%s takes no parameters', async path => {
    const { status, body } = await get(`${path}?x=1`)
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
  })
})

describe('429', () => {
  test('beyond 100 at once from one address, of both documents together; what the page loads draws on nothing', async () => {
    const fresh = await startService()
    const ask = (path: string) => caller(fresh.app, null)('GET', path)
    for (let i = 0; i < 50; i++) {
      expect((await ask('/docs')).status).toBe(200)
      expect((await ask('/openapi.json')).status).toBe(200)
    }
    for (const path of ['/docs', '/openapi.json']) {
      const { status, body, headers } = await ask(path)
      expect([status, body.error.code]).toEqual([429, 'RATE_LIMITED'])
      expect(headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' })
    }
    for (const path of ['/docs/style.css', '/healthz', '/']) {
      expect((await ask(path)).headers['x-ratelimit-limit'], path).toBeUndefined()
    }
  })
})

describe('the page', () => {
  const message = {
    post: {
      summary: 'Moved',
      description: 'Someone moved.',
      requestBody: {
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: { event: { type: 'string', description: 'Kind.' } },
            },
            example: { event: '<img src=x>' },
          },
        },
      },
    },
  }
  const { title, version, description, tags } = describeService(null)
  const document = {
    openapi: '3.1.0',
    info: { title: `${title} <b>`, version, description },
    servers: [],
    tags: Object.entries(tags).map(([name, words]) => ({ name, description: words })),
    paths: {},
    webhooks: { 'score.updated': message },
    components: {},
  } as unknown as ApiDocument

  test('escapes whatever the document holds', () => {
    const page = renderPage(document, 'http://"><script>')
    expect(page).not.toMatch(/<script|<b>|<img/)
    expect(page).toContain('&lt;img src=x&gt;')
  })

  test('lists the messages that are sent, where there are any', () => {
    const page = renderPage(document, 'http://localhost')
    expect(page).toContain('id="webhook-score.updated"')
    expect(page).toContain('Someone moved.')
    expect(renderPage({ ...document, webhooks: undefined } as never, '')).not.toContain(
      'webhook-score',
    )
  })
})
