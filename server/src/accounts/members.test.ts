// Invitations, roles, resets and removal: who may do what to whom, and that links work once.
import { generateSync } from 'otplib'
import { describe, expect, it } from 'vitest'
import { addPerson, ORIGIN, openBrowser, PASSWORD, signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { HOUR, MINUTE } from '../platform/clock.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { forgetSessionsJob } from './forget-sessions.job.ts'
import { inviteUser } from './invite-user.ts'
import { setUserEnabled, startReset } from './rescue-user.ts'
import { findUser } from './users.queries.ts'

const service = await startService()
const { clock, context } = service
const acme = await service.tenant({ name: 'Acme' })
const other = await service.tenant({ name: 'Other' })
const owner = await signIn(service, acme.tenant_id)

const tokenOf = (url: string) => new URL(url).searchParams.get('token')!

async function prove(browser = owner) {
  const proof = await browser.call('POST', '/session/proof', { password: PASSWORD })
  expect(proof.status).toBe(200)
}

const invite = async (email: string, role = 'viewer', browser = owner) => {
  await prove(browser)
  return browser.call('POST', '/admin/users', { email, role })
}

const statusOf = async (email: string) => {
  const { body } = await owner.call('GET', '/admin/users')
  return body.data.find((one: { email: string }) => one.email === email)?.status
}

describe('what people are called', () => {
  it('200: whoever reads the log is told the addresses of its own people, and nothing else', async () => {
    const admin = await signIn(service, acme.tenant_id, 'admin')
    const stranger = await addPerson(service, other.tenant_id, 'owner')
    const { status, body } = await admin.call('GET', '/admin/users/names')
    expect(status).toBe(200)
    expect(body.data).toContainEqual({ id: owner.user_id, email: owner.email })
    expect(JSON.stringify(body)).not.toContain(stranger.user_id)
    for (const one of body.data) expect(Object.keys(one)).toEqual(['id', 'email'])
  })

  it('403: not to those who may not read it', async () => {
    const analyst = await signIn(service, acme.tenant_id, 'analyst')
    expect((await analyst.call('GET', '/admin/users/names')).status).toBe(403)
  })
})

describe('an invitation', () => {
  it('201: gives a link that works once, within 24 hours, with a first password', async () => {
    const invited = await invite('new@acme.test', 'analyst')
    expect(invited.status).toBe(201)
    expect(invited.body.setup_url).toMatch(
      /^http:\/\/127\.0\.0\.1:3000\/invitation\?token=[0-9A-Za-z]{43}$/,
    )
    const token = tokenOf(invited.body.setup_url)
    const browser = openBrowser(service)
    const page = await browser.call('GET', `/invitation?token=${token}`)
    expect(page.body).toContain('Join Acme')
    const weak = await browser.post('/invitation', { token, password: 'password1234' })
    expect([weak.status, weak.body.includes('most common passwords')]).toEqual([400, true])
    const done = await browser.post('/invitation', { token, password: PASSWORD })
    expect([done.status, done.headers.location]).toEqual([303, '/login?password=saved'])
    const after = await openBrowser(service).call('GET', '/login?password=saved')
    expect(after.body).toContain('Your password is saved. Log in with it.')
    expect((await browser.post('/invitation', { token, password: PASSWORD })).status).toBe(404)
    expect((await browser.logIn('NEW@acme.test')).status).toBe(200)
    expect((await browser.call('GET', '/session')).body.tenant.role).toBe('analyst')
  })

  it('429: one person is sent five links at once, and then fewer; others are not kept waiting', async () => {
    await prove()
    const again = () =>
      owner.call('POST', '/admin/users', { email: 'often@acme.test', role: 'viewer' })
    const five = [await again(), await again(), await again(), await again(), await again()]
    expect(five.map(one => one.status)).toEqual(Array(5).fill(201))
    const sixth = await again()
    expect([sixth.status, sixth.headers['retry-after']]).toEqual([429, '1'])
    expect(sixth.body.error.message).toBe('too many links to this person; try again in 1 s')
    expect((await invite('never@acme.test')).status).toBe(201)
    const stranger = await signIn(service, other.tenant_id)
    expect((await invite('often@acme.test', 'viewer', stranger)).status).toBe(201)
    clock.advance(1000)
    expect((await again()).status).toBe(201)
    const reset = () => owner.call('POST', `/admin/users/${owner.user_id}/reset`)
    // The first was the own invitation.
    for (let i = 1; i < 5; i++) expect((await reset()).status).toBe(201)
    expect((await reset()).status).toBe(429)
  })

  it('404: not after 24 hours, nor after a newer one', async () => {
    const first = tokenOf((await invite('slow@acme.test')).body.setup_url)
    const second = tokenOf((await invite('slow@acme.test')).body.setup_url)
    const browser = openBrowser(service)
    expect((await browser.call('GET', `/invitation?token=${first}`)).status).toBe(404)
    expect(await statusOf('slow@acme.test')).toBe('invited')
    clock.advance(24 * HOUR - 1)
    expect((await browser.call('GET', `/invitation?token=${second}`)).status).toBe(200)
    clock.advance(1)
    expect((await browser.call('GET', `/invitation?token=${second}`)).status).toBe(404)
    await owner.logIn(owner.email)
    expect(await statusOf('slow@acme.test')).toBe('lapsed')
  })

  it('of ten parallel uses one chooses the password', async () => {
    const token = tokenOf((await invite('race@acme.test')).body.setup_url)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        openBrowser(service).post('/invitation', { token, password: `${PASSWORD} ${i}` }),
      ),
    )
    const winners = answers.flatMap((answer, i) => (answer.status === 303 ? [i] : []))
    expect(winners).toHaveLength(1)
    const login = await openBrowser(service).logIn('race@acme.test', `${PASSWORD} ${winners[0]}`)
    expect(login.status).toBe(200)
  })

  it('403: someone who has a password joins only by logging in; the link never sets a new one', async () => {
    const stranger = await signIn(service, other.tenant_id)
    const token = tokenOf((await invite(stranger.email, 'viewer')).body.setup_url)
    const thief = openBrowser(service)
    const body = { token, password: 'a password of the inviter' }
    expect((await thief.call('POST', '/session/link/accept', body)).status).toBe(403)
    expect((await owner.call('POST', '/session/link/accept', body)).status).toBe(403)
    expect((await openBrowser(service).logIn(stranger.email, body.password)).status).toBe(401)
    const page = await thief.call('GET', `/invitation?token=${token}`)
    expect(page.headers.location).toContain('/login?next=')
    expect((await stranger.call('POST', '/session/link/accept', { token })).status).toBe(200)
    const me = await stranger.call('GET', '/session')
    expect(me.body.tenant).toMatchObject({ id: acme.tenant_id, role: 'viewer' })
    expect(me.body.tenants).toHaveLength(2)
    const back = await stranger.call('PUT', '/session/tenant', { tenant_id: other.tenant_id })
    expect(back.status).toBe(204)
    expect((await stranger.call('GET', '/v1/me')).body.tenant.id).toBe(other.tenant_id)
  })

  it('404: switching to a tenant one does not belong to', async () => {
    const body = { tenant_id: other.tenant_id }
    expect((await owner.call('PUT', '/session/tenant', body)).status).toBe(404)
  })

  it('409: a window that shows another tenant than the session has by now reads and changes nothing', async () => {
    const person = await signIn(service, acme.tenant_id, 'admin')
    const shown = { 'x-tenant': acme.tenant_id }
    const body = { email: 'lost@acme.test', first_name: 'Lost', last_name: 'One' }
    expect((await person.call('GET', '/v1/employees', undefined, shown)).status).toBe(200)
    const owner = await signIn(service, other.tenant_id)
    const token = tokenOf((await invite(person.email, 'admin', owner)).body.setup_url)
    expect((await person.call('POST', '/session/link/accept', { token })).status).toBe(200)
    for (const [method, url, sent] of [
      ['POST', '/v1/employees', body],
      ['GET', '/v1/employees', undefined],
      ['GET', '/admin/users', undefined],
    ] as const) {
      const answer = await person.call(method, url, sent, shown)
      expect(answer.status, url).toBe(409)
      expect(answer.body.error).toMatchObject({ code: 'CONFLICT', details: [{ path: 'X-Tenant' }] })
    }
    expect((await person.call('GET', '/v1/employees')).body.data).toEqual([])
    expect((await person.call('GET', '/session', undefined, shown)).status).toBe(200)
    await person.call('PUT', '/session/tenant', { tenant_id: acme.tenant_id }, shown)
    expect((await person.call('POST', '/v1/employees', body, shown)).status).toBe(201)
  })

  it('409: an organization has at most 1,000 people, also when two are invited at once', async () => {
    const full = await service.tenant()
    const { tenant_id } = full
    const boss = await signIn(service, tenant_id)
    await prove(boss)
    await context.db.inTenant(
      tenant_id,
      tx => tx`INSERT INTO memberships (tenant_id, user_id, membership_id, email, role, status, created_by, created_at)
        SELECT ${tenant_id}, 'usr_' || n, 'mem_' || n, n || '@full.test', 'viewer', 'active', 'system', ${new Date(clock.now())}
        FROM generate_series(1, 998) n`,
    )
    const ask = (email: string) => boss.call('POST', '/admin/users', { email, role: 'viewer' })
    const both = await Promise.all([ask('one@full.test'), ask('two@full.test')])
    expect(both.map(one => one.status).sort()).toEqual([201, 409])
    const out = both.find(one => one.status === 409)!
    expect(out.body.error.message).toBe('an organization has at most 1000 users; remove one first')
    const [last] = both.filter(one => one.status === 201)
    expect((await ask(last!.body.email)).status, 'invited again').toBe(201)
    expect((await boss.call('GET', '/admin/users')).body.data).toHaveLength(1000)
  })

  it('201: takes nobody out whose address is like it only to a database that reads İ as i', async () => {
    const dotted = await addPerson(service, acme.tenant_id, 'owner', 'İda@acme.test')
    expect((await invite('ida@acme.test')).status).toBe(201)
    const { body } = await owner.call('GET', '/admin/users')
    const found = body.data.find((one: { id: string }) => one.id === dotted.user_id)
    expect(found).toMatchObject({ email: 'İda@acme.test', role: 'owner', status: 'active' })
    await prove()
    const url = `/admin/users/${dotted.user_id}`
    expect((await owner.call('DELETE', url)).status).toBe(204)
  })

  it.each([
    ['is removed', (url: string) => owner.call('DELETE', url), 204],
    ['has another role', (url: string) => owner.call('PATCH', url, { role: 'admin' }), 204],
    ['is disabled', (url: string) => owner.call('PATCH', url, { status: 'disabled' }), 204],
  ])(
    '404: works no more once who made it %s, until another owner invites',
    async (_, lose, done) => {
      const maker = await signIn(service, acme.tenant_id)
      const email = `for-${maker.user_id}@acme.test`
      const invited = await maker.call('POST', '/admin/users', { email, role: 'owner' })
      const token = tokenOf(invited.body.setup_url)
      const browser = openBrowser(service)
      expect((await browser.call('POST', '/session/link', { token })).status).toBe(200)
      expect(await statusOf(email)).toBe('invited')
      await prove()
      expect((await lose(`/admin/users/${maker.user_id}`)).status).toBe(done)
      const accepted = { token, password: 'seven quiet herons wade' }
      expect((await browser.call('POST', '/session/link', { token })).status).toBe(404)
      expect((await browser.call('POST', '/session/link/accept', accepted)).status).toBe(404)
      expect(await statusOf(email)).toBe('lapsed')
      const again = tokenOf((await invite(email, 'viewer')).body.setup_url)
      const joined = await browser.call('POST', '/session/link/accept', {
        ...accepted,
        token: again,
      })
      expect(joined.status).toBe(200)
    },
  )

  it('409: who belongs already, 400: no address or an unknown role', async () => {
    expect((await invite(owner.email)).status).toBe(409)
    expect((await invite('not an address')).status).toBe(400)
    expect((await invite('x@acme.test', 'emperor')).status).toBe(400)
  })
})

