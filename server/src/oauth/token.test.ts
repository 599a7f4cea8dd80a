// The token endpoint: codes, refreshes, revocation, and when an access token stops working.
import { describe, expect, it } from 'vitest'
import { addApp, challengeOf, REDIRECT_URI } from '../../test/oauth.ts'
import { addFactor, signIn } from '../../test/people.ts'
import { type Answer, caller, startService } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { inviteUser } from '../accounts/invite-user.ts'
import { changeMember, removeMember, setPolicy } from '../accounts/manage-members.ts'
import { buildApp } from '../app.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { DAY, SECOND } from '../platform/clock.ts'
import { hashToken } from '../platform/tokens.ts'
import { changeApp, removeApp, rotateSecret } from './manage-apps.ts'

const service = await startService()
const { clock, context } = service
const tenant = await service.tenant()
const { tenant_id } = tenant
const app = await addApp(service, tenant_id)
const owner = await signIn(service, tenant_id)

/** Tokens are remembered for less than a second, and a family must outlive long jumps of the clock. */
async function works(access_token: string): Promise<number> {
  clock.advance(SECOND)
  return (await caller(service.app, access_token)('GET', '/v1/me')).status
}

async function person() {
  return signIn(service, tenant_id)
}

const exchange = (fields: Record<string, string | undefined>, from = app) =>
  from.post('/oauth/token', {
    grant_type: 'authorization_code',
    redirect_uri: REDIRECT_URI,
    ...fields,
  })

async function newCode(browser = owner) {
  const { query, verifier } = app.ask()
  const back = await app.consent(browser, query)
  return { code: back.searchParams.get('code')!, code_verifier: verifier }
}

