// What ended after a backup does not come back with it: sign-ins never, and the rest by tombstones.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { afterFile } from '../../test/after-file.ts'
import { addApp } from '../../test/oauth.ts'
import { addPerson, PASSWORD, signIn } from '../../test/people.ts'
import { hire, ingest } from '../../test/scenario.ts'
import { cloneDatabase, startService } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { changeMember, removeMember } from '../accounts/manage-members.ts'
import { verifyPassword } from '../accounts/password-hash.ts'
import { setUserEnabled, startReset } from '../accounts/rescue-user.ts'
import { findUser } from '../accounts/users.queries.ts'
import { deleteTenant } from '../delete-tenant.ts'
import { revokeKeyById } from '../keys/manage-keys.ts'
import { changeTenant } from '../manage-tenants.ts'
import { endGrantById } from '../oauth/end-grant.ts'
import { removeApp } from '../oauth/manage-apps.ts'
import { operatorOrigin } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { type Database, openDatabase, RESERVED_TENANT } from '../platform/database.ts'
import { nameRoles } from '../platform/database-roles.ts'
import type { PostgresAddress } from '../platform/embedded-postgres.ts'
import { createSecrets, keyFromSetting } from '../platform/secrets.ts'
import { verifyTenant } from '../verify/verify-tenant.ts'
import { createWebhook, removeWebhook } from '../webhooks/manage-webhooks.ts'
import { applyTombstones, revokeKeys } from './apply-tombstones.ts'
import { backUp } from './back-up.ts'
import { restore } from './restore.ts'
import { readTombstones, writeTombstones } from './tombstones.ts'

const PROVEN = { unverified: false }
const folder = mkdtempSync(join(tmpdir(), 'bellwether-tombstones-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const [file, graves] = [join(folder, 'all.backup'), join(folder, 'tombstones')]

const service = await startService()
const { context, clock } = service
const owner = open(service.address)

function open(address: PostgresAddress, roles = false): Database {
  const db = openDatabase({ address, pool: 2, prepare: true, roles: roles ? nameRoles() : null })
  afterFile(() => db.close())
  return db
}

/** The service as it is on another, empty database. */
async function openEmpty(): Promise<{ owner: Database; context: Context }> {
  const address = await cloneDatabase()
  return { owner: open(address), context: { ...context, db: open(address, true) } }
}

/** Everything that can end, and a tenant that stays beside it. */
async function fill() {
  const [acme, gone, paused] = [
    await service.tenant(),
    await service.tenant({ name: 'Gone' }),
    await service.tenant({ name: 'Paused' }),
  ]
  const { tenant_id } = acme
  await hire(service, acme, ['ada@example.com', 'bo@example.com'])
  const [ada] = (await acme.call('GET', '/v1/employees')).body.data
  const [told] = await ingest(service, acme, [
    { email: 'bo@example.com', type: 'custom.seen', details: { text: 'Zebrafinch' } },
  ])
  const event_id = told?.kind === 'scored' ? told.event.id : ''
  const boss = await signIn(service, tenant_id, 'owner')
  const [left, halted, shut] = [
    await addPerson(service, tenant_id, 'viewer'),
    await addPerson(service, tenant_id, 'viewer'),
    await addPerson(service, tenant_id, 'viewer'),
  ]
  const [kept, dropped] = [await addApp(service, tenant_id), await addApp(service, tenant_id)]
  const { tokens } = await kept.connect(boss)
  await dropped.connect(boss)
  const user = await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, boss.user_id))
  await startReset(context, operatorOrigin(), 'https://x.test', user!, null)
  const hook = { url: 'https://hooks.example/in', events: ['score.updated' as const] }
  const webhook = await asOperator(context, tenant_id, createWebhook, hook, context)
  await acme.as('employees:read')
  return {
    acme,
    event_id,
    gone,
    paused,
    ada,
    boss,
    left,
    halted,
    shut,
    kept,
    dropped,
    tokens,
    webhook,
  }
}
const world = await fill()
const { tenant_id, key_id } = world.acme
const made = await backUp(context, owner, file)

const count = async (db: Database, table: string, where = 'true') =>
  (await db.sql.unsafe(`SELECT count(*)::int AS n FROM ${table} WHERE ${where}`))[0]!.n

describe('restore', () => {
  it('ends all sessions, links, OAuth tokens and codes, and counts what else is in force', async () => {
    for (const table of ['sessions', 'account_links', 'oauth_tokens', 'oauth_codes'])
      expect(await count(owner, table), table).toBeGreaterThan(0)
    const target = await openEmpty()
    const done = await restore(target.context, target.owner, file, PROVEN)
    expect(done).toMatchObject({ rows: made.rows, proven: true })
    for (const table of ['sessions', 'account_links', 'oauth_tokens', 'oauth_codes'])
      expect(await count(target.owner, table), table).toBe(0)
    expect(Object.values(done.ended).every(n => n > 0)).toBe(true)
    expect(done.in_force).toMatchObject({
      keys: 4,
      grants: 2,
      members: 4,
      webhooks: 1,
      employees: 2,
    })
  })

  it('can revoke every key, each with its entry in the audit log', async () => {
    const target = await openEmpty()
    await restore(target.context, target.owner, file, PROVEN)
    expect(await revokeKeys(target.context, target.owner)).toEqual({ ended: 4, refused: [] })
    expect(await count(target.owner, 'api_keys', 'revoked_at IS NULL')).toBe(0)
    expect(await count(target.owner, 'audit_entries', "action = 'key.revoked'")).toBe(4)
  })
})

