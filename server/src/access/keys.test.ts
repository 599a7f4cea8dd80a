// API keys: what they open, for how long, and what is remembered of their use.
import { describe, expect, it } from 'vitest'
import { addApp } from '../../test/oauth.ts'
import { signIn } from '../../test/people.ts'
import { caller, startService } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { listKeys } from '../keys/keys.queries.ts'
import { createKey, readScopes, revokeKeyById } from '../keys/manage-keys.ts'

const service = await startService()

const HEADERS = { 'idempotency-key': 'lost' }

describe('200', () => {
  it('GET /v1/me tells tenant, plan and scopes', async () => {
    const { call, tenant_id, key_id } = await service.tenant({
      plan: 'starter',
      scopes: 'rules:read',
    })
    const { status, body } = await call('GET', '/v1/me')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      tenant: { id: tenant_id, name: 'Acme' },
      plan: 'starter',
      actor: { kind: 'key', id: key_id },
      scopes: ['rules:read'],
    })
  })

  it.each([
    ['starter', 60, 100, 60, 20, 200, 1, 24],
    ['professional', 300, 500, 100, 100, 1000, 1, 1],
    ['enterprise', 1000, 2000, 1000, 1000, 10_000, 4, 1],
  ] as const)(
    'GET /v1/me tells the limits of the plan %s as they are promised',
    async (plan, ...of) => {
      const { call } = await service.tenant({ plan, limits: {} })
      const [requests, burst, scores, inbound, outbound, recalculations, hours] = of
      expect((await call('GET', '/v1/me')).body.limits).toEqual({
        requests,
        burst,
        scores,
        inbound,
        outbound,
        recalculations,
        recalculation_window_hours: hours,
      })
    },
  )

  it('the scheme in any case, with any number of spaces behind it', async () => {
    const { key } = await service.tenant()
    for (const authorization of [`bearer ${key}`, `Bearer   ${key}`]) {
      const answer = await caller(service.app, null)('GET', '/v1/me', undefined, { authorization })
      expect([authorization.slice(0, 9), answer.status]).toEqual([authorization.slice(0, 9), 200])
    }
  })
})

describe('201, asked for again', () => {
  it('with the same Idempotency-Key the first key is shown, and no second one is made', async () => {
    const { tenant_id } = await service.tenant()
    const owner = await signIn(service, tenant_id, 'owner')
    const ask = (name: string) =>
      owner.call('POST', '/admin/keys', { name, scopes: ['rules:read'] }, HEADERS)
    const first = await ask('CI')
    expect(first.status).toBe(201)
    expect((await ask('CI')).body).toEqual(first.body)
    expect((await ask('CD')).status).toBe(409)
    expect((await caller(service.app, first.body.key)('GET', '/v1/me')).status).toBe(200)
    const { body } = await owner.call('GET', '/admin/keys')
    expect(body.data.filter(({ name }: { name: string }) => name !== 'test')).toHaveLength(1)
  })

  it('an OAuth app is made once too, and its secret stays the one that was shown', async () => {
    const { tenant_id } = await service.tenant()
    const owner = await signIn(service, tenant_id, 'owner')
    const app = { name: 'Wiki', redirect_uris: ['https://wiki.test/cb'], scopes: ['scores:read'] }
    const ask = () => owner.call('POST', '/admin/apps', app, HEADERS)
    const first = await ask()
    expect(first.status).toBe(201)
    expect((await ask()).body).toEqual(first.body)
    expect((await owner.call('GET', '/admin/apps')).body.data).toHaveLength(1)
  })

  it("an app's new secret is the one that was shown, and not yet another", async () => {
    const { tenant_id } = await service.tenant()
    const owner = await signIn(service, tenant_id, 'owner')
    const { client_id } = await addApp(service, tenant_id)
    const ask = () => owner.call('POST', `/admin/apps/${client_id}/secret`, undefined, HEADERS)
    const first = await ask()
    const again = await ask()
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body])
  })

  it('what is kept for that shows no secret', async () => {
    const { tenant_id } = await service.tenant()
    const owner = await signIn(service, tenant_id, 'owner')
    const body = { name: 'CI', scopes: ['rules:read'] }
    const { key } = (await owner.call('POST', '/admin/keys', body, HEADERS)).body
    const kept = await service.context.db.inTenant(
      tenant_id,
      tx => tx`SELECT a::text AS text FROM idempotent_answers a WHERE tenant_id = ${tenant_id}`,
    )
    expect(kept).toHaveLength(1)
    expect(kept[0]!.text).not.toContain(key.slice(-49))
  })
})

