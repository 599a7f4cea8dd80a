// What an account promises over its life: its password, its second factor, its sessions, and what it is told.
import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import { startMailServer } from '../../test/mail-server.ts'
import { addApp } from '../../test/oauth.ts'
import { addFactor, addPerson, ORIGIN, openBrowser, PASSWORD, signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { newKey } from '../keys/key-format.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { DAY, HOUR, MINUTE } from '../platform/clock.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { newToken } from '../platform/tokens.ts'
import { inviteUser } from './invite-user.ts'
import { SESSION } from './open-session.ts'
import { LONGEST_PASSWORD } from './password-policy.ts'
import { setUserEnabled, startReset } from './rescue-user.ts'
import { cookieName } from './session-cookie.ts'
import { newRecoveryCodes, newTotpSecret } from './totp.ts'
import { findUser } from './users.queries.ts'

const mail = await startMailServer()
const service = await startService({ smtp_url: mail.url })
const { clock, app } = service
const tenant = await service.tenant()

test('password fields are masked, can be pasted into and are known to password managers', async () => {
  const owner = await signIn(service, tenant.tenant_id)
  const invited = { email: 'masked@example.test', role: 'viewer' }
  expect((await owner.call('POST', '/admin/users', invited)).status).toBe(201)
  const setup_url = `/invitation?token=${await mail.tokenFor(invited.email)}`
  for (const [url, autocomplete] of [
    ['/login', 'current-password'],
    [setup_url, 'new-password'],
  ] as const) {
    const { body } = await app.server.inject({ method: 'GET', url })
    const fields = [...body.matchAll(/<input[^>]*name="password"[^>]*>/g)].map(match => match[0])
    expect(fields, url).toHaveLength(1)
    for (const field of fields) {
      expect(field).toContain('type="password"')
      expect(field).toContain(`autocomplete="${autocomplete}"`)
    }
    expect(body).not.toMatch(/onpaste|<script/)
  }
})

test('a password is good for as long as its owner likes: 400 days later it still opens', async () => {
  const { email } = await addPerson(service, tenant.tenant_id)
  clock.advance(400 * DAY)
  expect((await openBrowser(service).logIn(email)).status).toBe(200)
})

test('a password is changed only by who has just given the current one', async () => {
  const person = await signIn(service, tenant.tenant_id)
  clock.advance(SESSION.fresh_ms)
  const password = 'a quite different long sentence'
  const refused = await person.call('PUT', '/session/password', { password })
  expect([refused.status, refused.body.error.code]).toEqual([403, 'REAUTHENTICATION_REQUIRED'])
  const wrong = await person.call('POST', '/session/proof', { password: 'not the current one' })
  expect(wrong.status).toBe(403)
  expect((await openBrowser(service).logIn(person.email)).status).toBe(200)
  expect((await person.call('POST', '/session/proof', { password: PASSWORD })).status).toBe(200)
  expect((await person.call('PUT', '/session/password', { password })).status).toBeLessThan(300)
  expect((await openBrowser(service).logIn(person.email)).status).toBe(401)
  await expect.poll(() => mail.taken.some(({ to, text }) => isTold(to, text, 'changed'))).toBe(true)
  function isTold(to: string[], text: string, word: string) {
    return to.includes(person.email) && text.includes(`password was ${word}`)
  }
})

test('a changed or reset password ends sessions and no grant, and the mail about it says so', async () => {
  const person = await signIn(service, tenant.tenant_id)
  const maker = await addApp(service, tenant.tenant_id)
  const { tokens } = await maker.connect(person)
  const password = 'a quite different long sentence'
  expect((await person.call('PUT', '/session/password', { password })).status).toBe(204)
  const { context } = service
  const user = await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, person.user_id))
  const { url } = await startReset(context, operatorOrigin(), ORIGIN, user!, null)
  const token = new URL(url).searchParams.get('token')!
  const again = 'some other quite long sentence'
  expect((await person.post('/reset', { token, password: again })).status).toBe(303)
  expect((await person.call('GET', '/session')).status).toBe(401)
  expect((await maker.refresh(tokens.refresh_token)).status).toBe(200)
  const told = () =>
    mail.taken.filter(({ to, text }) => to.includes(person.email) && text.includes('Apps that you'))
  await expect.poll(() => told().length).toBe(2)
})

