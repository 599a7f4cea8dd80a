// Proves what an operator can change about a tenant, and that deleting one leaves nothing but the note of it.
import { expect, it } from 'vitest'
import { addApp } from '../test/oauth.ts'
import { addFactor, addPerson, ORIGIN, signIn } from '../test/people.ts'
import { startService, type Tenant } from '../test/service.ts'
import { addOwner } from './accounts/add-owner.ts'
import { forgetSessionsJob } from './accounts/forget-sessions.job.ts'
import { asOperator } from './accounts/identity.ts'
import { inviteUser } from './accounts/invite-user.ts'
import { deleteTenant } from './delete-tenant.ts'
import { changeTenant, showTenant } from './manage-tenants.ts'
import { openTenant } from './open-tenant.ts'
import { operatorOrigin } from './platform/actor.ts'
import { DAY } from './platform/clock.ts'
import { RESERVED_TENANT } from './platform/database.ts'

const service = await startService()
const { context, clock, tenant } = service
const operator = operatorOrigin()

/** Identities are remembered for less than a second. */
const later = () => clock.advance(1000)

it('a plan and limits are in force within a second and stand in the audit log', async () => {
  const { tenant_id, call } = await tenant({ plan: 'starter' })
  expect((await call('GET', '/v1/me')).body.limits.requests).toBe(60)
  await asOperator(context, tenant_id, changeTenant, { plan: 'enterprise' })
  const limits = { requests: 3000, burst: 4000, scores: 7 }
  const shown = await asOperator(context, tenant_id, changeTenant, { limits })
  expect(shown).toMatchObject({ plan: 'enterprise', ...limits })
  later()
  const { body, headers } = await call('GET', '/v1/me')
  expect(body.limits).toMatchObject(limits)
  // The operator's command calls every limit as the API does.
  expect(shown).toMatchObject(body.limits)
  expect(headers['x-ratelimit-limit']).toBe('3000')
  const { sql } = context.db
  const actions =
    await sql`SELECT action FROM audit_entries WHERE tenant_id = ${tenant_id} ORDER BY seq`
  expect(actions.map(row => row.action).slice(-2)).toEqual(['tenant.changed', 'tenant.changed'])
})

it('limits are refused outside Enterprise, and a burst below a minute of requests or a full batch', async () => {
  const input = { name: 'Acme', plan: 'professional' } as const
  const { tenant_id } = await openTenant(context, operator, input)
  const change = (limits: object) => asOperator(context, tenant_id, changeTenant, { limits })
  await expect(change({ requests: 10 })).rejects.toThrow('enterprise plan only')
  await asOperator(context, tenant_id, changeTenant, { plan: 'enterprise' })
  await expect(change({ requests: 2001 })).rejects.toThrow('burst (2000)')
  await expect(change({ requests: 9, burst: 9 })).rejects.toThrow('a full batch')
  expect(await asOperator(context, tenant_id, showTenant)).toMatchObject({
    requests: 1000,
    burst: 2000,
  })
})

it('403 while a tenant is suspended, 200 once it is resumed', async () => {
  const { tenant_id, call } = await tenant()
  const { sql } = context.db
  const count = async () =>
    (await sql`SELECT 1 FROM audit_entries WHERE tenant_id = ${tenant_id}`).length
  const before = await count()
  for (const _ of ['once', 'again'])
    await asOperator(context, tenant_id, changeTenant, { status: 'suspended' })
  expect(await count(), 'the same again is no change').toBe(before + 1)
  later()
  expect((await call('GET', '/v1/me')).status).toBe(403)
  await asOperator(context, tenant_id, changeTenant, { status: 'active' })
  later()
  expect((await call('GET', '/v1/me')).status).toBe(200)
})

it('while a tenant is suspended its apps get no codes and no tokens, and afterwards the same grant goes on', async () => {
  const { tenant_id } = await tenant()
  const app = await addApp(service, tenant_id)
  const owner = await signIn(service, tenant_id)
  const { tokens } = await app.connect(owner)
  await asOperator(context, tenant_id, changeTenant, { status: 'suspended' })
  later()
  const refused = await app.refresh(tokens.refresh_token)
  expect([refused.status, refused.body.error]).toEqual([400, 'unauthorized_client'])
  expect((await app.post('/oauth/revoke', { token: tokens.access_token })).status).toBe(400)
  const back = await app.consent(owner, app.ask().query)
  expect(back.searchParams.get('error')).toBe('access_denied')
  expect(back.searchParams.get('error_description')).toBe('the organization is suspended')
  await asOperator(context, tenant_id, changeTenant, { status: 'active' })
  expect((await app.refresh(tokens.refresh_token)).status).toBe(200)
})

