// Bad input gets a clear error and loses nothing: never a 500, always the one error shape.
import { METHODS } from 'node:http'
import { describe, expect, it } from 'vitest'
import { PATIENCE_MS } from '../../test/patience.ts'
import { portOf, sendRaw } from '../../test/raw-socket.ts'
import { hire, recalculate } from '../../test/scenario.ts'
import { caller, startService } from '../../test/service.ts'

const service = await startService()
const tenant = await service.tenant()
const { call, key } = tenant
const event = { type: 'custom.x', employee_email: 'nobody@example.com' }

async function refuse(
  status: number,
  code: string,
  answer: Promise<{ status: number; body: any }>,
) {
  const { status: got, body } = await answer
  expect([got, body?.error?.code]).toEqual([status, code])
  expect(body.error.request_id).toMatch(/^req_/)
  return body.error
}

describe('400 bodies', () => {
  const bodies: [string, string | Buffer][] = [
    ['malformed JSON', '{"type": '],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['null', 'null'],
    ['a byte order mark alone', '\ufeff'],
    [
      'two byte order marks',
      '\ufeff\ufeff{"type":"custom.x","employee_email":"nobody@example.com"}',
    ],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['duplicate keys', '{"type":"custom.x","type":"custom.y","employee_email":"a@b.co"}'],
    [
      'duplicate keys deep inside',
      '{"type":"custom.x","employee_email":"a@b.co","details":{"a":[{"b":1,"b":2}]}}',
    ],
    [
      'a prototype key',
      '{"type":"custom.x","employee_email":"a@b.co","details":{"__proto__":{"x":1}}}',
    ],
    [
      'the prototype of a constructor',
      '{"type":"custom.x","employee_email":"a@b.co","details":{"constructor":{"prototype":{}}}}',
    ],
    ['NUL', '{"type":"custom.x","employee_email":"a@b.co","details":{"a":"\\u0000"}}'],
    ['NUL in a key', '{"type":"custom.x","employee_email":"a@b.co","details":{"\\u0000":1}}'],
    [
      'half a surrogate pair',
      '{"type":"custom.x","employee_email":"a@b.co","details":{"a":"\\ud800"}}',
    ],
    ['a number too large', '{"type":"custom.x","employee_email":"a@b.co","details":{"a":1e999}}'],
    ...['1.1e40', '-1.1e40', `1${'0'.repeat(41)}`, '1e308', '-1e999'].map(
      (number): [string, string] => [
        `the number ${number.slice(0, 8)}, beyond ±1e40`,
        `{"type":"custom.x","employee_email":"a@b.co","details":{"a":${number}}}`,
      ],
    ),
    ['NaN', '{"type":"custom.x","employee_email":"a@b.co","details":{"a":NaN}}'],
    [
      'deep nesting',
      `{"type":"custom.x","employee_email":"a@b.co","details":${'{"a":'.repeat(9)}1${'}'.repeat(9)}}`,
    ],
    ['very deep nesting', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['details over 32 KiB', JSON.stringify({ ...event, details: { a: 'x'.repeat(33_000) } })],
    [
      'details that are over 32 KiB once their numbers are written in full',
      JSON.stringify({ ...event, details: { a: Array(110).fill(1e-300) } }),
    ],
  ]
  it.each(bodies)('%s', async (_name, body) => {
    await refuse(400, 'VALIDATION_ERROR', call('POST', '/v1/events', body))
  })

  it('says that a body is needed where none is sent', async () => {
    for (const path of ['/v1/events', '/v1/events/batch', '/v1/events/evt_1/retract']) {
      for (const body of [undefined, '']) {
        const error = await refuse(400, 'VALIDATION_ERROR', call('POST', path, body))
        expect(error.message).toBe('body: is missing; send a JSON object')
      }
    }
  })

  it('names every fault by its path', async () => {
    const error = await refuse(
      400,
      'VALIDATION_ERROR',
      call('POST', '/v1/events', { type: 7, extra: 1 }),
    )
    const paths = error.details.map((one: { path: string }) => one.path).sort()
    expect(paths).toEqual(['employee_email', 'extra', 'type'])
  })

  it('says in words that a text is blank', async () => {
    const blank = call('POST', '/v1/events/evt_1/retract', { reason: ' ' })
    const error = await refuse(400, 'VALIDATION_ERROR', blank)
    expect(error.message).toBe('reason: must not be blank')
  })

  it('says in words what a text or a list is like, never by a pattern', async () => {
    const wrong = [
      [{ type: 'no dots' }, 'type: must be a dotted kind such as custom.vpn_anomaly'],
      [{ type: `custom.${'x'.repeat(100)}` }, 'type: must have at most 100 characters'],
      [{ employee_email: 'a' }, 'employee_email: must have at least 3 characters'],
      [{ external_id: 'a\u0001' }, 'external_id: must have no control characters'],
      [{ external_id: '' }, 'external_id: must have at least 1 character'],
    ] as const
    for (const [part, message] of wrong) {
      const answer = call('POST', '/v1/events', { ...event, ...part })
      const error = await refuse(400, 'VALIDATION_ERROR', answer)
      expect([error.message, error.details.length]).toEqual([message, 1])
    }
    const none = call('POST', '/v1/events/batch', { events: [] })
    const { message } = await refuse(400, 'VALIDATION_ERROR', none)
    expect(message).toBe('events: must have at least 1 item')
    const twice = { url: 'https://example.com/', events: ['score.updated', 'score.updated'] }
    expect((await call('POST', '/v1/webhooks', twice)).body.error.message).toBe(
      'events: must not have the same item twice',
    )
    const all = { reason: 'scanner', filter: {} }
    expect((await call('POST', '/v1/events/retract', all)).body.error.message).toBe(
      'filter: must have at least 1 field',
    )
    expect((await call('GET', '/v1/employees?bands=red,blue')).body.error.message).toBe(
      'bands: must be of green, yellow, orange, red, critical, with commas between them',
    )
  })

  it('no body where one is needed', async () => {
    await refuse(400, 'VALIDATION_ERROR', call('POST', '/v1/events'))
    await refuse(400, 'VALIDATION_ERROR', call('POST', '/v1/events', ''))
  })

  it('a body where none is taken is refused by name', async () => {
    const { body: rules } = await call('GET', '/v1/rules?per_page=1')
    const path = `/v1/rules/${rules.data[0].id}/test`
    const error = await refuse(400, 'VALIDATION_ERROR', call('POST', path, { from: '2026-01-01' }))
    expect(error.details[0].path).toBe('from')
    await refuse(400, 'VALIDATION_ERROR', call('POST', path, '[1]'))
    expect((await call('POST', path, {})).status).toBe(200)
    expect((await call('POST', path)).status).toBe(200)
  })

  it('names what cannot be kept by its path, like every other fault', async () => {
    const body = { ...event, details: { list: [{ a: '\u0000' }] } }
    const error = await refuse(400, 'VALIDATION_ERROR', call('POST', '/v1/events', body))
    expect(error.details[0].path).toBe('details.list.0.a')
  })

  it('names a number beyond ±1e40 by its path', async () => {
    const within = '[1e40,-1e40,5e-324,"1e309"]'
    const details = `{"a":[1.1e40],"b":{"c":-1e309},"d":${within}}`
    const body = `{"type":"custom.x","employee_email":"a@b.co","details":${details}}`
    const error = await refuse(400, 'VALIDATION_ERROR', call('POST', '/v1/events', body))
    const message = 'must be between -1e40 and 1e40'
    expect(error.details).toEqual([
      { path: 'details.a.0', message },
      { path: 'details.b.c', message },
    ])
  })

  it.each(['1e309', '0.5'])('a rule of impact %s', async impact => {
    const rule = '"name":"R","event_type":"custom.x","category":"custom"'
    const answer = call('POST', '/v1/rules', `{${rule},"impact":${impact}}`)
    const { details } = await refuse(400, 'VALIDATION_ERROR', answer)
    expect(details.map((one: { path: string }) => one.path)).toEqual(['impact'])
  })

  it('names a key that is not allowed by its path', async () => {
    const details = '{"list":[{"__proto__":1}],"constructor":{"prototype":{"x":1}}}'
    const body = `{"type":"custom.x","employee_email":"a@b.co","details":${details}}`
    const error = await refuse(400, 'VALIDATION_ERROR', call('POST', '/v1/events', body))
    const message = 'is a key that is not allowed'
    expect(error.details).toEqual([
      { path: 'details.list.0.__proto__', message },
      { path: 'details.constructor.prototype', message },
    ])
  })

  it('names a body that cannot be read, like every other fault', async () => {
    const error = await refuse(400, 'VALIDATION_ERROR', call('POST', '/v1/events', '{"type": '))
    expect(error.message).toBe('body: is not valid JSON')
    expect(error.details).toEqual([{ path: 'body', message: 'is not valid JSON' }])
  })

  it.each([
    ['{"type": "custom.x",\n "employee_email": "a@b.co",}', 'at line 2, column 29'],
    ["{'type': 'custom.x'}", 'at line 1, column 2'],
    ['{"type": "custom.x"}\n{"type": "custom.y"}', 'at line 2, column 1'],
  ])('says where %j stops being JSON, and nothing of the body', async (body, where) => {
    const error = await refuse(400, 'VALIDATION_ERROR', call('POST', '/v1/events', body))
    expect(error.message).toBe(`body: is not valid JSON ${where}`)
  })

  it('names a key that an object has more than once by its path', async () => {
    const details = '{"x":"}\\"{","a":[[],{"b":{"c":1},"d":[2,3]},{"\\u0062":1,"c":4,"b":2}]}'
    const body = `{"type":"custom.x","employee_email":"a@b.co","details":${details},"type":"custom.y"}`
    const error = await refuse(400, 'VALIDATION_ERROR', call('POST', '/v1/events', body))
    const message = 'is in its object more than once'
    expect(error.details).toEqual([
      { path: 'details.a.2.b', message },
      { path: 'type', message },
    ])
  })

  it('an event of a batch with a key twice fails alone', async () => {
    const good = JSON.stringify(event)
    const body = `{"events":[${good},{"type":"custom.x","details":{"a":1,"a":2,"a":3}},${good}]}`
    const { status, body: answer } = await call('POST', '/v1/events/batch', body)
    expect(status).toBe(207)
    expect(answer.data.map((one: any) => one.status)).toEqual([404, 400, 404])
    expect(answer.data[1].error.details).toEqual([
      { path: 'details.a', message: 'is in its object more than once' },
    ])
  })

  it('says of a value that must be one of some which they are, whatever its type', async () => {
    const error = await refuse(400, 'VALIDATION_ERROR', call('POST', '/v1/rules', { category: 5 }))
    const said = error.details.filter((one: { path: string }) => one.path === 'category')
    expect(said).toEqual([
      { path: 'category', message: 'must be one of identity, email, endpoint, training, custom' },
    ])
    const erase = call('POST', '/v1/employees/emp_1/erase', { confirm: 'yes' })
    const { message } = await refuse(400, 'VALIDATION_ERROR', erase)
    expect(message).toBe('confirm: must be erase')
  })

  it('answers little to much: many faults and long names are cut', async () => {
    const long = 'k'.repeat(200_000)
    const faults = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1]))
    const rule = { name: 'R', event_type: 'custom.x', category: 'custom', impact: -1 }
    const answers = [
      await call('POST', '/v1/events', { ...event, [long]: '\u0000' }),
      await call('POST', '/v1/events', { ...event, ...faults(20_000) }),
      await call('POST', '/v1/rules', { ...rule, conditions: { a: faults(20_000) } }),
      await caller(service.app, null)('POST', '/session/login', { [long]: 1, ...faults(30) }),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(400)
      expect(body.error.details.length).toBeLessThanOrEqual(20)
      expect(JSON.stringify(body).length).toBeLessThan(20_000)
    }
  })

  it('a batch of nothing but faults is refused as a whole, or by a few faults of each', async () => {
    const many = `{"events":[${'1,'.repeat(5000)}1]}`
    const error = await refuse(400, 'VALIDATION_ERROR', call('POST', '/v1/events/batch', many))
    expect(error.details).toEqual([{ path: 'events', message: 'must have at most 1000 items' }])
    const nul = Array.from({ length: 9000 }, () => '\u0000')
    const events = [{ ['k'.repeat(100_000)]: nul }, 7, { ...event, a: 1, b: 2 }]
    const { status, body } = await call('POST', '/v1/events/batch', { events })
    expect(status).toBe(207)
    const [first, second, third] = body.data.map((one: any) => one.error.details)
    expect(first).toHaveLength(20)
    expect(first[0].path).toBe('k'.repeat(200))
    expect(second).toEqual([{ path: 'event', message: 'must be object' }])
    expect(third.map((one: any) => one.path)).toEqual(['a', 'b'])
  })

  it('a body has so many keys, list items and levels: one more is refused, whatever it says', async () => {
    const list = (count: number, item = '1') => `[${Array(count).fill(item)}]`
    const object = (count: number) => `{${Array.from({ length: count }, (_, i) => `"${i}":1`)}}`
    const levels = (count: number) => '['.repeat(count) + ']'.repeat(count)
    const cases = [
      [object(1000), object(1001), 'has more than 1000 keys in one object'],
      [list(10_000), list(10_001), 'has more than 10000 items in one list'],
      [list(39, object(999)), list(41, object(999)), 'has more than 40000 keys and list items'],
      [levels(36), levels(37), 'is nested deeper than 40'],
    ] as const
    for (const [most, more, message] of cases) {
      const send = async (details: string) => {
        const body = `{"events":[{"type":"custom.x","details":{"a":${details}}}]}`
        return (await call('POST', '/v1/events/batch', body)).body
      }
      expect((await send(most)).data).toHaveLength(1)
      expect((await send(more)).error.message).toBe(`body: ${message}`)
    }
  })

  it.each([
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-03-01',
    '2026-03-01T00:00:00',
    '2026-03-01T25:00:00Z',
    'yesterday',
    '',
    '0000-01-01T00:00:00Z',
    '+275760-09-13T00:00:00Z',
    '1e3',
  ])('a timestamp that does not exist: %s', async timestamp => {
    await refuse(400, 'VALIDATION_ERROR', call('POST', '/v1/events', { ...event, timestamp }))
  })

  it('timestamps outside the window: six minutes ahead, thirteen months old', async () => {
    const wrong = async (ms: number) => {
      const timestamp = new Date(service.clock.now() + ms).toISOString()
      const answer = call('POST', '/v1/events', { ...event, timestamp })
      return (await refuse(400, 'VALIDATION_ERROR', answer)).message
    }
    expect(await wrong(6 * 60_000)).toBe('timestamp: must not be more than 5 minutes in the future')
    const oldest = new Date(service.clock.now())
    oldest.setUTCFullYear(oldest.getUTCFullYear() - 1)
    expect(await wrong(-400 * 86_400_000)).toBe(
      `timestamp: must not be before ${oldest.toISOString()}, the end of retention`,
    )
  })

  it('our own types and sources on every way in', async () => {
    const inbound = (event_type: string, source: string, details = {}) =>
      call('POST', '/v1/events/webhook', {
        source,
        event_type,
        employee: { email: 'a@b.co' },
        details,
      })
    await refuse(400, 'VALIDATION_ERROR', inbound('recovery.clean_streak', 'x'))
    await refuse(400, 'VALIDATION_ERROR', inbound('manual.adjustment', 'x'))
    await refuse(400, 'VALIDATION_ERROR', inbound('auth.x', 'engine'))
    await refuse(400, 'VALIDATION_ERROR', inbound('auth.x', 'x', { source_system: 'dashboard' }))
    const details = { source_system: 'engine' }
    await refuse(400, 'VALIDATION_ERROR', call('POST', '/v1/events', { ...event, details }))
    await refuse(400, 'VALIDATION_ERROR', call('POST', '/v1/events', { ...event, type: 'auth.x' }))
  })
})