test('64 and 200 characters are taken, 201 and a megabyte are refused at once', async () => {
  const person = await signIn(service, tenant.tenant_id)
  const set = (length: number) => {
    const password = 'violet otters sing at noon; '.repeat(40_000).slice(0, length)
    return person.call('PUT', '/session/password', { password })
  }
  expect(LONGEST_PASSWORD).toBe(200)
  const statuses = []
  for (const length of [64, 200, 201, 1_000_000]) statuses.push((await set(length)).status)
  expect(statuses).toEqual([204, 204, 400, 413])
})

test('a login after five failures is told to its person', async () => {
  const { email } = await addPerson(service, tenant.tenant_id)
  const told = () =>
    mail.taken.filter(({ to, text }) => to.includes(email) && /failed attempts/.test(text))
  const browser = openBrowser(service)
  for (let i = 0; i < 5; i++) {
    await browser.logIn(email, 'a wrong password')
    clock.advance(20 * MINUTE)
  }
  expect((await browser.logIn(email)).status).toBe(200)
  await expect.poll(() => told().length).toBe(1)
  expect(told()[0]!.text).toContain('5 failed attempts')
})

test('an owner ends the sessions of somebody, and takes a lost second factor away', async () => {
  const owner = await signIn(service, tenant.tenant_id)
  const person = await signIn(service, tenant.tenant_id, 'viewer')
  expect((await owner.call('DELETE', `/admin/users/${person.user_id}/sessions`)).status).toBe(204)
  expect((await person.call('GET', '/session')).status).toBe(401)
  await person.logIn(person.email)
  const path = `/admin/users/${person.user_id}/second-factor`
  expect((await person.call('DELETE', path)).status).toBe(403)
  expect((await owner.call('DELETE', path)).status).toBe(204)
  expect((await person.call('GET', '/session')).status).toBe(401)
})

test('logout tells the browser to forget', async () => {
  const person = await signIn(service, tenant.tenant_id)
  const answer = await person.call('DELETE', '/session')
  expect(answer.headers['clear-site-data']).toBe('"cache", "storage"')
  expect(person.cookie()).toBe('')
  const byForm = await signIn(service, tenant.tenant_id)
  const left = await byForm.post('/logout', { csrf: byForm.csrf() })
  expect([left.status, left.headers.location]).toEqual([303, '/login'])
  expect(left.headers['clear-site-data']).toBe('"cache", "storage"')
  expect(byForm.cookie()).toBe('')
})

test('the longest cookie is far below 4,096 bytes', async () => {
  const config = { ...service.context.config, public_url: 'https://bellwether.test' }
  expect(`${cookieName(config)}=${newToken()}`.length).toBeLessThan(100)
  const person = await signIn(service, tenant.tenant_id)
  expect(person.cookie().length).toBeLessThan(100)
})

test('what others do to the password or the second factor of somebody is told to them', async () => {
  const owner = await signIn(service, tenant.tenant_id)
  const person = await signIn(service, tenant.tenant_id, 'viewer')
  const told = (words: string) =>
    mail.taken.filter(({ to, text }) => to.includes(person.email) && text.includes(words)).length
  const path = `/admin/users/${person.user_id}`
  expect((await owner.call('DELETE', `${path}/second-factor`)).status).toBe(204)
  await person.logIn(person.email)
  await addFactor(service, person)
  expect((await owner.call('DELETE', `${path}/second-factor`)).status).toBe(204)
  await expect.poll(() => told('second factor was taken away')).toBe(1)
  expect((await owner.call('POST', `${path}/reset`)).status).toBe(201)
  const token = await mail.tokenFor(person.email, 2)
  const password = 'a quite different long sentence'
  expect((await openBrowser(service).post('/reset', { token, password })).status).toBe(303)
  await expect.poll(() => told('password was changed')).toBe(1)
})