describe('200', () => {
  it('the answer is as the contract shows, not to be stored, and the token works like a key', async () => {
    const answer = await exchange(await newCode())
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' })
    expect(Object.keys(answer.body).sort()).toEqual(
      ['access_token', 'expires_in', 'refresh_token', 'scope', 'token_type'].sort(),
    )
    expect(answer.body).toMatchObject({ token_type: 'Bearer', expires_in: 900 })
    const call = caller(service.app, answer.body.access_token)
    const me = await call('GET', '/v1/me')
    expect(me.body).toMatchObject({
      tenant: { id: tenant_id },
      actor: { kind: 'app', id: app.client_id },
    })
    const byKey = await tenant.call('GET', '/v1/me')
    const limit = byKey.headers['x-ratelimit-limit']
    expect(me.headers['x-ratelimit-limit']).toBe(limit)
    expect((await call('GET', '/v1/rules')).status).toBe(403)
  })

  it('the secret may come by HTTP Basic, form-encoded first', async () => {
    const { code, code_verifier } = await newCode()
    const pair = `${encodeURIComponent(app.client_id)}:${encodeURIComponent(app.client_secret)}`
    const authorization = `Basic ${Buffer.from(pair).toString('base64')}`
    const fields = {
      grant_type: 'authorization_code',
      redirect_uri: REDIRECT_URI,
      code,
      code_verifier,
      client_id: undefined,
      client_secret: undefined,
    }
    const spaced = { authorization: authorization.replace(' ', '  ') }
    const wrong = { ...fields, code_verifier: 'x' }
    expect((await app.post('/oauth/token', wrong, spaced)).body.error).toBe('invalid_grant')
    expect((await app.post('/oauth/token', fields, { authorization })).status).toBe(200)
  })

  it('a refresh rotates; for a minute the old token still works while its successor is unused', async () => {
    const { tokens } = await app.connect(await person())
    const first = await app.refresh(tokens.refresh_token)
    clock.advance(30 * SECOND)
    const again = await app.refresh(tokens.refresh_token)
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.body.refresh_token).not.toBe(first.body.refresh_token)
    const next = await app.refresh(again.body.refresh_token)
    expect(next.status).toBe(200)
    expect(await works(next.body.access_token)).toBe(200)
  })

  it('a lost answer is dead whole: once the old token is used again, the access token in it fails too', async () => {
    const { tokens } = await app.connect(await person())
    clock.advance(SECOND)
    const lost = await app.refresh(tokens.refresh_token)
    clock.advance(SECOND)
    const kept = await app.refresh(tokens.refresh_token)
    expect(await works(lost.body.access_token)).toBe(401)
    expect(await works(kept.body.access_token)).toBe(200)
    expect(await works(tokens.access_token)).toBe(200)
  })

  it('a lost answer takes nothing with it that somebody else was given in the same instant', async () => {
    const [one, other] = [await app.connect(await person()), await app.connect(await person())]
    await app.refresh(one.tokens.refresh_token)
    const kept = await app.refresh(other.tokens.refresh_token)
    const again = await app.refresh(one.tokens.refresh_token)
    expect(again.status).toBe(200)
    expect(await works(kept.body.access_token)).toBe(200)
    expect((await app.refresh(kept.body.refresh_token)).status).toBe(200)
  })

  it('of several lost answers each is dead whole, also where a request that came earlier is served later', async () => {
    const { tokens } = await app.connect(await person())
    clock.advance(SECOND)
    const first = await app.refresh(tokens.refresh_token)
    clock.advance(-5)
    const overtaken = await app.refresh(tokens.refresh_token)
    clock.advance(10)
    const kept = await app.refresh(tokens.refresh_token)
    expect(await works(first.body.access_token)).toBe(401)
    expect(await works(overtaken.body.access_token)).toBe(401)
    expect(await works(kept.body.access_token)).toBe(200)
    expect(await works(tokens.access_token)).toBe(200)
  })

  it('a refresh may ask for less, never for more', async () => {
    const { tokens } = await app.connect(owner, 'employees:read scores:read')
    const ask = (scope: string, refresh_token: string) =>
      app.post('/oauth/token', { grant_type: 'refresh_token', refresh_token, scope })
    const less = await ask('scores:read', tokens.refresh_token)
    expect(less.body.scope).toBe('scores:read')
    const more = await ask('events:write', less.body.refresh_token)
    expect([more.status, more.body.error]).toEqual([400, 'invalid_scope'])
    const full = await app.refresh(less.body.refresh_token)
    expect(full.body.scope).toBe('employees:read scores:read')
  })

  it('50 refreshes in parallel leave exactly one live chain', async () => {
    const { tokens } = await app.connect(await person())
    const given: Answer[] = []
    // A slow machine turns some away for the moment, and they come again together: no other refusal is among them.
    while (given.length < 50) {
      const asked = Array.from({ length: 50 - given.length }, () =>
        app.refresh(tokens.refresh_token),
      )
      given.push(...(await Promise.all(asked)).filter(answer => answer.status !== 503))
    }
    expect(given.map(answer => answer.status)).toEqual(given.map(() => 200))
    const live = await context.db.inTenant(
      tenant_id,
      tx => tx`SELECT t.token_hash FROM oauth_tokens t JOIN oauth_grants g ON g.tenant_id = t.tenant_id
        AND g.grant_id = t.grant_id WHERE t.tenant_id = ${tenant_id} AND g.tenant_id = ${tenant_id}
        AND t.grant_id = (SELECT grant_id FROM oauth_tokens WHERE tenant_id = ${tenant_id}
          AND token_hash = ${hashToken(tokens.refresh_token)})
        AND t.kind = 'refresh' AND t.used_at IS NULL AND t.revoked_at IS NULL AND g.revoked_at IS NULL`,
    )
    expect(live).toHaveLength(1)
    const [last] = given.filter(({ body }) =>
      hashToken(body.refresh_token).equals(live[0]!.token_hash),
    )
    expect((await app.refresh(last!.body.refresh_token)).status).toBe(200)
  })

  it('the description of the server names what it can do, whatever the Host header says', async () => {
    const answer = await service.app.server.inject({
      url: '/.well-known/oauth-authorization-server',
      headers: { host: 'evil.test', 'x-forwarded-host': 'evil.test' },
    })
    expect(answer.json()).toMatchObject({
      issuer: 'http://127.0.0.1:3000',
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
    })
    expect(answer.body).not.toContain('evil')
  })
})