it('a number too small to hold is 0, as every reader takes it: when the event is scored and ever after', async () => {
  await hire(service, tenant, ['ada@example.com'])
  const rule =
    '"name":"R","event_type":"custom.tiny","category":"custom","conditions":{"a":0,"b":0}'
  const { body: none } = await call('POST', '/v1/rules', `{${rule},"impact":-1e-400}`)
  expect(none.impact).toBe(0)
  const { body: made } = await call('POST', '/v1/rules', `{${rule},"impact":-5}`)
  const sent =
    '"type":"custom.tiny","employee_email":"ada@example.com","details":{"a":1e-400,"b":-0}'
  const { body: scored } = await call('POST', '/v1/events', `{${sent}}`)
  expect([scored.impact, scored.rules_matched]).toEqual([-5, [none.id, made.id]])
  const { body: kept } = await call('GET', `/v1/events/${scored.id}`)
  expect(kept.details).toEqual({ a: 0, b: 0 })
  await recalculate(service, tenant)
  expect((await call('GET', `/v1/employees/${scored.employee_id}`)).body.score).toBe(70)
})

it('a body may begin with a byte order mark, as some tools write it', async () => {
  const { status } = await call('POST', '/v1/events', `\ufeff${JSON.stringify(event)}`)
  expect(status, 'the mark is read over, nobody has the address').toBe(404)
})