test('a second factor that was removed is dead: its codes and recovery codes open nothing', async () => {
  const person = await signIn(service, tenant.tenant_id, 'viewer')
  const old = await addFactor(service, person)
  const { recovery_codes } = (await person.call('POST', '/session/recovery-codes')).body
  const begun = openBrowser(service)
  expect((await begun.logIn(person.email)).body.stage).toBe('second_factor')
  expect((await person.call('DELETE', '/session/totp')).status).toBe(204)
  const next = generateSync({ secret: old, epoch: Math.floor(clock.now() / 1000) + 30 })
  for (const code of [next, recovery_codes[0]]) {
    expect((await begun.call('POST', '/session/second-factor', { code })).status).toBe(401)
  }
  const told = () => mail.taken.filter(({ to }) => to.includes(person.email)).map(one => one.text)
  await expect.poll(() => told().some(text => text.includes('factor was removed'))).toBe(true)
  await addFactor(service, person)
  clock.advance(MINUTE)
  const browser = openBrowser(service)
  expect((await browser.logIn(person.email)).body.stage).toBe('second_factor')
  const epoch = Math.floor(clock.now() / 1000)
  for (const code of [generateSync({ secret: old, epoch }), recovery_codes[0]]) {
    expect((await browser.call('POST', '/session/second-factor', { code })).status).toBe(401)
  }
})

test('recovery codes: ten, of at least 112 random bits each', () => {
  const codes = newRecoveryCodes()
  expect(new Set(codes).size).toBe(10)
  const letters = new Set(
    Array.from({ length: 200 }, newRecoveryCodes).flat().join('').replaceAll('-', ''),
  )
  for (const code of codes) {
    expect(code.replaceAll('-', '').length * Math.log2(letters.size)).toBeGreaterThanOrEqual(112)
  }
})

test('the name of the own organization is no part of a password, at its first choice and later', async () => {
  const { tenant_id } = await service.tenant({ name: 'Blue Heron' })
  const owner = await signIn(service, tenant_id)
  const input = { email: 'new@birds.test', role: 'viewer' }
  expect((await owner.call('POST', '/admin/users', input)).status).toBe(201)
  const token = await mail.tokenFor(input.email)
  const first = await owner.call('POST', '/session/link/accept', {
    token,
    password: 'my BlueHeron 12',
  })
  const later = await owner.call('PUT', '/session/password', { password: 'my blue heron 12' })
  for (const { status, body } of [first, later]) {
    expect(status).toBe(400)
    expect(body.error.details[0].message).toContain('your organization')
  }
})

test('a changed password holds the name of none of the organizations of the person', async () => {
  const [heron, geese] = [
    await service.tenant({ name: 'Blue Heron' }),
    await service.tenant({ name: 'Nine Loud Geese' }),
  ]
  const person = await signIn(service, heron.tenant_id, 'viewer')
  const input = { email: person.email, role: 'viewer' } as const
  const invited = await inviteUser(
    service.context,
    geese.tenant_id,
    operatorOrigin(),
    ORIGIN,
    input,
  )
  const token = new URL(invited.setup_url).searchParams.get('token')!
  await person.call('POST', '/session/link/accept', { token })
  for (const { tenant_id } of [heron, geese]) {
    await person.call('PUT', '/session/tenant', { tenant_id })
    for (const password of ['my BlueHeron 12', 'my nine loud geese']) {
      const { status, body } = await person.call('PUT', '/session/password', { password })
      const said = body.error?.details[0].message
      expect([status, said]).toEqual([400, 'must not contain the name of your organization'])
    }
  }
})

/** Base62 of 32 random bytes is 43 letters; the tenant in front and the checksum behind add nothing. */
test('the secrets of the service have at least 128 bits', () => {
  const bits = (text: string, letters: number) => text.length * Math.log2(letters)
  expect(bits(newToken(), 62)).toBeGreaterThanOrEqual(256)
  expect(bits(newKey('t').slice('bw_live_t_'.length, -6), 62)).toBeGreaterThanOrEqual(256)
  expect(bits(newTotpSecret(), 32)).toBeGreaterThanOrEqual(128)
})