describe('members', () => {
  it('a role changed acts on the next request, a removed person is out at once', async () => {
    const person = await signIn(service, acme.tenant_id, 'admin')
    expect((await person.call('GET', '/admin/keys')).status).toBe(200)
    await prove()
    const url = `/admin/users/${person.user_id}`
    expect((await owner.call('PATCH', url, { role: 'viewer' })).status).toBe(204)
    expect((await person.call('GET', '/admin/keys')).status).toBe(403)
    expect((await owner.call('PATCH', url, { status: 'disabled' })).status).toBe(204)
    expect((await person.call('GET', '/v1/me')).status).toBe(403)
    expect((await owner.call('PATCH', url, { status: 'active' })).status).toBe(204)
    expect((await person.call('GET', '/v1/me')).status).toBe(200)
    expect((await owner.call('DELETE', url)).status).toBe(204)
    expect((await person.call('GET', '/v1/me')).status).toBe(403)
    expect((await owner.call('DELETE', url)).status).toBe(404)
    const list = await owner.call('GET', '/admin/users')
    expect(list.body.data.map((one: { email: string }) => one.email)).not.toContain(person.email)
  })

  it('who never accepted is only invited again when enabled, however often they were disabled', async () => {
    const invited = await invite('never@acme.test', 'admin')
    const url = `/admin/users/${invited.body.id}`
    const token = tokenOf(invited.body.setup_url)
    const status = async () => {
      const { body } = await owner.call('GET', '/admin/users')
      return body.data.find((one: { id: string }) => one.id === invited.body.id).status
    }
    expect((await owner.call('PATCH', url, { status: 'active' })).status).toBe(409)
    for (const change of [{ status: 'disabled' }, { status: 'disabled' }, { role: 'owner' }]) {
      expect((await owner.call('PATCH', url, change)).status).toBe(204)
      expect(await status()).toBe('disabled')
    }
    const browser = openBrowser(service)
    expect((await browser.post('/invitation', { token, password: PASSWORD })).status).toBe(404)
    expect((await invite('never@acme.test')).status).toBe(409)
    expect((await owner.call('PATCH', url, { status: 'active' })).status).toBe(204)
    expect(await status()).toBe('invited')
    const log = await owner.call('GET', '/v1/audit?action=user.changed&per_page=1')
    expect(log.body.data[0]).toMatchObject({
      before: { status: 'disabled' },
      after: { role: 'owner', status: 'invited' },
    })
    expect((await owner.call('PATCH', url, { status: 'active' })).status).toBe(409)
    expect((await browser.post('/invitation', { token, password: PASSWORD })).status).toBe(303)
    expect(await status()).toBe('active')
  })

  it('409: the last owner stays, also when two of them leave at once', async () => {
    const small = await service.tenant()
    const [ann, ben] = [
      await signIn(service, small.tenant_id),
      await signIn(service, small.tenant_id),
    ]
    const answers = await Promise.all([
      ann.call('DELETE', `/admin/users/${ann.user_id}`),
      ben.call('PATCH', `/admin/users/${ben.user_id}`, { role: 'viewer' }),
    ])
    expect(answers.map(answer => answer.status).sort()).toEqual([204, 409])
  })

  it('of who was only invited the owner learns nothing: neither second factor nor last login', async () => {
    const stranger = await signIn(service, other.tenant_id)
    const { secret } = (await stranger.call('POST', '/session/totp')).body
    const code = generateSync({ secret, epoch: Math.floor(clock.now() / 1000) })
    expect((await stranger.call('POST', '/session/totp/confirm', { code })).status).toBe(200)
    const { setup_url } = (await invite(stranger.email, 'viewer')).body
    const shown = async () => {
      const { data } = (await owner.call('GET', '/admin/users')).body
      return data.find((one: { id: string }) => one.id === stranger.user_id)
    }
    const url = `/admin/users/${stranger.user_id}`
    const nothing = { second_factor: false, last_login_at: null }
    expect(await shown()).toMatchObject({ status: 'invited', ...nothing })
    await owner.call('PATCH', url, { status: 'disabled' })
    expect(await shown()).toMatchObject({ status: 'disabled', ...nothing })
    await owner.call('PATCH', url, { status: 'active' })
    const accepted = { token: tokenOf(setup_url) }
    expect((await stranger.call('POST', '/session/link/accept', accepted)).status).toBe(200)
    const known = { second_factor: true, last_login_at: expect.any(String) }
    expect(await shown()).toMatchObject({ status: 'active', ...known })
  })

  it('404: people of another tenant cannot be seen or touched', async () => {
    const { user_id } = await addPerson(service, other.tenant_id)
    await prove()
    for (const [method, url] of [
      ['PATCH', `/admin/users/${user_id}`],
      ['DELETE', `/admin/users/${user_id}`],
      ['POST', `/admin/users/${user_id}/reset`],
      ['DELETE', `/admin/users/${user_id}/second-factor`],
      ['DELETE', `/admin/users/${user_id}/sessions`],
    ] as const) {
      const body = method === 'PATCH' ? { role: 'viewer' } : undefined
      expect((await owner.call(method, url, body)).status, url).toBe(404)
    }
  })
})

