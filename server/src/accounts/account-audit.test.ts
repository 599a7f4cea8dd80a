// What happens to accounts and secrets stands in the tenant's audit log with before and after, and never a secret.
import { generateSync } from 'otplib'
import { describe, expect, it } from 'vitest'
import { addApp } from '../../test/oauth.ts'
import { addPerson, openBrowser, signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { rotateSecret } from '../oauth/manage-apps.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { MINUTE } from '../platform/clock.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { acceptLink } from './accept-link.ts'
import { asOperator } from './identity.ts'
import { dropSecondFactor, startReset } from './rescue-user.ts'
import { createLink } from './send-links.ts'
import { mendTenantHint } from './tenant-hints.ts'
import { findUser } from './users.queries.ts'

const service = await startService()
const { clock, context } = service
const tenant = await service.tenant()

async function entries(action: string, from = tenant) {
  const { body } = await from.call('GET', `/v1/audit?action=${action}`)
  return body.data as {
    subject: { id: string }
    address: string
    before: any
    after: any
    request_id: string
  }[]
}

const iso = (at = clock.now()) => new Date(at).toISOString()

async function enableTotp(person: Awaited<ReturnType<typeof signIn>>) {
  const { body } = await person.call('POST', '/session/totp')
  const code = generateSync({ secret: body.secret, epoch: Math.floor(clock.now() / 1000) })
  const answer = await person.call('POST', '/session/totp/confirm', { code })
  expect(answer.status).toBe(200)
  return { secret: body.secret as string, codes: answer.body.recovery_codes as string[] }
}

describe('before and after', () => {
  it('of a second factor: since when, and how many codes', async () => {
    const person = await signIn(service, tenant.tenant_id, 'admin')
    const { secret, codes } = await enableTotp(person)
    const set_up = iso()
    const on = { enabled_at: set_up, recovery_codes: 10 }
    const off = { enabled_at: null, recovery_codes: 0 }
    expect((await entries('second_factor.enabled'))[0]).toMatchObject({ before: off, after: on })
    await person.call('POST', '/session/recovery-codes')
    expect((await entries('recovery_codes.renewed'))[0]).toMatchObject({ before: on, after: on })
    expect((await person.call('DELETE', '/session/totp')).status).toBe(204)
    expect((await entries('second_factor.removed'))[0]).toMatchObject({ before: on, after: off })
    await enableTotp(person)
    const owner = await signIn(service, tenant.tenant_id)
    const path = `/admin/users/${person.user_id}`
    expect((await owner.call('DELETE', `${path}/second-factor`)).status).toBe(204)
    expect((await entries('second_factor.dropped'))[0]).toMatchObject({
      before: { enabled_at: iso(), recovery_codes: 10 },
      after: { ...off, sessions_ended: 1 },
    })
    const all = JSON.stringify((await tenant.call('GET', '/v1/audit?per_page=100')).body)
    for (const hidden of [secret, ...codes]) expect(all).not.toContain(hidden)
  })

  it('of what the operator does to an account, in every tenant of the person', async () => {
    const person = await signIn(service, tenant.tenant_id, 'admin')
    await enableTotp(person)
    const user = await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, person.user_id))
    await dropSecondFactor(context, operatorOrigin(), user!, null)
    await startReset(context, operatorOrigin(), 'http://x', user!, null)
    for (const action of ['second_factor.dropped', 'password.reset_started']) {
      expect((await entries(action))[0], action).toMatchObject({
        subject: { id: person.user_id },
        actor: { kind: 'operator' },
      })
    }
  })

  it('of a password and of sessions: when, and how many', async () => {
    const person = await signIn(service, tenant.tenant_id, 'viewer')
    const made = iso()
    await openBrowser(service).logIn(person.email)
    clock.advance(1000)
    expect((await person.call('DELETE', '/session/sessions')).status).toBeLessThan(300)
    expect((await entries('session.others_ended'))[0]).toMatchObject({
      before: { sessions: 2 },
      after: { sessions: 1 },
    })
    const password = 'a quite different long sentence'
    expect((await person.call('PUT', '/session/password', { password })).status).toBeLessThan(300)
    expect((await entries('password.changed'))[0]).toMatchObject({
      before: { changed_at: made },
      after: { changed_at: iso(), sessions_ended: 0 },
    })
  })

  it('of a password that was reset, in every tenant, and of joining', async () => {
    const person = await addPerson(service, tenant.tenant_id, 'viewer')
    expect((await entries('user.joined'))[0]).toMatchObject({
      before: { role: 'viewer', status: 'invited' },
      after: { role: 'viewer', status: 'active' },
    })
    const made = iso()
    clock.advance(1000)
    const link = { purpose: 'reset', user_id: person.user_id, for_tenant: null } as const
    const { url } = await createLink(context, operatorOrigin(), 'http://x', link)
    const token = new URL(url).searchParams.get('token')!
    const visit = { address: '192.0.2.1', request_id: 'req_t', device: '', cookies: '' }
    const password = 'a quite different long sentence'
    await acceptLink(context, visit, null, { token, password })
    await service.app.flush()
    expect((await entries('password.reset'))[0]).toMatchObject({
      before: { changed_at: made },
      after: { changed_at: iso(), sessions_ended: 0 },
    })
  })

  it('of the digest by mail', async () => {
    const person = await signIn(service, tenant.tenant_id, 'viewer')
    await person.call('PUT', '/admin/notifications/digest', { frequency: 'weekly' })
    expect((await entries('digest.changed'))[0]).toMatchObject({
      subject: { id: person.user_id },
      before: { frequency: 'off' },
      after: { frequency: 'weekly' },
    })
  })

  it('of secrets of apps and webhooks, and of a grant that was ended', async () => {
    const app = await addApp(service, tenant.tenant_id)
    const made = iso()
    clock.advance(1000)
    const { client_secret } = await asOperator(
      context,
      tenant.tenant_id,
      rotateSecret,
      app.client_id,
    )
    expect((await entries('oauth_app.secret_rotated'))[0]).toMatchObject({
      before: { secret_made_at: made },
      after: { secret_made_at: iso() },
    })
    const owner = await signIn(service, tenant.tenant_id)
    const { query } = app.ask()
    await app.consent(owner, query)
    const { body } = await owner.call('GET', '/session/grants')
    const grant = body.data[0]
    expect((await owner.call('DELETE', `/session/grants/${grant.id}`)).status).toBe(204)
    expect((await entries('grant.revoked'))[0]).toMatchObject({
      subject: { id: grant.id },
      before: { client_id: app.client_id, user_id: owner.user_id, scopes: expect.any(Array) },
      after: { why: 'user', revoked_at: iso() },
    })
    const hook = { url: 'https://hooks.example.com/a', events: ['score.updated'] }
    const { id } = (await tenant.call('POST', '/v1/webhooks', hook)).body
    const rotated = await tenant.call('POST', `/v1/webhooks/${id}/rotate-secret`)
    expect(rotated.status).toBe(200)
    const still = { rotation_ends_at: null, new_secret_activated: false }
    const turning = { rotation_ends_at: iso(clock.now() + 24 * 60 * MINUTE) }
    expect((await entries('webhook.secret_rotated'))[0]).toMatchObject({
      before: still,
      after: { ...turning, new_secret_activated: false },
    })
    await tenant.call('POST', `/v1/webhooks/${id}/activate-secret`)
    expect((await entries('webhook.secret_activated'))[0]).toMatchObject({
      before: { ...turning, new_secret_activated: false },
      after: { ...turning, new_secret_activated: true },
    })
    const all = JSON.stringify((await tenant.call('GET', '/v1/audit?per_page=100')).body)
    for (const hidden of [client_secret, rotated.body.secret]) expect(all).not.toContain(hidden)
  })
})

