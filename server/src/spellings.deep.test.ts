// Hostile spellings, by the table: every one of them is refused, with one text, on every way in.
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { signIn } from '../test/people.ts'
import { startService } from '../test/service.ts'
import {
  BODY_TYPES,
  INTERNAL_URLS,
  JOINING,
  MARKS,
  NAMES,
  PATHS,
  REDIRECT_URIS,
  UNSEEN,
} from '../test/spellings.ts'
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

describe('names', () => {
  const bad = [...MARKS, ...UNSEEN]
  const departments = [...bad, ...JOINING]

  it('400 wherever people name something, new or changed', async () => {
    const rule = { name: 'A rule', event_type: 'custom.x', category: 'custom', impact: -1 }
    const app = { name: 'App', scopes: ['scores:read'], redirect_uris: ['https://a.test/cb'] }
    const trigger = { kind: 'band_entered', bands: ['red'] }
    const policy = { name: 'A policy', trigger, type: 'open_ticket', parameters: {} }
    const key = { name: 'A key', scopes: ['scores:read'] }
    const named: [string, Record<string, unknown>, string, readonly string[]][] = [
      ['/v1/rules', rule, 'name', bad],
      ['/v1/webhooks', GOOD, 'description', bad],
      ['/admin/apps', app, 'name', bad],
      ['/admin/keys', key, 'name', bad],
      ['/admin/action-policies', policy, 'name', bad],
      ['/admin/action-policies', policy, 'department', departments],
    ]
    for (const [path, good, field, marks] of named) {
      const desk = await signIn(service, tenant.tenant_id)
      const made = await desk.call('POST', path, good)
      expect(made.status, `${path} ${JSON.stringify(made.body)}`).toBe(201)
      const own = `${path}/${made.body.id ?? made.body.client_id}`
      for (const mark of marks) {
        const change = { [field]: `Payroll${mark}x` }
        const answers = [await desk.call('POST', path, { ...good, ...change })]
        if (path !== '/admin/keys') answers.push(await desk.call('PATCH', own, change))
        for (const { status, body } of answers) {
          const details = [{ path: field, message: sayUnseen(mark) }]
          expect({ status, details: body.error?.details }, own).toEqual({ status: 400, details })
        }
      }
      if (field === 'department') continue
      for (const name of NAMES) {
        const { status, body } = await desk.call('POST', path, { ...good, [field]: name })
        expect([status, body[field]], JSON.stringify(body)).toEqual([201, name])
      }
    }
  })

  it('400 for people one by one, in a batch and changed', async () => {
    const person = { email: 'named@example.com', first_name: 'Ada', last_name: 'Moss' }
    const fields = ['first_name', 'last_name', 'title', 'location', 'department']
    const people = fields.flatMap(field =>
      (field === 'department' ? departments : bad).map(mark => ({ field, mark })),
    )
    const employees = people.map(({ field, mark }) => ({ ...person, [field]: `Payroll${mark}x` }))
    const answer = await tenant.call('POST', '/v1/employees/batch', { employees })
    expect(answer.body.data.map((one: any) => one.error?.details)).toEqual(
      people.map(({ field, mark }) => [{ path: field, message: sayUnseen(mark) }]),
    )
    for (const one of employees.slice(-2)) {
      expect((await tenant.call('POST', '/v1/employees', one)).status).toBe(400)
    }
    const { body: made } = await tenant.call('POST', '/v1/employees', person)
    for (const change of [{ title: 'A\u001bB' }, { department: 'Sa\u200bles' }]) {
      const { status } = await tenant.call('PATCH', `/v1/employees/${made.id}`, change)
      expect(status).toBe(400)
    }
  })

  it('201 for people as their names are written in other scripts', async () => {
    const employees = NAMES.map((name, i) => ({
      ...{ email: `written${i}@example.com`, first_name: name, last_name: name, title: name },
      ...{ department: 'بتول العتيبي 葛城 Ægir 🚀' },
    }))
    const { body } = await tenant.call('POST', '/v1/employees/batch', { employees })
    expect(body.data.map((one: any) => one.employee?.first_name)).toEqual(NAMES)
  })

  it('400 for a name of nothing but joiners', async () => {
    const person = { email: 'joined@example.com', first_name: 'Ada', last_name: '\u200d \u200c' }
    const { status, body } = await tenant.call('POST', '/v1/employees', person)
    expect([status, body.error?.details]).toEqual([
      400,
      [{ path: 'last_name', message: 'must not be blank' }],
    ])
  })

  it('spaces around a department make no other one, however somebody is put into it', async () => {
    const acme = await service.tenant()
    const person = { first_name: 'Ada', last_name: 'Moss' }
    const desk = await signIn(service, acme.tenant_id)
    const one = await acme.call('POST', '/v1/employees', {
      ...{ ...person, email: 'one@example.com', department: ' Sales\u00a0' },
    })
    const many = await acme.call('POST', '/v1/employees/batch', {
      employees: [{ ...person, email: 'two@example.com', department: '\u3000Sales ' }],
    })
    const moved = await acme.call('POST', '/v1/employees', {
      ...person,
      email: 'three@example.com',
    })
    const change = { department: 'Sales  ' }
    const { body: changed } = await acme.call('PATCH', `/v1/employees/${moved.body.id}`, change)
    const trigger = { kind: 'band_entered', bands: ['red'] }
    const policy = { name: 'P', trigger, type: 'open_ticket', department: ' Sales ' }
    const made = await desk.call('POST', '/admin/action-policies', policy)
    const path = `/admin/action-policies/${made.body.id}`
    const again = await desk.call('PATCH', path, { department: 'Sales ' })
    expect([
      one.body.department,
      many.body.data[0].employee.department,
      changed.department,
      made.body.department,
      again.body.department,
    ]).toEqual(Array(5).fill('Sales'))
    const { body: views } = await acme.call('GET', '/v1/scores/departments')
    expect(views.data.map((view: any) => [view.department, view.employee_count])).toEqual([
      ['Sales', 3],
    ])
    const blank = { department: ' \u00a0' }
    const { body: left } = await acme.call('PATCH', `/v1/employees/${moved.body.id}`, blank)
    expect(left.department).toBe('')
  })
})