describe('a reset', () => {
  it('201: the owner starts it, the person chooses, and every session ends', async () => {
    const person = await signIn(service, acme.tenant_id, 'viewer')
    await prove()
    const reset = await owner.call('POST', `/admin/users/${person.user_id}/reset`)
    expect(reset.status).toBe(201)
    const token = tokenOf(reset.body.reset_url)
    const browser = openBrowser(service)
    expect((await browser.call('GET', `/reset?token=${token}`)).body).toContain(
      'Choose a new password',
    )
    const password = 'seven quiet herons wade'
    expect((await browser.post('/reset', { token, password })).status).toBe(303)
    expect((await person.call('GET', '/session')).status).toBe(401)
    expect((await browser.logIn(person.email)).status).toBe(401)
    expect((await browser.logIn(person.email, password)).status).toBe(200)
    expect((await browser.post('/reset', { token, password })).status).toBe(404)
  })

  it('409: not for someone who belongs to another tenant too', async () => {
    const shared = await addPerson(service, other.tenant_id)
    const token = tokenOf((await invite(shared.email)).body.setup_url)
    const browser = openBrowser(service)
    await browser.logIn(shared.email)
    expect((await browser.call('POST', '/session/link/accept', { token })).status).toBe(200)
    for (const [method, path] of [
      ['POST', 'reset'],
      ['DELETE', 'second-factor'],
      ['DELETE', 'sessions'],
    ] as const) {
      expect(
        (await owner.call(method, `/admin/users/${shared.user_id}/${path}`)).status,
        path,
      ).toBe(409)
    }
  })

  it('the second factor survives it', async () => {
    const person = await signIn(service, acme.tenant_id, 'viewer')
    const { body } = await person.call('POST', '/session/totp')
    const code = generateSync({ secret: body.secret, epoch: Math.floor(clock.now() / 1000) })
    await person.call('POST', '/session/totp/confirm', { code })
    const user = (await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, person.user_id)))!
    const sent = await startReset(context, operatorOrigin(), ORIGIN, user, null)
    const browser = openBrowser(service)
    const password = 'seven quiet herons wade'
    await browser.post('/reset', { token: tokenOf(sent.url), password })
    expect((await browser.logIn(person.email, password)).body.stage).toBe('second_factor')
  })

  it('202: asking for one says the same to everyone', async () => {
    const answers = []
    for (const email of [owner.email, 'nobody@acme.test']) {
      const { status, body } = await openBrowser(service).call('POST', '/session/reset', { email })
      answers.push(JSON.stringify({ status, body }))
    }
    expect(answers[0]).toBe(answers[1])
  })
})