describe('400 queries and paths', () => {
  it.each([
    'page=0',
    'page=-1',
    'page=1.5',
    'page=abc',
    'page=1e2',
    'page=0x10',
    'page=%207',
    'page=99999999999',
    'per_page=101',
    'per_page=0',
    'page=1&page=2',
    'unknown=1',
    'impact=huge',
    'from=2026-02-30',
    'from=2026-03-02&to=2026-03-01',
    'type=%ff',
    'type=%00',
    'type=%ED%A0%80',
    '__proto__=1',
  ])('%s', async query => {
    await refuse(400, 'VALIDATION_ERROR', call('GET', `/v1/events?${query}`))
  })

  it('says of every parameter that is taken once', async () => {
    const query = 'type=a&type=b&page=1&page=2&impact=positive&impact=x&source=x'
    const { details } = await refuse(400, 'VALIDATION_ERROR', call('GET', `/v1/events?${query}`))
    const twice = 'must be given only once'
    expect(details).toEqual([
      { path: 'page', message: twice },
      { path: 'type', message: twice },
      { path: 'impact', message: twice },
    ])
  })

  it('says what a switch can be', async () => {
    const scope = { scope: 'all' }
    const error = await refuse(
      400,
      'VALIDATION_ERROR',
      call('POST', '/v1/rules/recalculate?dry_run=1', scope),
    )
    expect(error.message).toBe('dry_run: must be true or false')
  })

  it('a path that is not percent-encoded UTF-8', async () => {
    await refuse(400, 'VALIDATION_ERROR', call('GET', '/v1/events/%ff'))
  })
})

