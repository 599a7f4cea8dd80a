// API keys: what they open, for how long, and what is remembered of their use.
import { describe, expect, it } from 'vitest'
import { caller, startService } from '../../test/service.ts'
import { listKeys } from '../keys/keys.queries.ts'
import { createKey, readScopes, revokeKeyById } from '../keys/manage-keys.ts'
import { operatorOrigin } from '../platform/actor.ts'

const service = await startService()

describe('200', () => {
  it('GET /v1/me tells tenant, plan, scopes and limits', async () => {
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
      limits: { requests: 60, burst: 100, recalculations: 1, recalculation_window_hours: 24 },
    })
  })

  it('the scheme in any case, with any number of spaces behind it', async () => {
    const { key } = await service.tenant()
    for (const authorization of [`bearer ${key}`, `Bearer   ${key}`]) {
      const answer = await caller(service.app, null)('GET', '/v1/me', undefined, { authorization })
      expect([authorization.slice(0, 9), answer.status]).toEqual([authorization.slice(0, 9), 200])
    }
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
    const short = await createKey(service.context, tenant_id, operatorOrigin(), {
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
    await revokeKeyById(service.context, tenant_id, operatorOrigin(), key_id)
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