it('a person the operator disables is out everywhere, and comes back only when enabled', async () => {
  const person = await signIn(service, acme.tenant_id, 'viewer')
  const user = (await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, person.user_id)))!
  await setUserEnabled(context, operatorOrigin(), user, false)
  expect((await person.call('GET', '/session')).status).toBe(401)
  expect((await openBrowser(service).logIn(person.email)).status).toBe(401)
  await prove()
  const allow = await owner.call('PATCH', `/admin/users/${person.user_id}`, { status: 'active' })
  expect(allow.body.error.message).toContain('disabled by the operator')
  await setUserEnabled(context, operatorOrigin(), user, true)
  expect((await openBrowser(service).logIn(person.email)).status).toBe(200)
})

it('who was shut out by an owner stays out of that tenant when the operator lets them in again', async () => {
  const person = await addPerson(service, acme.tenant_id, 'admin')
  await prove()
  const url = `/admin/users/${person.user_id}`
  expect((await owner.call('PATCH', url, { status: 'disabled' })).status).toBe(204)
  const user = (await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, person.user_id)))!
  await setUserEnabled(context, operatorOrigin(), user, false)
  await setUserEnabled(context, operatorOrigin(), user, true)
  const browser = openBrowser(service)
  expect((await browser.logIn(person.email)).status).toBe(200)
  expect((await browser.call('GET', '/session')).body.tenants).toEqual([])
})