it('a deleted tenant is gone from every table, its key with it, and its neighbour is untouched', async () => {
  const [gone, kept] = [await tenant({ name: 'Gone' }), await tenant({ name: 'Kept' })]
  const person = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Byron' }
  for (const { call } of [gone, kept]) {
    expect((await call('POST', '/v1/employees', person)).status).toBe(201)
    const event = { type: 'custom.x', employee_email: person.email }
    expect((await call('POST', '/v1/events', event)).status).toBe(201)
  }
  // Use is written every few seconds: now, and not between the two looks.
  await service.app.flush()
  const before = await rowsOf(kept.tenant_id)
  const { tenant_id } = gone
  const wrong = deleteTenant(context, tenant_id, operator, 'Kept', () => {})
  await expect(wrong).rejects.toThrow('name of the tenant')
  const lines: string[] = []
  await deleteTenant(context, tenant_id, operator, 'Gone', line => lines.push(line))
  expect(lines).toContain('events: 1 row')
  expect(await rowsOf(tenant_id)).toEqual({})
  expect(await rowsOf(kept.tenant_id)).toEqual(before)
  later()
  expect((await gone.call('GET', '/v1/me')).status).toBe(401)
  expect((await kept.call('GET', '/v1/me')).status).toBe(200)
  const { sql } = context.db
  const noted = await sql`SELECT action FROM audit_entries
    WHERE tenant_id = ${RESERVED_TENANT} AND subject_id = ${tenant_id} ORDER BY seq`
  expect(noted.map(row => row.action)).toEqual(['tenant.deletion_started', 'tenant.deleted'])
})

const invite = ({ tenant_id }: Tenant, email: string) =>
  inviteUser(context, tenant_id, operator, ORIGIN, { email, role: 'viewer' })

it('accounts know nothing of a deleted tenant any more, and keep what they have of others', async () => {
  const [gone, kept] = [await tenant({ name: 'Gone' }), await tenant({ name: 'Kept' })]
  const { user_id, email } = await addPerson(service, gone.tenant_id)
  await addOwner(context, kept.tenant_id, operator, email)
  await invite(gone, 'nobody@example.test')
  const open = await invite(kept, 'nobody@example.test')
  await deleteTenant(context, gone.tenant_id, operator, 'Gone', () => {})
  const { sql } = context.db
  const [account] = await sql`SELECT tenant_ids FROM users WHERE user_id = ${user_id}`
  expect(account).toEqual({ tenant_ids: [kept.tenant_id] })
  const links = await sql`SELECT for_tenant FROM account_links WHERE user_id = ${open.id}`
  expect([...links]).toEqual([{ for_tenant: kept.tenant_id }])
})

it('who belonged to a deleted tenant alone goes with it, and whoever another has invited stays', async () => {
  const [gone, kept] = [await tenant({ name: 'Gone' }), await tenant({ name: 'Kept' })]
  const lapsed = await invite(gone, 'lapsed@example.test')
  clock.advance(4 * DAY)
  await forgetSessionsJob.run(context)
  const alone = await signIn(service, gone.tenant_id)
  await addFactor(service, alone)
  const invited = await addPerson(service, gone.tenant_id)
  await invite(kept, invited.email)
  const look = () => Promise.all([lapsed.id, alone.user_id, invited.user_id].map(accountOf))
  const whole = { users: 1, sessions: 1, recovery_codes: 10, account_links: 1 }
  expect(await look()).toEqual([{ users: 1 }, whole, { users: 1, account_links: 2 }])
  await deleteTenant(context, gone.tenant_id, operator, 'Gone', () => {})
  expect(await look()).toEqual([{}, {}, { users: 1, account_links: 1 }])
})

