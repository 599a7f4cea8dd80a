// Logging in over HTTP: stages, throttles, sessions, CSRF, and that time does not tell who exists.
import crypto from 'node:crypto'
import { generateSync } from 'otplib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { addPerson, ORIGIN, openBrowser, PASSWORD, signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../platform/clock.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { createSecrets, keyFromSetting } from '../platform/secrets.ts'
import { readLocalPath } from './local-path.ts'
import { logIn } from './log-in.ts'
import { hashPassword, isOutdated, verifyPassword } from './password-hash.ts'
import { lockThrottles } from './sessions.queries.ts'
import { codeAttempt, forgiveAttempt, loginAttempt, takeAttempt } from './take-attempt.ts'
import { findUser } from './users.queries.ts'

const service = await startService()
const { clock } = service
const tenant = await service.tenant()

afterEach(() => void vi.restoreAllMocks())

const VISIT = { address: '192.0.2.9', request_id: 'req_x', device: '', cookies: '' }

const codeAt = (secret: string, at: number) =>
  generateSync({ secret, epoch: Math.floor(at / 1000) })

async function withTotp() {
  const person = await signIn(service, tenant.tenant_id, 'admin')
  const { body } = await person.call('POST', '/session/totp')
  const confirmed = await person.call('POST', '/session/totp/confirm', {
    code: codeAt(body.secret, clock.now()),
  })
  clock.advance(MINUTE)
  return {
    ...person,
    secret: body.secret as string,
    codes: confirmed.body.recovery_codes as string[],
  }
}

describe('200', () => {
  it('a person logs in, is told who they are, and calls /v1 with the scopes of the role', async () => {
    const viewer = await signIn(service, tenant.tenant_id, 'viewer')
    const me = await viewer.call('GET', '/session')
    expect(me.body.user.email).toBe(viewer.email)
    expect(me.body.tenant).toMatchObject({ id: tenant.tenant_id, role: 'viewer' })
    expect((await viewer.call('GET', '/v1/me')).body.actor).toEqual({
      kind: 'user',
      id: viewer.user_id,
    })
    expect((await viewer.call('GET', '/v1/me')).headers['x-ratelimit-limit']).toBe('600')
  })

  it('the cookie is HttpOnly, Lax, host-only, and new at each login', async () => {
    const { email } = await addPerson(service, tenant.tenant_id)
    const browser = openBrowser(service)
    const first = await browser.logIn(email)
    const before = browser.cookie()
    const second = await browser.logIn(email)
    expect([first.headers['set-cookie']].flat()[0]).toMatch(
      /^bw_session=[0-9A-Za-z]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    expect(browser.cookie()).not.toBe(before)
    expect(JSON.stringify(second.body)).not.toContain(browser.cookie().split('=')[1])
    const old = await service.app.server.inject({ url: '/session', headers: { cookie: before } })
    expect(old.statusCode).toBe(401)
  })

  it('over https the cookie is __Host- and Secure, and the Origin is the public one', async () => {
    const secure = await startService({ public_url: 'https://score.example' })
    const { tenant_id } = await secure.tenant()
    const { email } = await addPerson(secure, tenant_id)
    const browser = openBrowser(secure)
    const body = { email, password: PASSWORD }
    expect((await browser.call('POST', '/session/login', body)).status).toBe(403)
    const origin = { origin: 'https://score.example' }
    const answer = await browser.call('POST', '/session/login', body, origin)
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-bw_session=[0-9A-Za-z]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      ),
      expect.stringMatching(
        /^__Host-bw_browser=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ])
  })

  it('a session lives 12 h when used, and ends after 30 idle minutes', async () => {
    const busy = await signIn(service, tenant.tenant_id, 'viewer')
    const idle = await signIn(service, tenant.tenant_id, 'viewer')
    const start = clock.now()
    clock.advance(29 * MINUTE)
    expect((await busy.call('GET', '/session')).status).toBe(200)
    clock.advance(MINUTE)
    expect((await idle.call('GET', '/session')).status).toBe(401)
    while (clock.now() < start + 12 * HOUR - 10 * MINUTE) {
      clock.advance(10 * MINUTE)
      expect((await busy.call('GET', '/session')).status).toBe(200)
    }
    clock.set(start + 12 * HOUR)
    expect((await busy.call('GET', '/session')).status).toBe(401)
  })

  it('the eleventh session ends the oldest', async () => {
    const { email } = await addPerson(service, tenant.tenant_id)
    const other = await addPerson(service, tenant.tenant_id)
    const browsers = Array.from({ length: 11 }, () => openBrowser(service))
    for (const browser of browsers) {
      clock.advance(SECOND)
      await browser.logIn(email)
      await openBrowser(service).logIn(other.email)
    }
    const states = await Promise.all(browsers.map(browser => browser.call('GET', '/session')))
    expect(states.map(state => state.status)).toEqual([401, ...Array(10).fill(200)])
    const list = await browsers[10]!.call('GET', '/session/sessions')
    expect(list.body.data).toHaveLength(10)
    expect(list.body.data.filter((one: { current: boolean }) => one.current)).toHaveLength(1)
  })

  it('logins that wait for their code end no session: they hold the password alone', async () => {
    const person = await withTotp()
    for (let i = 0; i < 11; i++) {
      clock.advance(SECOND)
      expect((await openBrowser(service).logIn(person.email)).body.stage).toBe('second_factor')
    }
    expect((await person.call('GET', '/session')).status).toBe(200)
  })

  it('a hash of another cost is made anew at the next login', async () => {
    const { email, user_id } = await addPerson(service, tenant.tenant_id)
    const hash = async () =>
      (await service.context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, user_id)))
        ?.password_hash
    const config = { ...service.context.config, password_cost: { memory_kib: 16, passes: 2 } }
    expect(await hash()).toContain('$m=8,t=1,p=1$')
    const opened = await logIn({ ...service.context, config }, VISIT, { email, password: PASSWORD })
    expect(opened.stage).toBe('signed_in')
    expect(await hash()).toContain('$m=16,t=2,p=1$')
    expect((await openBrowser(service).logIn(email)).status).toBe(200)
  })

  it('a hash of another cost still verifies and is marked for renewal', async () => {
    const cost = { memory_kib: 16, passes: 1 }
    const old = await hashPassword(PASSWORD, cost)
    expect(isOutdated(old, cost)).toBe(false)
    expect(isOutdated(old, { memory_kib: 16, passes: 2 })).toBe(true)
    expect(await verifyPassword(PASSWORD, old, { memory_kib: 32, passes: 3 })).toBe(true)
    expect(await verifyPassword(`${PASSWORD} `, old, cost)).toBe(false)
  })
})