describe('logins that succeed', () => {
  it('are told to the tenant, with the factor that was given', async () => {
    const person = await signIn(service, tenant.tenant_id, 'viewer')
    expect((await entries('login.succeeded'))[0]).toMatchObject({
      actor: { id: person.user_id },
      address: '127.0.0.1',
      after: { factor: 'password' },
    })
    const { secret } = await enableTotp(person)
    clock.advance(MINUTE)
    const browser = openBrowser(service)
    const before = (await entries('login.succeeded')).length
    await browser.logIn(person.email)
    expect(await entries('login.succeeded')).toHaveLength(before)
    const code = generateSync({ secret, epoch: Math.floor(clock.now() / 1000) })
    expect((await browser.call('POST', '/session/second-factor', { code })).status).toBe(200)
    expect((await entries('login.succeeded'))[0]).toMatchObject({
      actor: { id: person.user_id },
      after: { factor: 'code' },
    })
  })
})

describe('a session that goes over to another organization', () => {
  it('is told there as it is at a login, without where it was before, and not to who was left', async () => {
    const other = await service.tenant()
    const person = await signIn(service, tenant.tenant_id, 'viewer')
    const owner = await signIn(service, other.tenant_id)
    const input = { email: person.email, role: 'viewer' }
    const { setup_url } = (await owner.call('POST', '/admin/users', input)).body
    const token = new URL(setup_url).searchParams.get('token')
    expect((await person.call('POST', '/session/link/accept', { token })).status).toBe(200)
    const go = (to: typeof tenant) =>
      person.call('PUT', '/session/tenant', { tenant_id: to.tenant_id })
    for (const to of [tenant, other, other]) expect((await go(to)).status).toBe(204)
    for (const at of [tenant, other]) {
      const told = await entries('session.entered', at)
      expect(told).toMatchObject([{ before: null, after: { tenant_id: at.tenant_id } }])
      expect(told[0]!.address).toBe('127.0.0.1')
    }
  })
})