/** What is said of a text with one of them. */
function sayUnseen(mark: string): string {
  if (/[\p{Cc}\u2028]/u.test(mark)) return 'must not contain line breaks or control characters'
  const code = mark.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  return `contains a character that is not seen, U+${code}`
}

describe('addresses with characters that nobody sees', () => {
  const marks = [...MARKS, ...UNSEEN, ...JOINING]

  it('400 for an employee, one by one and in a batch, and for their manager', async () => {
    const person = { first_name: 'Ada', last_name: 'Moss' }
    const good = 'kim@example.com'
    const employees = marks.flatMap(mark => [
      { ...person, email: `ki${mark}m@example.com` },
      { ...person, email: `kim@exam${mark}ple.com` },
      { ...person, email: good, manager_email: `a${mark}@example.com` },
    ])
    const { body } = await tenant.call('POST', '/v1/employees/batch', { employees })
    for (const [i, { status }] of body.data.entries()) {
      expect(status, JSON.stringify(employees[i])).toBe(400)
    }
    const { status } = await tenant.call('POST', '/v1/employees', employees.at(-5))
    expect(status).toBe(400)
  })

  it('400 for somebody to invite', async () => {
    const desk = await signIn(service, tenant.tenant_id)
    for (const mark of marks) {
      const invited = { email: `ki${mark}m@example.com`, role: 'viewer' }
      expect((await desk.call('POST', '/admin/users', invited)).status, mark).toBe(400)
    }
  })
})

describe('the URL of a webhook', () => {
  it('is stored and shown in its plain form alone, new or changed', async () => {
    const spelt = 'HTTPS://\u0430pple.Example:443/in/../\u202ehook?a=\u200b\u043e'
    const plain = 'https://xn--pple-43d.example/%E2%80%AEhook?a=%E2%80%8B%D0%BE'
    const made = await tenant.call('POST', '/v1/webhooks', { ...GOOD, url: spelt })
    expect([made.status, made.body.url]).toEqual([201, plain])
    const path = `/v1/webhooks/${made.body.id}`
    const same = await tenant.call('PATCH', path, { url: spelt })
    expect([same.body.url, same.body.updated_at]).toEqual([plain, made.body.updated_at])
    const other = await tenant.call('PATCH', path, { url: 'https://B\u00fccher.example' })
    expect(other.body.url).toBe('https://xn--bcher-kva.example/')
    expect((await tenant.call('GET', path)).body.url).toBe('https://xn--bcher-kva.example/')
    const long = `https://a.example/${'\u043e'.repeat(400)}`
    expect((await tenant.call('PATCH', path, { url: long })).status).toBe(400)
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