it('a request that was let in before the deletion writes nothing after it', async () => {
  const { tenant_id, call } = await tenant({ name: 'Gone' })
  expect((await call('GET', '/v1/me')).status).toBe(200)
  await deleteTenant(context, tenant_id, operator, 'Gone', () => {})
  const rule = { name: 'Late', event_type: 'custom.x', category: 'custom', impact: -5 }
  // With the tenant its key is gone, and these ask for the right once more.
  expect((await call('POST', '/v1/rules', rule)).status).toBe(403)
  const webhook = { url: 'https://example.com/hook', events: ['score.updated'] }
  expect((await call('POST', '/v1/webhooks', webhook)).status).toBe(403)
  const event = { source: 'sim', event_type: 'sim.x', employee: { email: 'ada@example.com' } }
  const { status, headers } = await call('POST', '/v1/events/webhook', event)
  expect(status).toBe(404)
  expect(headers).toHaveProperty('x-ratelimit-remaining')
  expect(await rowsOf(tenant_id)).toEqual({})
})

it('what a transaction under way writes before it ends is deleted too', async () => {
  const { tenant_id } = await tenant({ name: 'Gone' })
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const late = context.db.inTenant(tenant_id, async tx => {
    await tx`SELECT 1 FROM tenants WHERE tenant_id = ${tenant_id}`
    begun.resolve()
    await goOn.promise
    await tx`INSERT INTO webhook_messages (tenant_id, message_id, body) VALUES (${tenant_id}, 'msg_1', '{}')`
  })
  await begun.promise
  const deletion = deleteTenant(context, tenant_id, operator, 'Gone', line => {
    if (line.startsWith('waiting')) goOn.resolve()
  })
  await Promise.race([deletion, goOn.promise])
  goOn.resolve()
  await Promise.all([late, deletion])
  expect(await rowsOf(tenant_id)).toEqual({})
})

it('a deletion cut short after the tenant itself was gone is finished by running it again', async () => {
  const { tenant_id } = await tenant({ name: 'Gone' })
  const { user_id } = await addPerson(service, tenant_id)
  const cut = new Error('killed')
  const { db } = context
  const acrossTenants: typeof db.acrossTenants = async todo => {
    const [left] = await db.sql`SELECT 1 FROM tenants WHERE tenant_id = ${tenant_id}`
    if (!left) throw cut
    return db.acrossTenants(todo)
  }
  const killed = { ...context, db: { ...db, acrossTenants } }
  const run = (on: typeof context) => deleteTenant(on, tenant_id, operator, 'Gone', () => {})
  await expect(run(killed)).rejects.toBe(cut)
  expect(await accountOf(user_id)).toMatchObject({ users: 1 })
  await db.sql`INSERT INTO webhook_messages (tenant_id, message_id, body) VALUES (${tenant_id}, 'msg_1', '{}')`
  expect(await run(context)).toEqual({ tenant_id, name: 'Gone', deleted_rows: 1 })
  expect([await rowsOf(tenant_id), await accountOf(user_id)]).toEqual([{}, {}])
  await expect(run(context)).rejects.toThrow('no such tenant')
})

it('the reserved tenant can be neither changed nor deleted', async () => {
  await expect(asOperator(context, RESERVED_TENANT, changeTenant, {})).rejects.toThrow(
    'no such tenant',
  )
  const removal = deleteTenant(context, RESERVED_TENANT, operator, '_', () => {})
  await expect(removal).rejects.toThrow('no such tenant')
})

/** How many rows each table holds of a tenant; tables without any are left out. */
async function rowsOf(tenant_id: string): Promise<Record<string, number>> {
  const tables = await context.db.sql`SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'tenant_id' ORDER BY table_name`
  return countBy(
    'tenant_id',
    tenant_id,
    tables.map(({ name }) => name),
  )
}

/** The same of a person, in the tables of accounts. */
function accountOf(user_id: string): Promise<Record<string, number>> {
  return countBy('user_id', user_id, ['users', 'sessions', 'recovery_codes', 'account_links'])
}

async function countBy(column: string, value: string, tables: string[]) {
  const { sql } = context.db
  const counts: Record<string, number> = {}
  for (const name of tables) {
    const [row] = await sql`SELECT count(*) AS n FROM ${sql(name)} WHERE ${sql(column)} = ${value}`
    if (row?.n > 0) counts[name] = row?.n
  }
  return counts
}