describe('401', () => {
  it('says how to send a credential where none is sent as Bearer', async () => {
    const { key } = await service.tenant()
    const how = 'send an API key or access token as "Authorization: Bearer <credential>"'
    for (const authorization of [key, `Basic ${key}`, 'Bearer', 'Bearer a b']) {
      const headers = { authorization }
      const { status, body } = await caller(service.app, null)('GET', '/v1/me', undefined, headers)
      expect([status, body.error.message]).toEqual([401, how])
    }
  })

  it('an app is told by the header whether its token is dead or lacks a scope, as RFC 6750 says', async () => {
    const { key, tenant_id } = await service.tenant()
    const challenge = async (bearer: string, method: 'GET' | 'POST', url: string) => {
      const { status, headers } = await caller(service.app, bearer)(method, url)
      return [status, headers['www-authenticate']]
    }
    const dead = await challenge(
      `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
      'GET',
      '/v1/me',
    )
    expect(dead).toEqual([401, 'Bearer error="invalid_token"'])
    const one = { name: 'one', scopes: readScopes('employees:read'), expires_at: null }
    const narrow = (await asOperator(service.context, tenant_id, createKey, one)).key
    const lacking = (scopes: string) => [
      403,
      `Bearer error="insufficient_scope", scope="${scopes}"`,
    ]
    expect(await challenge(narrow, 'POST', '/v1/rules')).toEqual(lacking('rules:write'))
    const needed = 'employees:read events:read actions:read'
    expect(await challenge(narrow, 'GET', '/v1/employees/emp_x/export')).toEqual(lacking(needed))
    expect(await challenge(narrow, 'GET', '/v1/me')).toEqual([200, undefined])
  })

  it('no credential, another scheme, a mistyped key, an expired key', async () => {
    const { key, tenant_id } = await service.tenant()
    const none = await caller(service.app, null)('GET', '/v1/me')
    expect(none.status).toBe(401)
    expect(none.body.error.code).toBe('UNAUTHORIZED')
    expect(none.headers['www-authenticate']).toBe('Bearer')
    const basic = { authorization: `Basic ${key}` }
    expect((await caller(service.app, null)('GET', '/v1/me', undefined, basic)).status).toBe(401)
    const mistyped = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
    expect((await caller(service.app, mistyped)('GET', '/v1/me')).status).toBe(401)
    const short = await asOperator(service.context, tenant_id, createKey, {
      name: 'short',
      scopes: readScopes('all'),
      expires_at: new Date(service.clock.now() + 60_000),
    })
    expect((await caller(service.app, short.key)('GET', '/v1/me')).status).toBe(200)
    service.clock.advance(60_000)
    expect((await caller(service.app, short.key)('GET', '/v1/me')).status).toBe(401)
  })

  it('a revoked key, within a second', async () => {
    const { call, tenant_id, key_id } = await service.tenant()
    expect((await call('GET', '/v1/me')).status).toBe(200)
    await asOperator(service.context, tenant_id, revokeKeyById, key_id)
    service.clock.advance(999)
    expect((await call('GET', '/v1/me')).status).toBe(401)
  })
})

describe('what is stored', () => {
  it('holds no key in clear, and when it was last used without a write per request', async () => {
    const { call, tenant_id, key } = await service.tenant()
    for (let i = 0; i < 5; i++) await call('GET', '/v1/me')
    const read = () => service.context.db.inTenant(tenant_id, tx => listKeys(tx, tenant_id))
    expect((await read())[0]!.last_used_at).toBeNull()
    await service.app.flush()
    expect((await read())[0]!.last_used_at?.getTime()).toBe(service.clock.now())
    const dump = await service.context.db.inTenant(
      tenant_id,
      tx => tx`SELECT k::text AS text FROM api_keys k WHERE tenant_id = ${tenant_id}`,
    )
    expect(JSON.stringify(dump)).not.toContain(key.slice(-49))
  })
})

describe('the list', () => {
  it('shows every key that is not revoked, however many were; beyond a thousand there is none', async () => {
    const { tenant_id } = await service.tenant()
    const { db, clock } = service.context
    const at = new Date(clock.now())
    const insert = (count: number, name: string, revoked_at: Date | null) => {
      const ids = Array.from({ length: count }, (_, i) => `key_00${name}${i}`)
      return db.inTenant(
        tenant_id,
        tx => tx`INSERT INTO api_keys (tenant_id, key_id, key_hash, name, scopes, created_by, created_at, revoked_at)
          SELECT ${tenant_id}, u.id, u.id::bytea, ${name}, '{rules:read}', 'operator:operator', ${at}::timestamptz,
            ${revoked_at}::timestamptz FROM unnest(${ids}::text[]) AS u(id)`,
      )
    }
    await insert(1100, 'revoked', at)
    const owner = await signIn(service, tenant_id)
    const list = async () => (await owner.call('GET', '/admin/keys')).body
    const body = { name: 'new', scopes: ['rules:read'] }
    const made = await owner.call('POST', '/admin/keys', body)
    const { data, truncated } = await list()
    expect([data.length, data.at(-1).id, truncated]).toEqual([1000, made.body.id, true])
    const live = (rows: { revoked_at: string | null }[]) =>
      rows.filter(row => !row.revoked_at).length
    await insert(997, 'live', null)
    expect((await owner.call('POST', '/admin/keys', body)).status).toBe(201)
    expect(live((await list()).data)).toBe(1000)
    const refused = await owner.call('POST', '/admin/keys', body)
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      'an organization has at most 1000 API keys; revoke one first',
    ])
    expect((await owner.call('DELETE', `/admin/keys/${made.body.id}`)).status).toBe(204)
    expect((await owner.call('POST', '/admin/keys', body)).status).toBe(201)
  })
})
