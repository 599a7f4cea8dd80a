// Hostile spellings, by the table: every one of them is refused, with one text, on every way in.
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { signIn } from '../test/people.ts'
import { startService } from '../test/service.ts'
import { BODY_TYPES, INTERNAL_URLS, MARKS, PATHS, REDIRECT_URIS } from '../test/spellings.ts'
import { runDueDeliveries } from './webhooks/deliver-webhooks.job.ts'
import { NOT_ALLOWED } from './webhooks/destination-guard.ts'

const service = await startService()
const tenant = await service.tenant()

const GOOD = { url: 'https://hooks.example.com/in', events: ['score.updated'] }

describe('internal addresses as a destination', () => {
  it('are 60 and more, and no two alike', () => {
    expect(new Set(INTERNAL_URLS).size).toBe(INTERNAL_URLS.length)
    expect(INTERNAL_URLS.length).toBeGreaterThanOrEqual(60)
  })

  it('400 with the same words when a subscription is made or changed', async () => {
    const { body: made } = await tenant.call('POST', '/v1/webhooks', GOOD)
    for (const url of INTERNAL_URLS) {
      const answers = [
        await tenant.call('POST', '/v1/webhooks', { ...GOOD, url }),
        await tenant.call('PATCH', `/v1/webhooks/${made.id}`, { url }),
      ]
      for (const { status, body } of answers) {
        const details = [{ path: 'url', message: NOT_ALLOWED }]
        expect({ status, details: body.error.details }, url).toEqual({ status: 400, details })
      }
    }
    expect((await tenant.call('GET', `/v1/webhooks/${made.id}`)).body.url).toBe(GOOD.url)
  })

  it('are not called for a test or sent to again, should one be stored, and are not looked up', async () => {
    const { body: made } = await tenant.call('POST', '/v1/webhooks', GOOD)
    const asked: string[] = []
    const resolve = async (host: string) => {
      asked.push(host)
      return []
    }
    // Nothing was asked of the network, so there is nothing to tell by the clock either.
    const timings = { dns_ms: null, connect_ms: null, first_byte_ms: null }
    const refused = { stage: 'destination', error: NOT_ALLOWED, response: null, timings }
    for (const url of INTERNAL_URLS) {
      await service.context.db.sql`UPDATE webhooks SET url = ${url}
        WHERE tenant_id = ${tenant.tenant_id} AND webhook_id = ${made.id}`
      const { body: test } = await tenant.call('POST', `/v1/webhooks/${made.id}/test`)
      await runDueDeliveries(service.context, { resolve })
      const again = await tenant.call('POST', `/v1/webhooks/deliveries/${test.id}/redeliver`)
      expect(again.status, url).toBeLessThan(300)
      await runDueDeliveries(service.context, { resolve })
      const { body } = await tenant.call('GET', `/v1/webhooks/deliveries/${test.id}`)
      expect(body.attempt_log, url).toHaveLength(2)
      for (const attempt of body.attempt_log) expect(attempt, url).toMatchObject(refused)
    }
    expect(asked).toEqual([])
  })
})

describe('redirect URIs', () => {
  it('400 for each of them, when an app is registered and when it is changed', async () => {
    expect(new Set(REDIRECT_URIS).size).toBeGreaterThanOrEqual(40)
    const desk = await signIn(service, tenant.tenant_id)
    const app = { name: 'App', scopes: ['scores:read'] }
    const good = { ...app, redirect_uris: ['https://a.test/cb'] }
    const made = await desk.call('POST', '/admin/apps', good)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    for (const uri of REDIRECT_URIS) {
      const body = { ...app, redirect_uris: ['https://a.test/cb', uri] }
      expect((await desk.call('POST', '/admin/apps', body)).status, uri).toBe(400)
      const path = `/admin/apps/${made.body.client_id}`
      const change = { redirect_uris: [uri] }
      expect((await desk.call('PATCH', path, change)).status, uri).toBe(400)
    }
  })
})