it('a changed password ends the other sessions and not this one', async () => {
  const person = await signIn(service, acme.tenant_id, 'viewer')
  const elsewhere = openBrowser(service)
  await elsewhere.logIn(person.email)
  const password = 'seven quiet herons wade'
  expect((await person.call('PUT', '/session/password', { password })).status).toBe(204)
  expect((await person.call('GET', '/session')).status).toBe(200)
  expect((await elsewhere.call('GET', '/session')).status).toBe(401)
})

it('a new password leaves an invitation of another organization open, and ends every reset', async () => {
  const person = await signIn(service, acme.tenant_id, 'viewer')
  await prove()
  const path = `/admin/users/${person.user_id}/reset`
  const { reset_url } = (await owner.call('POST', path)).body
  const input = { email: person.email, role: 'viewer' } as const
  const origin = operatorOrigin()
  const { setup_url } = await inviteUser(context, other.tenant_id, origin, ORIGIN, input)
  const password = 'seven quiet herons wade'
  expect((await person.call('PUT', '/session/password', { password })).status).toBe(204)
  const open = async (url: string) =>
    (await person.call('POST', '/session/link', { token: tokenOf(url) })).status
  expect([await open(setup_url), await open(reset_url)]).toEqual([200, 404])
})

it('one can end one of the own sessions, and not that of another', async () => {
  const person = await signIn(service, acme.tenant_id, 'viewer')
  const elsewhere = openBrowser(service)
  await elsewhere.logIn(person.email)
  const list = await person.call('GET', '/session/sessions')
  const { id } = list.body.data.find((one: { current: boolean }) => !one.current)
  expect((await owner.call('DELETE', `/session/sessions/${id}`)).status).toBe(404)
  expect((await person.call('DELETE', `/session/sessions/${id}`)).status).toBe(204)
  expect((await elsewhere.call('GET', '/session')).status).toBe(401)
})