describe('401', () => {
  it('unknown and known people get the same answer after the same work', async () => {
    const { email } = await addPerson(service, tenant.tenant_id)
    const { user_id } = await invite('never@example.test')
    const work = vi.spyOn(crypto, 'argon2')
    const answers = []
    for (const address of [email, 'nobody@example.test', 'never@example.test']) {
      const { status, body } = await openBrowser(service).logIn(address, 'not the password at all')
      answers.push({ status, code: body.error.code, message: body.error.message })
    }
    expect(user_id).toMatch(/^usr_/)
    expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]!.status).toBe(401)
    const costs = work.mock.calls.map(([, p]) => [p.memory, p.passes, p.parallelism, p.tagLength])
    expect(costs).toEqual([costs[0], costs[0], costs[0]])
  })

  it('a password that differs in case or by a trailing space is wrong', async () => {
    const { email } = await addPerson(service, tenant.tenant_id)
    for (const wrong of [PASSWORD.toUpperCase(), `${PASSWORD} `, PASSWORD.slice(0, -1)]) {
      expect((await openBrowser(service).logIn(email, wrong)).status).toBe(401)
    }
  })

  it('forged, planted and foreign cookies open nothing', async () => {
    const { cookie } = await signIn(service, tenant.tenant_id)
    const forged = ['bw_session=x', `bw_session=${'a'.repeat(43)}`, `bw_session=${tenant.key}`]
    for (const header of [...forged, `${cookie()}; bw_session=${'a'.repeat(43)}`]) {
      const answer = await service.app.server.inject({
        url: '/session',
        headers: { cookie: header },
      })
      expect(answer.statusCode, header).toBe(401)
    }
  })

  it('a key or token is no credential for routes of the dashboard', async () => {
    for (const url of ['/session', '/admin/users', '/admin/keys']) {
      expect((await tenant.call('GET', url)).status, url).toBe(401)
    }
  })

  it('password → code → session: no step can be left out or done in another order', async () => {
    const person = await withTotp()
    const browser = openBrowser(service)
    expect((await browser.call('POST', '/session/second-factor', { code: '000000' })).status).toBe(
      401,
    )
    const first = await browser.logIn(person.email)
    expect(first.body.stage).toBe('second_factor')
    const pending = browser.cookie()
    for (const [method, url] of [
      ['GET', '/v1/me'],
      ['GET', '/session/sessions'],
      ['POST', '/session/totp'],
      ['GET', '/admin/keys'],
      ['POST', '/session/proof'],
    ] as const) {
      const body = method === 'POST' ? { password: PASSWORD } : undefined
      expect((await browser.call(method, url, body)).status, url).toBe(401)
    }
    const code = codeAt(person.secret, clock.now())
    const second = await browser.call('POST', '/session/second-factor', { code })
    expect(second.body.stage).toBe('signed_in')
    expect(browser.cookie()).not.toBe(pending)
    expect((await browser.call('GET', '/v1/me')).status).toBe(200)
    const stale = await service.app.server.inject({ url: '/session', headers: { cookie: pending } })
    expect(stale.statusCode).toBe(401)
    expect((await browser.call('POST', '/session/second-factor', { code })).status).toBe(401)
  })

  it('a code works once, also for two logins in parallel, and only one step around now', async () => {
    const person = await withTotp()
    const browsers = Array.from({ length: 4 }, () => openBrowser(service))
    for (const browser of browsers) await browser.logIn(person.email)
    const code = codeAt(person.secret, clock.now())
    const answers = await Promise.all(
      browsers.map(browser => browser.call('POST', '/session/second-factor', { code })),
    )
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 401, 401, 401])
    clock.advance(SECOND)
    await browsers[0]!.logIn(person.email)
    const again = await browsers[0]!.call('POST', '/session/second-factor', { code })
    expect(again.status).toBe(401)
    for (const [offset, status] of [
      [-60, 401],
      [60, 401],
      [30, 200],
    ] as const) {
      clock.advance(2 * MINUTE)
      const browser = openBrowser(service)
      await browser.logIn(person.email)
      const shifted = codeAt(person.secret, clock.now() + offset * SECOND)
      const answer = await browser.call('POST', '/session/second-factor', { code: shifted })
      expect(answer.status, `${offset} s`).toBe(status)
    }
  })

  it('a password waits five minutes for its code', async () => {
    const person = await withTotp()
    const [early, late] = [openBrowser(service), openBrowser(service)]
    for (const browser of [early, late]) await browser.logIn(person.email)
    const enter = (browser = early, ahead = 0) => {
      const code = codeAt(person.secret, clock.now() + ahead)
      return browser.call('POST', '/session/second-factor', { code })
    }
    clock.advance(5 * MINUTE - 1)
    expect((await enter(early)).status).toBe(200)
    clock.advance(1)
    expect((await enter(late, 30 * SECOND)).status).toBe(401)
  })

  it('a code is no proof to a session that is open: it needs the password too', async () => {
    const person = await withTotp()
    clock.advance(5 * MINUTE)
    const code = codeAt(person.secret, clock.now())
    expect((await person.call('POST', '/session/second-factor', { code })).status).toBe(401)
    expect((await person.call('POST', '/session/proof', { password: '', code })).status).toBe(403)
    const { body } = await person.call('POST', '/session/recovery-codes')
    expect(body.error.code).toBe('REAUTHENTICATION_REQUIRED')
  })

  it('an attempt that waits while a success clears the count is counted anew', async () => {
    const attempt = codeAttempt('usr_busy')
    const { db } = service.context
    await takeAttempt(service.context, attempt)
    const second = await db.inTenant(RESERVED_TENANT, async tx => {
      await lockThrottles(tx, [attempt.code!], new Date(clock.now()))
      const waiting = takeAttempt(service.context, attempt)
      for (let n = 0; n === 0; ) {
        const rows = await tx`SELECT 1 FROM pg_locks
          WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`
        n = rows.length
      }
      await forgiveAttempt(tx, attempt, new Date(clock.now()))
      return { waiting }
    })
    await second.waiting
    const rows = await db.inTenant(RESERVED_TENANT, tx =>
      lockThrottles(tx, [attempt.code!], new Date(clock.now())),
    )
    expect(rows.map(row => row.failures)).toEqual([1])
  })

  it('a recovery code works once', async () => {
    const person = await withTotp()
    const results = []
    for (let i = 0; i < 2; i++) {
      const browser = openBrowser(service)
      await browser.logIn(person.email)
      const answer = await browser.call('POST', '/session/second-factor', { code: person.codes[0] })
      results.push(answer.status)
    }
    expect(results).toEqual([200, 401])
  })

  it('where its secret was sealed with a key that is gone, a recovery code still works', async () => {
    const person = await withTotp()
    const lost = createSecrets(keyFromSetting('a key that was lost with its folder'))
    await service.context.db.inTenant(
      RESERVED_TENANT,
      tx => tx`UPDATE users SET totp_secret = ${lost.seal(person.secret, 'totp')}
        WHERE tenant_id = ${RESERVED_TENANT} AND email = ${person.email}`,
    )
    const results = []
    for (const code of [codeAt(person.secret, clock.now()), person.codes[0]]) {
      const browser = openBrowser(service)
      await browser.logIn(person.email)
      results.push((await browser.call('POST', '/session/second-factor', { code })).status)
    }
    expect(results).toEqual([401, 200])
  })

  it('logout ends the session', async () => {
    const person = await signIn(service, tenant.tenant_id)
    const cookie = person.cookie()
    expect((await person.call('DELETE', '/session')).status).toBe(204)
    const after = await service.app.server.inject({ url: '/session', headers: { cookie } })
    expect(after.statusCode).toBe(401)
  })
})