describe('rate limit headers on what never reaches a route', () => {
  const LIMITS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

  it.each([
    [400, '/v1/events/%ff'],
    [400, '/%zz'],
    [400, '/v1/events?type=%ff'],
    [404, '/v1/nothing'],
    [400, `/v1/events/${'x'.repeat(1500)}`],
  ])('%i %s', async (status, path) => {
    const answer = await call('GET', path)
    expect(answer.status).toBe(status)
    for (const name of LIMITS) expect(answer.headers[name]).toMatch(/^\d+$/)
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
  })

  it('an unreadable URL draws on the limits of its caller', async () => {
    const remaining = async (path: string) =>
      Number((await call('GET', path)).headers['x-ratelimit-remaining'])
    const before = await remaining('/v1/me')
    expect(await remaining('/v1/events/%ff')).toBe(before - 1)
  })
})

describe('404 and 405', () => {
  it.each([
    '/v1/events/evt_nothing',
    '/v1/events/a%2Fb',
    '/v1/events/..%2F..%2Fetc',
    '/v1/nothing',
    '//v1/me',
    '/V1/me',
    '/v1/me/',
  ])('404 %s', async path => {
    await refuse(404, 'NOT_FOUND', call('GET', path))
  })

  it.each([
    ['GET', '/v1/employees/'],
    ['GET', '/v1/employees/by-email/'],
    ['POST', '/v1/rules//test'],
    ['DELETE', '/v1/rules/'],
  ] as const)('404 %s %s: an id that is empty is a wrong path', async (method, path) => {
    const error = await refuse(404, 'NOT_FOUND', call(method, path))
    expect(error.message).toBe('no such path')
  })

  it('405 names the methods the path takes', async () => {
    const answer = await call('DELETE', '/v1/events/evt_1')
    expect(answer.status).toBe(405)
    expect(answer.body.error.code).toBe('METHOD_NOT_ALLOWED')
    expect(answer.headers.allow).toContain('GET')
    expect((await call('OPTIONS', '/v1/events')).status).toBe(405)
    expect((await call('PUT', '/v1/events', {})).status).toBe(405)
  })

  it.each([
    ['GET', '/v1/events/webhook'],
    ['GET', '/v1/events/batch?x=1'],
    ['PUT', '/v1/events/retract'],
    ['GET', '/v1/rules/recalculate'],
    ['DELETE', '/v1/rules/test'],
  ] as const)('405 %s %s: a path with a name of its own is not an id', async (method, path) => {
    const answer = await call(method, path)
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST'])
  })

  it('405 for every method nobody offers, also one that asks for a Content-Type', async () => {
    const others = METHODS.filter(one => !['GET', 'HEAD', 'POST', 'CONNECT'].includes(one))
    expect(others).toContain('QUERY')
    for (const method of others) {
      service.clock.advance(1000)
      expect([method, (await call(method as 'PUT', '/v1/events')).status]).toEqual([method, 405])
    }
  })

  it('404 and 405 come before anything is said of the body', async () => {
    for (const body of ['{', 'a=b', 'x'.repeat(300_000)]) {
      for (const type of ['application/json', 'text/plain']) {
        const headers = { 'content-type': type }
        expect((await call('POST', '/v1/nothing', body, headers)).status).toBe(404)
        expect((await call('PUT', '/v1/events', body, headers)).status).toBe(405)
      }
    }
  })

  it('HEAD answers like GET without a body', async () => {
    const answer = await call('HEAD', '/v1/me')
    expect([answer.status, answer.body]).toEqual([200, undefined])
  })
})