it('ended sessions, old failures and old links are forgotten', async () => {
  const left = async (at: number) => {
    clock.set(at)
    await runDueJobs(context, [forgetSessionsJob])
    const [row] = await context.db.sql`SELECT
      (SELECT count(*) FROM sessions WHERE tenant_id = ${RESERVED_TENANT}) AS sessions,
      (SELECT count(*) FROM login_throttles WHERE tenant_id = ${RESERVED_TENANT}) AS failures,
      (SELECT count(*) FROM account_links WHERE tenant_id = ${RESERVED_TENANT}) AS links`
    return { ...row }
  }
  const now = clock.now() + 73 * HOUR
  expect(await left(now)).toEqual({ sessions: 0, failures: 0, links: 0 })
  const { email } = await addPerson(service, acme.tenant_id, 'viewer')
  expect((await openBrowser(service).logIn(email)).status).toBe(200)
  expect((await openBrowser(service).logIn(email, 'not the password')).status).toBe(401)
  // Of the pair, the account and the address; and the link that was sent.
  const all = { sessions: 1, failures: 4, links: 1 }
  expect(await left(now + 30 * MINUTE - 1)).toEqual(all)
  expect(await left(now + 30 * MINUTE)).toEqual({ ...all, sessions: 0 })
  expect(await left(now + 48 * HOUR)).toEqual({ ...all, sessions: 0 })
  expect(await left(now + 48 * HOUR + 1)).toEqual({ sessions: 0, failures: 0, links: 1 })
  expect(await left(now + 72 * HOUR)).toEqual({ sessions: 0, failures: 0, links: 1 })
  expect(await left(now + 72 * HOUR + 1)).toEqual({ sessions: 0, failures: 0, links: 0 })
})