describe('400', () => {
  it('the second use of a code ends what the first one gave', async () => {
    const fields = await newCode(await person())
    const first = await exchange(fields)
    expect(await works(first.body.access_token)).toBe(200)
    const second = await exchange(fields)
    expect([second.status, second.body.error]).toEqual([400, 'invalid_grant'])
    expect(await works(first.body.access_token)).toBe(401)
    expect((await app.refresh(first.body.refresh_token)).body.error).toBe('invalid_grant')
  })

  it('of 50 parallel uses of a code at most one succeeds, and nothing of it lives on', async () => {
    const fields = await newCode(await person())
    const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(fields)))
    const given = answers.filter(answer => answer.status === 200)
    expect(given).toHaveLength(1)
    expect(await works(given[0]!.body.access_token)).toBe(401)
  })

  it('a code lives for a minute', async () => {
    const [young, old] = [await newCode(), await newCode()]
    clock.advance(59 * SECOND)
    expect((await exchange(young)).status).toBe(200)
    clock.advance(SECOND)
    expect((await exchange(old)).body.error).toBe('invalid_grant')
  })

  it('a verifier has 43 to 128 characters, even where its challenge fits', async () => {
    const someone = await person()
    const statuses = []
    for (const length of [42, 43, 128, 129]) {
      const code_verifier = 'v'.repeat(length)
      const { query } = app.ask({ code_challenge: challengeOf(code_verifier) })
      const code = (await app.consent(someone, query)).searchParams.get('code')!
      statuses.push((await exchange({ code, code_verifier })).status)
    }
    expect(statuses).toEqual([400, 200, 200, 400])
  })

  it('a code is bound to its verifier, redirect URI and app', async () => {
    const other = await addApp(service, tenant_id)
    const good = await newCode()
    const { code_verifier: foreign } = await newCode()
    for (const [change, error] of [
      [{ code_verifier: undefined }, 'invalid_grant'],
      [{ code_verifier: '' }, 'invalid_grant'],
      [{ code_verifier: foreign }, 'invalid_grant'],
      [{ code_verifier: good.code_verifier.slice(0, 42) }, 'invalid_grant'],
      [{ redirect_uri: `${REDIRECT_URI}/` }, 'invalid_grant'],
      [{ redirect_uri: undefined }, 'invalid_request'],
      [{ code: undefined }, 'invalid_request'],
      [{ code: `${good.code}x` }, 'invalid_grant'],
    ] as const) {
      const answer = await exchange({ ...good, ...change })
      expect([answer.status, answer.body.error], JSON.stringify(change)).toEqual([400, error])
    }
    expect((await exchange(good, other)).body.error).toBe('invalid_grant')
    expect((await exchange(good)).status).toBe(200)
  })

  it('a stored challenge that is blank lets nobody through', async () => {
    for (const blank of ['', ' '.repeat(43)]) {
      const fields = await newCode()
      await context.db.inTenant(
        tenant_id,
        tx => tx`UPDATE oauth_codes SET code_challenge = ${blank}
          WHERE tenant_id = ${tenant_id} AND code_hash = ${hashToken(fields.code)}`,
      )
      for (const code_verifier of [undefined, '', fields.code_verifier]) {
        expect((await exchange({ ...fields, code_verifier })).body.error).toBe('invalid_grant')
      }
    }
  })

  it('a refresh token used again later ends the family; so does the one its leeway killed', async () => {
    const late = (await app.connect(await person())).tokens
    const next = await app.refresh(late.refresh_token)
    clock.advance(61 * SECOND)
    expect((await app.refresh(late.refresh_token)).body.error).toBe('invalid_grant')
    expect((await app.refresh(next.body.refresh_token)).body.error).toBe('invalid_grant')
    expect(await works(next.body.access_token)).toBe(401)

    const { tokens } = await app.connect(await person())
    const killed = await app.refresh(tokens.refresh_token)
    const kept = await app.refresh(tokens.refresh_token)
    expect((await app.refresh(killed.body.refresh_token)).body.error).toBe('invalid_grant')
    expect((await app.refresh(kept.body.refresh_token)).body.error).toBe('invalid_grant')
  })

  it('once the successor was used, the old token ends the family even within the minute', async () => {
    const { tokens } = await app.connect(await person())
    const second = await app.refresh(tokens.refresh_token)
    const third = await app.refresh(second.body.refresh_token)
    expect((await app.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
    expect((await app.refresh(third.body.refresh_token)).body.error).toBe('invalid_grant')
  })

  it('30 idle days end a chain, and 365 days end it in any case', async () => {
    const stayer = await person()
    let { refresh_token } = (await app.connect(stayer)).tokens
    const idle = (await app.connect(stayer)).tokens
    const start = clock.now()
    clock.advance(30 * DAY)
    expect((await app.refresh(idle.refresh_token)).body.error).toBe('invalid_grant')
    clock.set(start)
    for (let day = 0; day < 364; day += 28) {
      clock.set(start + day * DAY)
      refresh_token = (await app.refresh(refresh_token)).body.refresh_token
    }
    clock.set(start + 364 * DAY)
    const last = await app.refresh(refresh_token)
    expect(last.status).toBe(200)
    clock.set(start + 365 * DAY)
    expect((await app.refresh(last.body.refresh_token)).body.error).toBe('invalid_grant')
    clock.set(start)
  })

  it("another app's refresh token is refused and its family untouched", async () => {
    const other = await addApp(service, tenant_id)
    const { tokens } = await app.connect(await person())
    expect((await other.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
    expect((await app.refresh(tokens.refresh_token)).status).toBe(200)
  })

  it('other grants, repeated fields, other bodies and mixed credentials are refused as the RFC says', async () => {
    for (const grant_type of ['password', 'client_credentials', 'implicit']) {
      const answer = await app.post('/oauth/token', { grant_type })
      expect([answer.status, answer.body.error]).toEqual([400, 'unsupported_grant_type'])
    }
    expect((await app.post('/oauth/token', {})).body.error).toBe('invalid_request')
    const raw = (payload: string, type: string) =>
      service.app.server.inject({
        method: 'POST',
        url: '/oauth/token',
        headers: { 'content-type': type },
        payload,
      })
    const form = 'application/x-www-form-urlencoded'
    const twice = await raw('grant_type=refresh_token&grant_type=refresh_token', form)
    expect([twice.statusCode, twice.json().error]).toEqual([400, 'invalid_request'])
    const json = await raw('{"grant_type":"refresh_token"}', 'application/json')
    expect([json.statusCode, json.json().error]).toEqual([400, 'invalid_request'])
    const authorization = `Basic ${Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64')}`
    const both = await app.post('/oauth/token', { grant_type: 'refresh_token' }, { authorization })
    expect(both.body.error).toBe('invalid_request')
  })

  it('a body that is too long or holds a NUL is told as such, not as one of another type', async () => {
    const say = async (fields: Record<string, string>, headers = {}) => {
      const { status, body } = await app.post('/oauth/token', fields, headers)
      return [status, body.error, body.error_description]
    }
    const long = { grant_type: 'refresh_token', refresh_token: 'x'.repeat(33_000) }
    expect(await say(long)).toEqual([400, 'invalid_request', 'the body is larger than 32 KiB'])
    const nul = { grant_type: 'refresh_token', refresh_token: '\0' }
    const why = 'body: contains a NUL character'
    expect(await say(nul)).toEqual([400, 'invalid_request', why])
    const type = { 'content-type': 'text/plain' }
    const form = 'send the parameters as application/x-www-form-urlencoded'
    expect(await say(nul, type)).toEqual([400, 'invalid_request', form])
  })

  it('a parameter without a value counts as not sent, as the RFC says', async () => {
    const missing = await app.post('/oauth/token', { grant_type: '' })
    expect([missing.status, missing.body.error]).toEqual([400, 'invalid_request'])
    const authorization = `Basic ${Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64')}`
    const blank = { client_id: '', client_secret: '', grant_type: 'refresh_token' }
    const { tokens } = await app.connect(await person())
    const fields = { ...blank, refresh_token: tokens.refresh_token }
    expect((await app.post('/oauth/token', fields, { authorization })).status).toBe(200)
  })
})

describe('401', () => {
  it('a wrong client is invalid_client; by Basic with a challenge', async () => {
    for (const fields of [
      { client_secret: 'wrong' },
      { client_secret: undefined },
      { client_secret: '' },
      { client_id: 'app_x_aaaaaaaaaaaaaaaaaaaaaa' },
      { client_id: undefined },
    ]) {
      const answer = await app.post('/oauth/token', { grant_type: 'refresh_token', ...fields })
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client'])
      expect(answer.headers['www-authenticate']).toBeUndefined()
    }
    const none = { client_id: undefined, client_secret: undefined }
    for (const text of [
      'Basic eDp5',
      'Basic %%%',
      'Bearer x',
      `Basic ${Buffer.from('%zz:x').toString('base64')}`,
    ]) {
      const answer = await app.post('/oauth/token', none, { authorization: text })
      expect([answer.status, answer.body.error], text).toEqual([401, 'invalid_client'])
      expect(answer.headers['www-authenticate']).toContain('Basic')
    }
  })

  it('an access token lives 900 s and works only in the Authorization header', async () => {
    const { tokens } = await app.connect(await person())
    const query = await service.app.server.inject({
      url: `/v1/me?access_token=${tokens.access_token}`,
    })
    expect(query.statusCode).toBe(401)
    const made = clock.now()
    clock.set(made + 899 * SECOND)
    expect((await caller(service.app, tokens.access_token)('GET', '/v1/me')).status).toBe(200)
    clock.set(made + 901 * SECOND)
    expect((await caller(service.app, tokens.access_token)('GET', '/v1/me')).status).toBe(401)
    expect((await caller(service.app, tokens.refresh_token)('GET', '/v1/me')).status).toBe(401)
  })

  it('what is revoked fails within a second: by the app, by the person, by the tenant', async () => {
    const user = await person()
    const access = (await app.connect(user)).tokens
    expect((await app.post('/oauth/revoke', { token: access.access_token })).status).toBe(200)
    expect(await works(access.access_token)).toBe(401)
    expect((await app.refresh(access.refresh_token)).status).toBe(200)

    const refresh = (await app.connect(user)).tokens
    const hint = { token: refresh.refresh_token, token_type_hint: 'access_token' }
    expect((await app.post('/oauth/revoke', hint)).status).toBe(200)
    expect(await works(refresh.access_token)).toBe(401)

    const own = (await app.connect(user)).tokens
    const listed = await user.call('GET', '/session/grants')
    expect(listed.body.data[0]).toMatchObject({ app: { client_id: app.client_id } })
    expect((await user.call('DELETE', `/session/grants/${listed.body.data[0].id}`)).status).toBe(
      204,
    )
    expect(await works(own.access_token)).toBe(401)

    const managed = (await app.connect(user)).tokens
    const ofApp = await owner.call('GET', `/admin/apps/${app.client_id}/grants`)
    expect((await owner.call('DELETE', `/admin/grants/${ofApp.body.data[0].id}`)).status).toBe(204)
    expect(await works(managed.access_token)).toBe(401)
  })

  it('a revoked token fails within a second on every process, also where it was just used', async () => {
    const elsewhere = buildApp(context)
    const { tokens } = await app.connect(await person())
    const ask = (from: typeof elsewhere) => caller(from, tokens.access_token)('GET', '/v1/me')
    expect([(await ask(service.app)).status, (await ask(elsewhere)).status]).toEqual([200, 200])
    await app.post('/oauth/revoke', { token: tokens.refresh_token })
    clock.advance(999)
    expect([(await ask(service.app)).status, (await ask(elsewhere)).status]).toEqual([401, 401])
    await elsewhere.close()
  })

  it("revoking an unknown token is fine, another app's is refused", async () => {
    const other = await addApp(service, tenant_id)
    const { tokens } = await app.connect(await person())
    expect((await app.post('/oauth/revoke', { token: 'whatever' })).status).toBe(200)
    expect((await app.post('/oauth/revoke', {})).body.error).toBe('invalid_request')
    const foreign = await other.post('/oauth/revoke', { token: tokens.refresh_token })
    expect([foreign.status, foreign.body.error]).toEqual([400, 'invalid_grant'])
    expect(await works(tokens.access_token)).toBe(200)
  })

  it('a lower role lowers the token, and removal of the person ends it for good', async () => {
    const user = await person()
    const { tokens } = await app.connect(user)
    const call = caller(service.app, tokens.access_token)
    expect((await call('GET', '/v1/me')).body.scopes).toContain('events:write')
    await asOperator(context, tenant_id, changeMember, user.user_id, { role: 'viewer' })
    clock.advance(SECOND)
    expect((await call('GET', '/v1/me')).body.scopes).not.toContain('events:write')
    await removeMember(context, tenant_id, operatorOrigin(), user.user_id)
    expect(await works(tokens.access_token)).toBe(401)
    const input = { email: user.email, role: 'owner' as const }
    const again = await inviteUser(context, tenant_id, operatorOrigin(), 'http://x', input)
    const token = new URL(again.setup_url).searchParams.get('token')!
    const login = await user.logIn(user.email)
    expect(login.status).toBe(200)
    const joined = await user.call('POST', '/session/link/accept', { token })
    expect(joined.status).toBe(200)
    expect(await works(tokens.access_token)).toBe(401)
    expect((await app.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
  })

  it('a scope taken from an app is taken from its tokens, and a refresh does not bring it back', async () => {
    const made = await addApp(service, tenant_id)
    const { tokens } = await made.connect(owner)
    const change = { scopes: ['scores:read' as const] }
    await asOperator(context, tenant_id, changeApp, made.client_id, change)
    const scopesOf = async ({ access_token }: { access_token: string }) => {
      clock.advance(SECOND)
      return (await caller(service.app, access_token)('GET', '/v1/me')).body.scopes
    }
    expect(await scopesOf(tokens)).toEqual(['scores:read'])
    const renewed = await made.refresh(tokens.refresh_token)
    expect(renewed.body.scope).toBe('scores:read')
    expect(await scopesOf(renewed.body)).toEqual(['scores:read'])
  })

  it('a disabled person, a rotated secret and a removed app end what hangs on them', async () => {
    const made = await addApp(service, tenant_id)
    const user = await person()
    const { tokens } = await made.connect(user)
    const { query, verifier } = made.ask()
    const code = (await made.consent(user, query)).searchParams.get('code')!
    for (const status of ['disabled', 'active'] as const) {
      await asOperator(context, tenant_id, changeMember, user.user_id, { status })
      expect(await works(tokens.access_token)).toBe(401)
      const refused = await Promise.all([
        made.refresh(tokens.refresh_token),
        exchange({ code, code_verifier: verifier }, made),
      ])
      expect(refused.map(({ body }) => body.error)).toEqual(['invalid_grant', 'invalid_grant'])
    }

    const second = (await made.connect(owner)).tokens
    const { client_secret } = await asOperator(context, tenant_id, rotateSecret, made.client_id)
    expect((await made.refresh(second.refresh_token)).body.error).toBe('invalid_client')
    const fields = {
      grant_type: 'refresh_token',
      refresh_token: second.refresh_token,
      client_secret,
    }
    const renewed = await made.post('/oauth/token', fields)
    expect(await works(renewed.body.access_token)).toBe(200)
    await asOperator(context, tenant_id, removeApp, made.client_id)
    expect(await works(renewed.body.access_token)).toBe(401)
  })
})

describe('403', () => {
  it('where a second factor becomes required, until whoever let the app in has one', async () => {
    const strict = await service.tenant()
    const browser = await signIn(service, strict.tenant_id)
    const own = await addApp(service, strict.tenant_id)
    const { tokens } = await own.connect(browser)
    expect(await works(tokens.access_token)).toBe(200)
    await asOperator(context, strict.tenant_id, setPolicy, true)
    clock.advance(SECOND)
    const refused = await caller(service.app, tokens.access_token)('GET', '/v1/me')
    expect([refused.status, refused.body.error.code]).toEqual([403, 'SECOND_FACTOR_REQUIRED'])
    // The grant stands, so that the app goes on where it was.
    const renewed = (await own.refresh(tokens.refresh_token)).body
    expect(await works(renewed.access_token)).toBe(403)
    await addFactor(service, browser)
    expect(await works(renewed.access_token)).toBe(200)
    expect(await works(strict.key), 'a key is nobody in person').toBe(200)
  })
})

it('every grant and its end stand in the audit log of the tenant', async () => {
  const rows = await context.db.inTenant(
    tenant_id,
    tx =>
      tx<
        { action: string }[]
      >`SELECT DISTINCT action FROM audit_entries WHERE tenant_id = ${tenant_id}`,
  )
  const actions = rows.map(row => row.action)
  expect(actions).toEqual(
    expect.arrayContaining([
      'grant.approved',
      'grant.revoked',
      'token.revoked',
      'oauth_app.created',
      'oauth_app.secret_rotated',
      'oauth_app.deleted',
      'user.invited',
      'user.joined',
      'user.removed',
      'login.succeeded',
    ]),
  )
})

it('a token used long ago ends the access also when it has expired since', async () => {
  const { tokens } = await app.connect(await person())
  let live = tokens
  for (let i = 0; i < 4; i++) {
    clock.advance(8 * DAY)
    live = (await app.refresh(live.refresh_token)).body
  }
  expect(await works(live.access_token)).toBe(200)
  expect((await app.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
  expect(await works(live.access_token)).toBe(401)
  expect((await app.refresh(live.refresh_token)).body.error).toBe('invalid_grant')
})