test('the prefixes of users, apps and keys differ', async () => {
  const owner = await signIn(service, tenant.tenant_id)
  const app = { name: 'App', redirect_uris: ['https://app.example/cb'], scopes: ['events:read'] }
  const { client_id } = (await owner.call('POST', '/admin/apps', app)).body
  const prefixes = [owner.user_id, client_id, tenant.key_id].map(id => String(id).split('_')[0])
  expect(new Set(prefixes).size).toBe(3)
})

test('sessions last as long as is written', () => {
  expect(SESSION).toMatchObject({ idle_ms: 30 * MINUTE, longest_ms: 12 * HOUR, most_per_user: 10 })
})

/** Everything that is kept of a person. */
async function recordOf(user_id: string) {
  const { sql } = service.context.db
  return Promise.all([
    sql`SELECT * FROM users WHERE user_id = ${user_id}`,
    sql`SELECT * FROM memberships WHERE user_id = ${user_id} ORDER BY tenant_id`,
    sql`SELECT * FROM sessions WHERE user_id = ${user_id} ORDER BY session_id`,
    sql`SELECT * FROM recovery_codes WHERE user_id = ${user_id} ORDER BY code_hash`,
    sql`SELECT * FROM account_links WHERE user_id = ${user_id} ORDER BY link_id`,
  ])
}

test('what one does, or has done to them, leaves another as they were', async () => {
  const owner = await signIn(service, tenant.tenant_id)
  const other = await signIn(service, tenant.tenant_id, 'viewer')
  await addFactor(service, other)
  await openBrowser(service).logIn(other.email)
  await owner.call('POST', `/admin/users/${other.user_id}/reset`)
  const before = await recordOf(other.user_id)
  expect(before.map(rows => rows.length)).toEqual([1, 1, 2, 10, 2])
  clock.advance(MINUTE)

  const one = await signIn(service, tenant.tenant_id, 'viewer')
  const done: number[] = []
  const ask = async (...call: Parameters<typeof one.call>) => {
    const { status, body } = await one.call(...call)
    done.push(status)
    return body
  }
  await addFactor(service, one)
  clock.advance(MINUTE)
  const { recovery_codes } = await ask('POST', '/session/recovery-codes')
  await one.logIn(one.email)
  expect((await one.call('POST', '/session/second-factor', { code: 'wrong' })).status).toBe(401)
  await ask('POST', '/session/second-factor', { code: recovery_codes[0] })
  await ask('POST', '/session/proof', { password: PASSWORD, code: recovery_codes[1] })
  await ask('DELETE', '/session/totp')
  await ask('PUT', '/session/password', { password: 'seven quiet herons wade' })
  await ask('DELETE', '/session/sessions')
  const path = `/admin/users/${one.user_id}`
  expect((await owner.call('POST', `${path}/reset`)).status).toBe(201)
  const token = await mail.tokenFor(one.email, 2)
  await ask('POST', '/session/link/accept', { token, password: PASSWORD })
  for (const status of ['disabled', 'active']) {
    done.push((await owner.call('PATCH', path, { status, role: 'analyst' })).status)
  }
  for (const what of ['/second-factor', '/sessions']) {
    done.push((await owner.call('DELETE', path + what)).status)
  }
  const user = (await service.context.db.inTenant(RESERVED_TENANT, tx =>
    findUser(tx, one.user_id),
  ))!
  for (const enabled of [false, true]) {
    await setUserEnabled(service.context, operatorOrigin(), user, enabled)
    expect(await recordOf(other.user_id)).toEqual(before)
  }
  const { tenant_id } = await service.tenant()
  const input = { email: one.email, role: 'viewer' } as const
  const invited = await inviteUser(service.context, tenant_id, operatorOrigin(), ORIGIN, input)
  await one.logIn(one.email)
  const joins = new URL(invited.setup_url).searchParams.get('token')!
  await ask('POST', '/session/link/accept', { token: joins, password: '' })
  done.push((await owner.call('DELETE', path)).status)
  expect(done.every(status => status < 300)).toBe(true)
  expect(await recordOf(other.user_id)).toEqual(before)
})