describe('403', () => {
  it('a change with the cookie needs our Origin and the token of this session, on /v1 too', async () => {
    const person = await signIn(service, tenant.tenant_id)
    const other = await signIn(service, tenant.tenant_id)
    const good = { origin: ORIGIN, 'x-csrf-token': person.csrf() }
    for (const headers of [
      { ...good, origin: 'https://evil.test' },
      { ...good, origin: 'null' },
      { ...good, origin: '' },
      { ...good, 'x-csrf-token': '' },
      { ...good, 'x-csrf-token': other.csrf() },
      { ...good, 'sec-fetch-site': 'cross-site' },
    ]) {
      for (const [method, url] of [
        ['DELETE', '/session'],
        ['POST', '/v1/employees'],
        ['PUT', '/admin/policy'],
      ] as const) {
        expect((await person.call(method, url, {}, headers)).status, url).toBe(403)
      }
    }
    expect((await person.call('GET', '/session')).status).toBe(200)
  })

  it('a role without the scope or the right is refused', async () => {
    const viewer = await signIn(service, tenant.tenant_id, 'viewer')
    expect((await viewer.call('POST', '/v1/rules', {})).status).toBe(403)
    expect((await viewer.call('GET', '/admin/users')).status).toBe(403)
    const admin = await signIn(service, tenant.tenant_id, 'admin')
    expect((await admin.call('GET', '/admin/users')).status).toBe(403)
    expect((await admin.call('GET', '/admin/keys')).status).toBe(200)
  })

  it('a sensitive change needs a proof of the last five minutes, and the proof changes the cookie', async () => {
    const person = await signIn(service, tenant.tenant_id)
    clock.advance(5 * MINUTE)
    const body = { name: 'reports', scopes: ['scores:read'] }
    const refused = await person.call('POST', '/admin/keys', body)
    expect([refused.status, refused.body.error.code]).toEqual([403, 'REAUTHENTICATION_REQUIRED'])
    expect((await person.call('POST', '/session/proof', { password: 'wrong' })).status).toBe(403)
    const before = person.cookie()
    const proof = await person.call('POST', '/session/proof', { password: PASSWORD })
    const proven_until = new Date(clock.now() + 5 * MINUTE).toISOString()
    expect([proof.status, proof.body]).toEqual([200, { proven_until }])
    expect(person.cookie()).not.toBe(before)
    const stale = await service.app.server.inject({ url: '/session', headers: { cookie: before } })
    expect(stale.statusCode).toBe(401)
    const created = await person.call('POST', '/admin/keys', body)
    expect(created.status).toBe(201)
    expect((await person.call('DELETE', `/admin/keys/${created.body.id}`)).status).toBe(204)
  })

  it('so does whatever touches passwords, second factors, sessions, people, apps, secrets or what is kept', async () => {
    const sensitive = [
      ['PUT', '/session/password'],
      ['POST', '/session/totp'],
      ['POST', '/session/totp/confirm'],
      ['DELETE', '/session/totp'],
      ['POST', '/session/recovery-codes'],
      ['DELETE', '/session/sessions'],
      ['DELETE', '/session/sessions/ses_x'],
      ['POST', '/admin/users'],
      ['PATCH', '/admin/users/usr_x'],
      ['DELETE', '/admin/users/usr_x'],
      ['POST', '/admin/users/usr_x/reset'],
      ['DELETE', '/admin/users/usr_x/second-factor'],
      ['DELETE', '/admin/users/usr_x/sessions'],
      ['PUT', '/admin/policy'],
      ['PUT', '/admin/retention'],
      ['POST', '/admin/apps'],
      ['PATCH', '/admin/apps/app_x'],
      ['POST', '/admin/apps/app_x/secret'],
      ['DELETE', '/admin/apps/app_x'],
      ['POST', '/admin/employees/emp_x/adjustments'],
      ['POST', '/v1/webhooks/whk_x/rotate-secret'],
      ['GET', '/v1/employees/emp_x/export'],
      ['POST', '/v1/employees/emp_x/erase'],
    ] as const
    const person = await signIn(service, tenant.tenant_id)
    const refused = async () => {
      const asked = []
      for (const [method, path] of sensitive) {
        const { body } = await person.call(method, path)
        if (body?.error?.code === 'REAUTHENTICATION_REQUIRED') asked.push([method, path])
      }
      return asked
    }
    expect(await refused()).toEqual([])
    clock.advance(5 * MINUTE)
    expect(await refused()).toEqual(sensitive)
  })

  it('a tenant that requires a second factor shuts out a password alone', async () => {
    const strict = await service.tenant()
    const owner = await signIn(service, strict.tenant_id)
    expect((await owner.call('PUT', '/admin/policy', { require_second_factor: true })).status).toBe(
      200,
    )
    const refused = await owner.call('GET', '/v1/me')
    expect([refused.status, refused.body.error.code]).toEqual([403, 'SECOND_FACTOR_REQUIRED'])
    expect((await owner.call('GET', '/session')).body.tenant.needs_second_factor).toBe(true)
    const { body } = await owner.call('POST', '/session/totp')
    const code = codeAt(body.secret, clock.now())
    expect((await owner.call('POST', '/session/totp/confirm', { code })).status).toBe(200)
    expect((await owner.call('GET', '/v1/me')).status).toBe(200)
    expect((await owner.call('DELETE', '/session/totp')).status).toBe(409)
  })
})