describe('failed logins', () => {
  it('are told to every tenant of the account, after the answer; nobody hears of unknown ones', async () => {
    const [first, second] = [await service.tenant(), await service.tenant()]
    const stranger = await service.tenant()
    const { email, user_id } = await addPerson(service, first.tenant_id, 'viewer')
    await addPerson(service, second.tenant_id, 'admin', email).catch(() => {})
    const joined = await context.db.inTenant(
      second.tenant_id,
      tx =>
        tx`UPDATE memberships SET status = 'active' WHERE tenant_id = ${second.tenant_id} RETURNING 1`,
    )
    expect(joined).toHaveLength(1)
    await mendTenantHint(context, second.tenant_id, user_id)
    const browser = openBrowser(service)
    expect((await browser.logIn(email, 'wrong wrong wrong')).status).toBe(401)
    expect((await browser.logIn('nobody@example.test', 'wrong wrong wrong')).status).toBe(401)
    await service.app.flush()
    for (const one of [first, second]) {
      const [entry, ...more] = await entries('login.failed', one)
      expect(entry).toMatchObject({ subject: { id: user_id }, address: '127.0.0.1' })
      expect(more).toEqual([])
    }
    expect(await entries('login.failed', stranger)).toEqual([])
    const own = await context.db.inTenant(
      RESERVED_TENANT,
      tx => tx`SELECT subject_id FROM audit_entries
        WHERE tenant_id = ${RESERVED_TENANT} AND action = 'login.failed' ORDER BY seq`,
    )
    expect(own.map(row => row.subject_id)).toEqual([user_id, 'unknown'])
  })

  it('wrong codes and wrong proofs are told as well', async () => {
    const person = await signIn(service, tenant.tenant_id, 'admin')
    await enableTotp(person)
    const proof = { password: 'wrong wrong wrong', code: '000000' }
    expect((await person.call('POST', '/session/proof', proof)).status).toBe(403)
    const browser = openBrowser(service)
    await browser.logIn(person.email)
    expect((await browser.call('POST', '/session/second-factor', { code: '000000' })).status).toBe(
      401,
    )
    await service.app.flush()
    expect((await entries('login.code_failed'))[0]?.subject.id).toBe(person.user_id)
    expect(await entries('session.proof_failed')).toHaveLength(1)
  })
})