describe('names with marks that turn the direction of text', () => {
  it('400 wherever people name something, new or changed', async () => {
    const desk = await signIn(service, tenant.tenant_id)
    const rule = { name: 'A rule', event_type: 'custom.x', category: 'custom', impact: -1 }
    const app = { name: 'App', scopes: ['scores:read'], redirect_uris: ['https://a.test/cb'] }
    const trigger = { kind: 'band_entered', bands: ['red'] }
    const policy = { name: 'A policy', trigger, type: 'open_ticket', parameters: {} }
    const key = { name: 'A key', scopes: ['scores:read'] }
    const named: [path: string, good: Record<string, unknown>, fields: string[]][] = [
      ['/v1/rules', rule, ['name']],
      ['/v1/webhooks', GOOD, ['description']],
      ['/admin/apps', app, ['name']],
      ['/admin/keys', key, ['name']],
      ['/admin/action-policies', policy, ['name', 'department']],
    ]
    const message = 'must not contain marks that turn the direction of text'
    for (const [path, good, fields] of named) {
      const made = await desk.call('POST', path, good)
      expect(made.status, `${path} ${JSON.stringify(made.body)}`).toBe(201)
      const own = `${path}/${made.body.id ?? made.body.client_id}`
      for (const field of fields) {
        for (const mark of MARKS) {
          const bad = { [field]: `Payroll${mark}x` }
          const answers = [await desk.call('POST', path, { ...good, ...bad })]
          if (path !== '/admin/keys') answers.push(await desk.call('PATCH', own, bad))
          for (const { status, body } of answers) {
            const details = [{ path: field, message }]
            expect({ status, details: body.error.details }, own).toEqual({ status: 400, details })
          }
        }
      }
    }
  })

  it('400 for the address of somebody to invite, as for that of an employee', async () => {
    const desk = await signIn(service, tenant.tenant_id)
    for (const mark of [...MARKS, '\u00ad', '\u200b', '\u200f', '\u2060']) {
      const invited = { email: `ki${mark}m@example.com`, role: 'viewer' }
      expect((await desk.call('POST', '/admin/users', invited)).status).toBe(400)
    }
  })
})

describe('types of a body', () => {
  it('415 for each of them, on every way that takes JSON', async () => {
    expect(new Set(BODY_TYPES).size).toBeGreaterThanOrEqual(30)
    const body = JSON.stringify({ type: 'custom.x', employee_email: 'a@example.com' })
    for (const type of BODY_TYPES) {
      for (const path of ['/v1/events', '/v1/events/webhook', '/v1/rules']) {
        const answer = await tenant.call('POST', path, body, { 'content-type': type })
        expect({ status: answer.status, code: answer.body.error.code }, type).toEqual({
          status: 415,
          code: 'UNSUPPORTED_MEDIA_TYPE',
        })
      }
    }
  })
})

/** As the bytes stand: nothing on our side tidies the path first. */
function ask(
  port: number,
  path: string,
  accept: string,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { accept, authorization: `Bearer ${tenant.key}` }
    const call = request({ host: '127.0.0.1', port, path, headers }, response => {
      let body = ''
      response.setEncoding('utf8').on('data', text => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode!, body }))
    })
    call.on('error', reject).end()
  })
}

describe('paths', () => {
  it('404 for each of them, or 400, for a program and for a browser', async () => {
    expect(new Set(PATHS).size).toBeGreaterThanOrEqual(60)
    await service.app.server.listen({ port: 0, host: '127.0.0.1' })
    const { port } = service.app.server.server.address() as AddressInfo
    const wrong = []
    for (const path of PATHS) {
      for (const accept of ['application/json', 'text/html']) {
        const { status, body } = await ask(port, path, accept)
        // What is not text at all is told so.
        const [least, code] = /%00|%c0/.test(path) ? [400, 'VALIDATION_ERROR'] : [404, 'NOT_FOUND']
        if (status !== least || !body.includes(`"${code}"`))
          wrong.push([path, accept, status, body])
      }
    }
    expect(wrong).toEqual([])
  })
})