describe('409', () => {
  it('a set-up confirmed again, its answer lost, is on already and leads to new codes', async () => {
    const person = await withTotp()
    const code = codeAt(person.secret, clock.now())
    const again = await person.call('POST', '/session/totp/confirm', { code })
    expect(again.status).toBe(409)
    expect(again.body.error.message).toMatch(/on already.*make new ones/)
  })

  it('a set-up begun before the second factor was removed is over too', async () => {
    const person = await withTotp()
    const { body } = await person.call('POST', '/session/totp')
    expect((await person.call('DELETE', '/session/totp')).status).toBe(204)
    const code = codeAt(body.secret, clock.now())
    const { status, body: told } = await person.call('POST', '/session/totp/confirm', { code })
    expect([status, told.error.message]).toEqual([
      409,
      'start the set-up of the second factor first',
    ])
  })
})

describe('415', () => {
  it('forms and plain text never reach a route of the dashboard', async () => {
    const person = await signIn(service, tenant.tenant_id)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const headers = { 'content-type': type }
      expect((await person.call('PUT', '/admin/policy', {}, headers)).status, type).toBe(415)
    }
  })
})

describe('429', () => {
  it('failures slow down: five are free, then the pause doubles; unknown people likewise', async () => {
    const { email } = await addPerson(service, tenant.tenant_id)
    for (const address of [email, 'nobody-here@example.test']) {
      const pauses = []
      for (let i = 0; i < 8; i++) {
        const answer = await openBrowser(service).logIn(address, 'wrong wrong wrong')
        if (answer.status === 401) {
          pauses.push(0)
          continue
        }
        pauses.push(Number(answer.headers['retry-after']))
        clock.advance(Number(answer.headers['retry-after']) * SECOND)
      }
      expect(pauses, address).toEqual([0, 0, 0, 0, 0, 1, 0, 2])
    }
    clock.advance(4 * SECOND)
    expect((await openBrowser(service).logIn(email)).status).toBe(200)
  })

  it('a pause given by a clock a day ahead is over when it would be, once the clock is right', async () => {
    const { email } = await addPerson(service, tenant.tenant_id)
    clock.advance(DAY)
    for (let i = 0; i < 5; i++) await openBrowser(service).logIn(email, 'wrong wrong wrong')
    clock.advance(-DAY)
    const early = await openBrowser(service).logIn(email)
    expect([early.status, early.headers['retry-after']]).toEqual([429, '1'])
    clock.advance(SECOND)
    expect((await openBrowser(service).logIn(email)).status).toBe(200)
  })

  it('a success takes its own attempt back from the count of its address, and the pause with it', async () => {
    const { context } = service
    const from = (name: string) => loginAttempt(`${name}@example.test`, '203.0.113.9')
    for (let i = 0; i < 29; i++) await takeAttempt(context, from(`guessed${i}`))
    for (const name of ['ada', 'bob']) {
      await takeAttempt(context, from(name))
      await context.db.inTenant(RESERVED_TENANT, tx =>
        forgiveAttempt(tx, from(name), new Date(clock.now())),
      )
    }
    await takeAttempt(context, from('guessed29'))
    await expect(takeAttempt(context, from('ada'))).rejects.toMatchObject({ status: 429 })
  })

  it('guesses in parallel are counted one by one', async () => {
    const { email } = await addPerson(service, tenant.tenant_id)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => openBrowser(service).logIn(email, 'wrong wrong wrong')),
    )
    const statuses = answers.map(answer => answer.status)
    // One that was counted may find the database busy, and is then not judged.
    for (const status of statuses) expect([401, 429, 503]).toContain(status)
    expect(statuses.filter(status => status === 401).length).toBeLessThanOrEqual(5)
    const { pair } = loginAttempt(email, '127.0.0.1')
    const { failures } = await service.context.db.inTenant(
      RESERVED_TENANT,
      async tx => (await lockThrottles(tx, [pair!], new Date(clock.now())))[0]!,
    )
    expect(failures).toBe(5)
  })

  it('after five wrong codes the password must be given again', async () => {
    const person = await withTotp()
    const browser = openBrowser(service)
    await browser.logIn(person.email)
    for (let i = 0; i < 5; i++) {
      const wrong = await browser.call('POST', '/session/second-factor', { code: '12345' })
      expect(wrong.status).toBe(401)
    }
    clock.advance(MINUTE)
    const code = codeAt(person.secret, clock.now())
    expect((await browser.call('POST', '/session/second-factor', { code })).status).toBe(401)
  })
})