describe('413 and 415', () => {
  it('413 a body over 256 KiB', async () => {
    const body = JSON.stringify({ ...event, details: { a: 'x'.repeat(270_000) } })
    await refuse(413, 'PAYLOAD_TOO_LARGE', call('POST', '/v1/events', body))
  })

  it('413 says how large a body may be', async () => {
    const message = async (path: string, size: number) =>
      (await call('POST', path, ' '.repeat(size))).body.error.message
    expect(await message('/v1/events', 262_145)).toBe('the body is larger than 256 KiB')
    expect(await message('/v1/events/batch', 4_194_305)).toBe('the body is larger than 4 MiB')
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonx',
    'text/json',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    'json',
  ])('415 %s', async type => {
    const answer = call('POST', '/v1/events', JSON.stringify(event), { 'content-type': type })
    await refuse(415, 'UNSUPPORTED_MEDIA_TYPE', answer)
  })

  it.each([
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/json;charset="UTF-8"',
  ])('takes %s', async type => {
    const answer = await call('POST', '/v1/events', JSON.stringify(event), { 'content-type': type })
    expect(answer.status).toBe(404)
  })

  it.each(['gzip', 'br', 'deflate', 'gzip, identity', 'x'])(
    '415 a body packed by %s',
    async encoding => {
      const headers = { 'content-encoding': encoding }
      const answer = call('POST', '/v1/events', JSON.stringify(event), headers)
      await refuse(415, 'UNSUPPORTED_MEDIA_TYPE', answer)
    },
  )

  it('judges credentials before the body', async () => {
    await refuse(401, 'UNAUTHORIZED', caller(service.app, null)('POST', '/v1/events', '{'))
  })
})

describe('over a real socket', () => {
  const send = async (text: string) =>
    (await sendRaw(await portOf(service.app), text, PATIENCE_MS)).text

  it('431 a header of 20 kB', async () => {
    const answer = await send(
      `GET /v1/me HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 431 /)
    expect(answer).toContain('VALIDATION_ERROR')
    expect(answer).toMatch(/x-ratelimit-limit: 60\r\n/)
  })

  it('400 what is not HTTP', async () => {
    const answer = await send('NONSENSE\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(answer).toMatch(/x-ratelimit-remaining: \d+\r\n/)
  })

  it('200 an expectation nobody knows is passed over', async () => {
    const head = `GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n`
    expect(await send(`${head}Expect: tea\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /)
  })

  it('200 GET with a body that nobody asked for', async () => {
    const head = `GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n`
    expect(await send(`${head}Content-Length: 3\r\n\r\nabc`)).toMatch(/^HTTP\/1.1 200 /)
  })
})
