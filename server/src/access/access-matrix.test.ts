// Visits every operation of the API: who may not, does not; a new operation without a case fails here.
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildOfflineDocument } from '../../../tools/offline-app.ts'
import { signIn } from '../../test/people.ts'
import { type Answer, type Call, caller, startService, type Tenant } from '../../test/service.ts'
import { newKey } from '../keys/key-format.ts'
import { idPart } from '../platform/ids.ts'
import { SCOPE_NAMES } from '../tenants/scopes.ts'
import { fillWith, NOT_MADE_HERE } from './access-matrix.fixture.ts'

type Method = Parameters<Call>[0]
type Operation = {
  name: string
  method: Method
  path: string
  scope: string | undefined
  scopes: string[]
  body: unknown
  repeatable: boolean
  /** By a session only. */
  by_person: boolean
}

const operations: Operation[] = Object.entries(buildOfflineDocument().paths).flatMap(
  ([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase() as Method,
      path,
      scope: operation['x-required-scope'] as string | undefined,
      scopes: (operation as any).security.flatMap(
        (one: any) => one.oauth ?? (one.session ? [operation['x-required-scope']] : []),
      ),
      body: (operation as any).requestBody?.content['application/json'].example,
      repeatable: JSON.stringify(operation.parameters ?? []).includes('Idempotency-Key'),
      by_person: (operation as any).security.some((one: any) => one.session),
    })),
)
const guarded = operations.filter(({ scope }) => scope !== undefined)
const scoped = guarded.filter(({ scope }) => scope !== 'any')
const addressed = guarded.filter(({ path }) => path.includes('{'))
const paths = [...new Set(operations.map(({ path }) => path))]

const service = await startService()
const owner = await service.tenant({ name: 'Owner' })
const stranger = await service.tenant({ name: 'Stranger' })
const desk = await signIn(service, owner.tenant_id, 'owner')
const nobody = caller(service.app, null)

const filled = (path: string) => path.replaceAll(/\{\w+\}/g, 'none')

/** Keeps the bucket of the address from running dry; nothing else here depends on the time. */
async function withoutCredential(ask: () => Promise<Answer>): Promise<Answer> {
  service.clock.advance(2000)
  return ask()
}

function expectHeaders({ headers }: Answer): void {
  expect(headers['x-request-id']).toMatch(/^req_[0-9a-z]+$/)
  for (const name of ['limit', 'remaining', 'reset']) {
    expect(headers[`x-ratelimit-${name}`], name).toMatch(/^\d+$/)
  }
}

function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body?.error?.code }).toEqual({ status, code })
  expect(answer.body.error.request_id).toBe(answer.headers['x-request-id'])
  expectHeaders(answer)
}