describe('next=', () => {
  it('40 spellings of another place stay here', () => {
    const bypasses =
      `//evil.test ///evil.test ////evil.test /\\evil.test \\\\evil.test \\/evil.test /\\/evil.test
      https://evil.test http:evil.test https:/evil.test javascript:alert(1) data:text/html,x vbscript:x
      evil.test @evil.test .evil.test /.//evil.test /./\\evil.test /a/..//evil.test /a/../\\evil.test
      /%09/evil.test?a=\u0001 /\u00a0/evil.test /..//evil.test /../..//evil.test ?next=//evil.test #//evil.test
      //evil.test@here.test //here.test@evil.test http://\\evil.test http:\\\\evil.test https:\\evil.test
      /\\\\evil.test //evil%00.test //%65vil.test ///\\evil.test /\u2215/evil.test //[::1] //127.1
      //evil.test:80/ blob:https://evil.test/x file:///etc/passwd //ⓔvil.test`.split(/\s+/)
    const extra = [
      '/\t/evil.test',
      '/\n/evil.test',
      '\t//evil.test',
      ' //evil.test',
      '/\r\n/evil.test',
      '',
    ]
    expect(bypasses.length + extra.length).toBeGreaterThanOrEqual(40)
    for (const text of [...bypasses, ...extra]) {
      const path = readLocalPath(text)
      expect(path, text).toMatch(/^\/(?![/\\])/)
      expect(new URL(path, 'http://here.test').host, text).toBe('here.test')
    }
    expect(readLocalPath('/oauth/authorize?a=b%20c&d=%2F')).toBe('/oauth/authorize?a=b%20c&d=%2F')
  })

  it('a path has at most 16,000 characters, about what a request line can carry', () => {
    const path = (length: number) => `/a?b=${'c'.repeat(length - 5)}`
    expect(readLocalPath(path(16_000))).toBe(path(16_000))
    expect(readLocalPath(path(16_001))).toBe('/')
  })
})

async function invite(email: string) {
  const { inviteUser } = await import('./invite-user.ts')
  const { operatorOrigin } = await import('../platform/actor.ts')
  const input = { email, role: 'viewer' as const }
  const { id } = await inviteUser(
    service.context,
    tenant.tenant_id,
    operatorOrigin(),
    ORIGIN,
    input,
  )
  return { user_id: id }
}
