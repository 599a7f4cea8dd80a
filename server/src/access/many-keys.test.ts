// Very many keys and apps: whatever is in use is listed, and can be ended.
import { expect, test } from 'vitest'
import { signIn } from '../../test/people.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { createKey, readScopes } from '../keys/manage-keys.ts'
import { operatorOrigin } from '../platform/actor.ts'

const service = await startService()
const MANY = 1000

async function addKeys({ tenant_id }: Tenant, revoked_at: Date | null): Promise<void> {
  await service.context.db.inTenant(
    tenant_id,
    tx => tx`INSERT INTO api_keys (tenant_id, key_id, key_hash, name, scopes, created_by, created_at, revoked_at)
      SELECT ${tenant_id}, 'key_0' || n, sha256(n::text::bytea), 'old', '{rules:read}', 'operator:test',
        ${new Date(0)}, ${revoked_at} FROM generate_series(1, ${MANY}::int) n`,
  )
}

const key = { name: 'new', scopes: readScopes('all'), expires_at: null }
const create = ({ tenant_id }: Tenant) =>
  createKey(service.context, tenant_id, operatorOrigin(), key)

test('a key is listed however many were revoked before it', async () => {
  const tenant = await service.tenant()
  await addKeys(tenant, new Date(service.clock.now()))
  const { id } = await create(tenant)
  const desk = await signIn(service, tenant.tenant_id)
  const { body } = await desk.call('GET', '/admin/keys')
  expect(body.data).toHaveLength(MANY)
  expect(body.data.map((one: { id: string }) => one.id)).toEqual(
    expect.arrayContaining([tenant.key_id, id]),
  )
})

test('409 beyond 1,000 keys that are not revoked; a revoked one makes room', async () => {
  const tenant = await service.tenant()
  await addKeys(tenant, null)
  const desk = await signIn(service, tenant.tenant_id)
  const full = 'a tenant has at most 1000 keys; revoke one first'
  const again = { name: 'one more', scopes: ['rules:read'] }
  const refused = await desk.call('POST', '/admin/keys', again)
  expect([refused.status, refused.body.error.message]).toEqual([409, full])
  for (const id of ['key_01', 'key_02'])
    expect((await desk.call('DELETE', `/admin/keys/${id}`)).status).toBe(204)
  expect((await desk.call('POST', '/admin/keys', again)).status).toBe(201)
})

test('409 beyond 1,000 apps', async () => {
  const tenant = await service.tenant()
  const { tenant_id } = tenant
  await service.context.db.inTenant(
    tenant_id,
    tx => tx`INSERT INTO oauth_apps (tenant_id, client_id, name, redirect_uris, scopes, secret_hash, created_by,
        created_at)
      SELECT ${tenant_id}, 'client_' || n, 'old', '{https://x.com/}', '{rules:read}', sha256(''), 'operator:test',
        ${new Date(0)} FROM generate_series(1, ${MANY}::int) n`,
  )
  const desk = await signIn(service, tenant_id)
  const app = { name: 'new', redirect_uris: ['https://x.com/back'], scopes: ['rules:read'] }
  const refused = await desk.call('POST', '/admin/apps', app)
  const full = 'a tenant has at most 1000 apps; delete one first'
  expect([refused.status, refused.body.error.message]).toEqual([409, full])
})