test('every route under /v1 is part of the document and asks for a credential', () => {
  const documented = new Set(operations.map(({ name }) => name))
  const routes = service.app.routes.filter(({ url }) => url.startsWith('/v1'))
  const names = routes.map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`)
  expect(names.filter(name => !documented.has(name))).toEqual([])
  expect(routes.filter(({ scope }) => scope === undefined).map(({ url }) => url)).toEqual([])
  expect(guarded.length).toBeGreaterThan(20)
})

describe('400', () => {
  const posts = guarded.filter(({ method }) => method === 'POST')

  test.each(posts)(
    'for a malformed Idempotency-Key, where it says that it takes one: $name',
    async ({ path, body, repeatable, by_person }) => {
      const headers = { 'idempotency-key': 'not one' }
      const call = by_person ? desk.call : owner.call
      const answer = await call('POST', filled(path), body, headers)
      const refused = answer.body?.error?.details?.[0]?.path === 'Idempotency-Key'
      expect(refused).toBe(repeatable)
    },
  )
})

describe('401', () => {
  test.each(guarded)('without a credential: $name', async ({ method, path }) => {
    expectError(await withoutCredential(() => nobody(method, filled(path))), 401, 'UNAUTHORIZED')
  })

  test.each(guarded)(
    'with one that is not ours, or ours but unknown: $name',
    async ({ method, path }) => {
      const unknown = [`sk_${'x'.repeat(40)}`, newKey(idPart(owner.tenant_id)), newKey('nowhere')]
      for (const key of unknown) {
        const ask = () => caller(service.app, key)(method, filled(path))
        expectError(await withoutCredential(ask), 401, 'UNAUTHORIZED')
      }
    },
  )
})

describe('403', () => {
  test.each(scoped)('with every scope but the one: $name', async ({ method, path, scopes }) => {
    for (const scope of scopes) {
      const others = SCOPE_NAMES.filter(name => name !== scope)
      expect(others).toHaveLength(SCOPE_NAMES.length - 1)
      const call = await owner.as(others.join(','))
      const answer = await call(method, filled(path))
      expectError(answer, 403, 'FORBIDDEN')
      expect(answer.body.error.message).toContain(scope)
    }
  })

  test.each(scoped)(
    'not with just the scopes it names: $name',
    async ({ method, path, scopes }) => {
      const call = await owner.as(scopes.join(','))
      const { body } = await call(method, filled(path))
      expect(body?.error?.message ?? '').not.toContain('lacks the scope')
    },
  )
})

/** As long as an id may be, of letters that no index can make shorter. */
const noise = createHash('shake256', { outputLength: 2000 }).update('an id').digest()
const LONG_ID = Array.from({ length: 1000 }, (_, i) =>
  String.fromCharCode(0x4e00 + (noise.readUInt16BE(2 * i) % 20_000)),
).join('')

const made = addressed.filter(({ path }) => !(path in NOT_MADE_HERE))

describe('404', () => {
  test.each(made)(
    "for another tenant's, as if it did not exist: $name",
    async ({ method, path, body }) => {
      const { url, absent } = await fillWith(owner, path)
      const foreign = await stranger.call(method, url, body)
      expectError(foreign, 404, 'NOT_FOUND')
      const nothing = await stranger.call(method, absent, body)
      expectError(nothing, 404, 'NOT_FOUND')
      expect(foreign.body.error.message).toBe(nothing.body.error.message)
    },
  )

  test.each(addressed.filter(({ repeatable }) => repeatable))(
    'for the longest id, under the longest Idempotency-Key: $name',
    async ({ path, body, by_person }) => {
      const url = path.replaceAll(/\{\w+\}/g, encodeURIComponent(LONG_ID))
      const call = by_person ? desk.call : owner.call
      for (const _ of ['once', 'again']) {
        const answer = await call('POST', url, body, { 'idempotency-key': 'k'.repeat(255) })
        expectError(answer, 404, 'NOT_FOUND')
      }
    },
  )

  test.each(made)('but not for its owner: $name', async ({ method, path, body }) => {
    const answer = await owner.call(method, (await fillWith(owner, path)).url, body)
    expect([200, 201, 202, 204, 409]).toContain(answer.status)
    expectHeaders(answer)
  })

  test('for a path that does not exist, with and without a credential', async () => {
    expectError(await owner.call('GET', '/v1/nowhere'), 404, 'NOT_FOUND')
    expectError(await withoutCredential(() => nobody('GET', '/v1/nowhere')), 404, 'NOT_FOUND')
  })
})

describe('405', () => {
  test.each(paths)('for a method that it does not take: %s', async path => {
    const taken = operations.filter(one => one.path === path).map(({ method }) => method)
    const answer = await owner.call('PUT', filled(path))
    expect(taken).not.toContain('PUT')
    expectError(answer, 405, 'METHOD_NOT_ALLOWED')
    const allowed = String(answer.headers.allow).split(', ')
    expect(allowed).toEqual(expect.arrayContaining(taken))
  })
})

describe('429', () => {
  let spent: Tenant

  beforeAll(async () => {
    spent = await service.tenant({ plan: 'starter', name: 'Spent' })
    const answers = []
    for (let i = 0; i <= 100; i++) answers.push(await spent.call('GET', '/v1/me'))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100)
  })

  test.each(guarded)('when the limit is spent: $name', async ({ method, path }) => {
    const answer = await spent.call(method, filled(path))
    expectError(answer, 429, 'RATE_LIMITED')
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(answer.headers['x-ratelimit-remaining']).toBe('0')
  })
})