describe('tombstones', () => {
  beforeAll(async () => {
    clock.advance(60_000)
    const { ada, boss, dropped, gone, halted, kept, left, paused, shut, webhook } = world
    const origin = operatorOrigin()
    const run = asOperator
    await run(context, tenant_id, revokeKeyById, key_id)
    const [grant] = await owner.sql`SELECT grant_id FROM oauth_grants
      WHERE tenant_id = ${tenant_id} AND client_id = ${kept.client_id}`
    await run(context, tenant_id, endGrantById, grant!.grant_id, null)
    await run(context, tenant_id, removeApp, dropped.client_id)
    await run(context, tenant_id, removeWebhook, webhook.id)
    await run(context, tenant_id, changeMember, halted.user_id, { status: 'disabled' })
    await removeMember(context, tenant_id, origin, left.user_id)
    const user = await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, shut.user_id))
    await setUserEnabled(context, origin, user!, false)
    const password = 'a longer violet otter'
    expect((await boss.call('PUT', '/session/password', { password })).status).toBeLessThan(300)
    const call = await world.acme.as('employees:write')
    const redacted = await call('POST', `/v1/events/${world.event_id}/redact`)
    expect(redacted.status).toBe(200)
    const erase = await call('POST', `/v1/employees/${ada.id}/erase`, { confirm: 'erase' })
    expect(erase.status).toBeLessThan(300)
    await run(context, paused.tenant_id, changeTenant, { status: 'suspended' })
    await deleteTenant(context, gone.tenant_id, origin, 'Gone', () => {})
    await writeTombstones(context, owner, graves)
  })

  it('are ids and hashes in a file of its owner: no name, no address, no secret', async () => {
    expect(statSync(graves).mode & 0o777).toBe(0o600)
    const text = readFileSync(graves, 'utf8')
    for (const id of [
      key_id,
      world.event_id,
      world.ada.id,
      world.left.user_id,
      world.gone.tenant_id,
    ])
      expect(text).toContain(id)
    expect(text).not.toMatch(/@|argon2|Gone|bw_live_/)
  })

  it('end again what had ended, by the operations of every day; a second time there is nothing', async () => {
    const { ada, boss, dropped, gone, halted, kept, left, paused, shut, webhook } = world
    const target = await openEmpty()
    await restore(target.context, target.owner, file, PROVEN)
    const tombstones = await readTombstones(context.secrets, graves, PROVEN)
    const first = await applyTombstones(target.context, target.owner, tombstones)
    expect(first).toEqual({ ended: 12, refused: [] })
    const left_of = (table: string, where: string) => count(target.owner, table, where)
    expect(await left_of('api_keys', `key_id = '${key_id}' AND revoked_at IS NULL`)).toBe(0)
    expect(
      await left_of('oauth_grants', `client_id = '${kept.client_id}' AND revoked_at IS NULL`),
    ).toBe(0)
    expect(await left_of('oauth_apps', `client_id = '${dropped.client_id}'`)).toBe(0)
    expect(await left_of('webhooks', `webhook_id = '${webhook.id}' AND status <> 'deleted'`)).toBe(
      0,
    )
    expect(await left_of('memberships', `user_id = '${left.user_id}'`)).toBe(0)
    for (const { user_id } of [halted, shut])
      expect(await left_of('memberships', `user_id = '${user_id}' AND status = 'active'`)).toBe(0)
    expect(await left_of('employees', `employee_id = '${ada.id}' AND email LIKE 'ada@%'`)).toBe(0)
    expect(await left_of('events', "details::text LIKE '%Zebrafinch%'")).toBe(0)
    expect(await left_of('tenants', `tenant_id = '${gone.tenant_id}'`)).toBe(0)
    expect(
      await left_of('tenants', `tenant_id = '${paused.tenant_id}' AND status = 'active'`),
    ).toBe(0)
    const [user] = await target.owner.sql`SELECT password_hash FROM users
      WHERE user_id = ${boss.user_id}`
    expect(await verifyPassword(PASSWORD, user!.password_hash, context.config.password_cost)).toBe(
      false,
    )
    expect(await verifyTenant(target.context, tenant_id)).toMatchObject({ clean: true })
    const second = await applyTombstones(target.context, target.owner, tombstones)
    expect(second).toEqual({ ended: 0, refused: [] })
  })

  it('what the rules forbid is left, and told: the last owner stays', async () => {
    const target = await openEmpty()
    await restore(target.context, target.owner, file, PROVEN)
    const { user_id } = world.boss
    const one = { kind: 'removed_member', tenant_id, id: user_id, mark: '' } as const
    const { ended, refused } = await applyTombstones(target.context, target.owner, [one])
    expect(ended).toBe(0)
    expect(refused).toEqual([
      expect.stringMatching(`removed_member ${user_id} of ${tenant_id}: the last owner`),
    ])
  })

  it('changed, cut or of another key, they are refused', async () => {
    const text = readFileSync(graves, 'utf8')
    const wrong = join(folder, 'wrong')
    const lines = text.trimEnd().split('\n')
    const forged = lines.toSpliced(1, 1).join('\n')
    for (const some of [forged, lines.slice(0, -1).join('\n'), `${lines.at(-1)}\n`, '', 'x']) {
      writeFileSync(wrong, some)
      const attempt = readTombstones(context.secrets, wrong, PROVEN)
      await expect(attempt, some.slice(0, 40)).rejects.toThrow(/nothing proves|no tombstones/)
    }
    const strange = createSecrets(keyFromSetting('another key, also long enough'))
    await expect(readTombstones(strange, graves, PROVEN)).rejects.toThrow('nothing proves')
    expect(await readTombstones(strange, graves, { unverified: true })).toHaveLength(
      lines.length - 2,
    )
  })
})
