// GET /oauth/authorize and the consent: what is judged, in which order, and where errors go.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { addApp, REDIRECT_URI } from '../../test/oauth.ts'
import { addFactor, addPerson, openBrowser, PASSWORD, signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { judgeRedirectUri } from './redirect-uris.ts'

const service = await startService({ host: '127.0.0.1', port: 4000 })
const ISSUER = 'http://127.0.0.1:4000'
const tenant = await service.tenant({ name: 'Acme <Ltd>' })
const owner = await signIn(service, tenant.tenant_id)
const app = await addApp(service, tenant.tenant_id)

const authorize = (query: Record<string, string> | string, browser = owner) =>
  browser.call('GET', `/oauth/authorize?${new URLSearchParams(query)}`)

describe('200', () => {
  it('the page names the app, the organization, the scopes in words and the host it leads to', async () => {
    const { query } = app.ask()
    const page = await authorize(query)
    expect(page.status).toBe(200)
    for (const text of [
      'Report maker',
      'Acme &lt;Ltd&gt;',
      'read security scores',
      'app.example',
    ]) {
      expect(page.body).toContain(text)
    }
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(page.headers['content-security-policy']).toContain(
      "form-action 'self' https://app.example",
    )
    expect(page.headers['access-control-allow-origin']).toBeUndefined()
    expect(page.body).not.toMatch(/<script|https?:\/\/(?!app\.example)/)
  })

  it('a role gives only what it holds, and says what it withholds', async () => {
    const viewer = await signIn(service, tenant.tenant_id, 'viewer')
    const { query } = app.ask()
    const page = await authorize(query, viewer)
    expect(page.body).toContain('your role does not include')
    const { tokens } = await app.connect(viewer)
    expect(tokens.scope).toBe('employees:read scores:read')
  })
})

describe('the login before it', () => {
  const policyOf = async (next: string) => {
    const page = await openBrowser(service).call('GET', `/login?${new URLSearchParams({ next })}`)
    expect(page.status).toBe(200)
    return String(page.headers['content-security-policy'])
  }
  const next = (query: Record<string, string>) => `/oauth/authorize?${new URLSearchParams(query)}`

  it('may lead to the app, where its policy names the place', async () => {
    const policy = await policyOf(next(app.ask().query))
    expect(policy).toContain("form-action 'self' https://app.example;")
  })

  it('leads nowhere else, whatever place the address of the page names', async () => {
    const places = ['https://evil.example/', 'https://*/', 'https://x;sandbox/', 'https://a,b/']
    const bare = await policyOf('/')
    expect(bare).toContain("form-action 'self';")
    for (const redirect_uri of places) {
      expect(await policyOf(next(app.ask({ redirect_uri }).query))).toBe(bare)
      expect(await policyOf(next({ redirect_uri }))).toBe(bare)
    }
  })
})

describe('302', () => {
  it('who is not signed in logs in, also with a second factor pending, and comes back', async () => {
    const { query } = app.ask()
    const browser = openBrowser(service)
    const { email } = await addPerson(service, tenant.tenant_id, 'viewer')
    const first = await authorize(query, browser as never)
    expect(first.status).toBe(302)
    const login = new URL(first.headers.location as string, ISSUER)
    expect(login.pathname).toBe('/login')
    const next = login.searchParams.get('next')!
    const page = await browser.call('GET', `${login.pathname}${login.search}`)
    expect(page.body).toContain('name="next"')
    const entered = await browser.post('/login', { email, password: PASSWORD, next })
    expect([entered.status, entered.headers.location]).toEqual([303, next])
    expect((await browser.call('GET', next)).body).toContain('Report maker')
  })

  it('the longest state comes through the login, each of its characters encoded', async () => {
    const state = '"'.repeat(2000)
    const { email } = await addPerson(service, tenant.tenant_id, 'viewer')
    const browser = openBrowser(service)
    const first = await authorize(app.ask({ state }).query, browser as never)
    const location = first.headers.location as string
    expect(location.length).toBeLessThan(16 * 1024 - 2000)
    const page = await browser.call('GET', location)
    const next = /name="next" value="([^"]+)"/.exec(page.body)![1]!.replaceAll('&amp;', '&')
    const entered = await browser.post('/login', { email, password: PASSWORD, next })
    const back = new URL(entered.headers.location as string, ISSUER)
    expect(back.pathname).toBe('/oauth/authorize')
    const answer = await app.consent(browser, Object.fromEntries(back.searchParams))
    expect(answer.searchParams.get('state')).toBe(state)
  })

  it('the answer carries code, state and iss; scopes may be joined by a plus sign', async () => {
    for (const scope of ['employees:read scores:read', 'employees:read+scores:read']) {
      const { query } = app.ask({ scope, state: 'a b&c=%20ü' })
      const back = await app.consent(owner, query)
      expect(`${back.origin}${back.pathname}`).toBe(REDIRECT_URI)
      expect(back.searchParams.get('state')).toBe('a b&c=%20ü')
      expect(back.searchParams.get('iss')).toBe(ISSUER)
      expect(back.searchParams.get('code')).toMatch(/^bw_ac_[0-9a-z]+_[0-9A-Za-z]{43}$/)
    }
  })

  it('a no goes back as access_denied', async () => {
    const { query } = app.ask()
    const back = await app.consent(owner, query, 'deny')
    expect(back.searchParams.get('error')).toBe('access_denied')
    expect(back.searchParams.get('iss')).toBe(ISSUER)
    expect(back.searchParams.has('code')).toBe(false)
  })

  it.each([
    ['plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no method', { code_challenge_method: undefined }, 'invalid_request'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a blank challenge', { code_challenge: '' }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'abc' }, 'invalid_request'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['implicit', { response_type: 'token' }, 'unsupported_response_type'],
    ['hybrid', { response_type: 'code token' }, 'unsupported_response_type'],
    ['fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['form_post', { response_mode: 'form_post' }, 'invalid_request'],
    ['web_message', { response_mode: 'web_message' }, 'invalid_request'],
    ['a request object', { request: 'x' }, 'request_not_supported'],
    ['a request uri', { request_uri: 'https://x' }, 'request_uri_not_supported'],
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
    ['a scope the app may not ask for', { scope: 'rules:write' }, 'invalid_scope'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['a very long state', { state: 'x'.repeat(2001) }, 'invalid_request'],
  ])('%s is told to the app', async (_name, change, error) => {
    const { query } = app.ask(change as never)
    const back = new URL((await authorize(query)).headers.location as string)
    expect(back.searchParams.get('error')).toBe(error)
    expect(back.searchParams.get('iss')).toBe(ISSUER)
    expect(back.searchParams.get('state')).toBe(query.state)
  })

  it('a challenge that has redeemed a code is logged when its app sends it again; a reload before is not', async () => {
    const own = await addApp(service, tenant.tenant_id)
    const { query, verifier } = own.ask()
    const back = await own.consent(owner, query)
    const warn = vi.spyOn(service.context.log, 'warn')
    onTestFinished(() => warn.mockRestore())
    expect((await authorize(query)).status).toBe(200)
    expect(warn).not.toHaveBeenCalled()
    const code = back.searchParams.get('code')!
    const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }
    const given = await own.post('/oauth/token', { ...fields, code_verifier: verifier })
    expect(given.status).toBe(200)
    const { code_challenge } = query
    expect((await authorize(own.ask().query)).status).toBe(200)
    expect((await authorize(app.ask({ code_challenge }).query)).status).toBe(200)
    expect(warn).not.toHaveBeenCalled()
    expect((await authorize({ ...query, state: 'another' })).status).toBe(200)
    const { client_id } = query
    expect(warn.mock.calls).toEqual([
      [{ tenant_id: tenant.tenant_id, client_id }, expect.stringContaining('code_challenge')],
    ])
    expect(JSON.stringify(warn.mock.calls)).not.toContain(code_challenge)
  })

  it('a repeated parameter is told to the app, without the state it is unsure of', async () => {
    const { query } = app.ask()
    const twice = `${new URLSearchParams(query)}&state=other`
    const back = new URL((await authorize(twice)).headers.location as string)
    expect(back.searchParams.get('error')).toBe('invalid_request')
    expect(back.searchParams.has('state')).toBe(false)
  })

  it('someone of another tenant cannot consent', async () => {
    const other = await service.tenant()
    const stranger = await signIn(service, other.tenant_id)
    const { query } = app.ask()
    const back = new URL((await authorize(query, stranger)).headers.location as string)
    expect(back.searchParams.get('error')).toBe('access_denied')
  })

  it('where a second factor is required, nobody consents by a password alone', async () => {
    const strict = await service.tenant()
    const person = await signIn(service, strict.tenant_id)
    const policy = { require_second_factor: true }
    expect((await person.call('PUT', '/admin/policy', policy)).status).toBe(200)
    const { query } = (await addApp(service, strict.tenant_id)).ask()
    const back = new URL((await authorize(query, person)).headers.location as string)
    expect(back.searchParams.get('error')).toBe('access_denied')
    await addFactor(service, person)
    expect((await authorize(query, person)).status).toBe(200)
  })
})

describe('400', () => {
  it('40 variants of the redirect URI lead to a page of ours, never there', async () => {
    const base = 'https://app.example/callback'
    const variants =
      `${base}/ ${base}? ${base}# ${base}?x=1 ${base}#x ${base}%2f ${base}%00 ${base}/.. ${base}/../callback
      ${base}//  ${base}; ${base}\\ ${base}%20 https://app.example/Callback https://app.example/callbac
      https://app.example/%63allback https://app.example//callback https://app.example/./callback https://app.example
      https://app.example/ https://APP.example/callback https://app.example:443/callback https://app.example:444/callback
      https://app.example./callback https://www.app.example/callback https://evil.test/callback
      https://app.example.evil.test/callback https://app.example@evil.test/callback https://user@app.example/callback
      https://evil.test/https://app.example/callback http://app.example/callback HTTPS://app.example/callback
      //app.example/callback /callback callback javascript:alert(1) data:text/html,x app.example/callback
      https:/app.example/callback https:app.example/callback https://app.example\\callback`.split(
        /\s+/,
      )
    expect(variants.length).toBeGreaterThanOrEqual(40)
    for (const redirect_uri of [...variants, '', undefined]) {
      const { query } = app.ask({ redirect_uri })
      const answer = await authorize(query)
      expect(answer.status, redirect_uri).toBe(400)
      expect(answer.headers.location, redirect_uri).toBeUndefined()
    }
  })

  it('an unknown app or a repeated client id is never redirected, signed in or not', async () => {
    const gone = await addApp(service, tenant.tenant_id)
    const made = gone.ask().query
    for (const client_id of [
      '',
      'x',
      `${gone.client_id}x`,
      'app_unknown_aaaaaaaaaaaaaaaaaaaaaa',
      tenant.key,
    ]) {
      for (const browser of [owner, openBrowser(service)]) {
        const answer = await authorize({ ...made, client_id }, browser as never)
        expect(answer.status, client_id).toBe(400)
      }
    }
    const twice = `${new URLSearchParams(made)}&redirect_uri=https%3A%2F%2Fevil.test`
    expect((await authorize(twice)).status).toBe(400)
  })

  it('a place that was taken away is led to no more, the one given instead is, and the list tells it', async () => {
    const made = await addApp(service, tenant.tenant_id)
    const place = 'https://app.example/new'
    const statuses = async () => {
      const asked = [REDIRECT_URI, place].map(redirect_uri => made.ask({ redirect_uri }).query)
      return [(await authorize(asked[0]!)).status, (await authorize(asked[1]!)).status]
    }
    expect(await statuses()).toEqual([200, 400])
    const change = { redirect_uris: [place] }
    const path = `/admin/apps/${made.client_id}`
    expect((await owner.call('PATCH', path, change)).status).toBe(204)
    expect(await statuses()).toEqual([400, 200])
    const { data } = (await owner.call('GET', '/admin/apps')).body
    expect(data).toContainEqual(expect.objectContaining({ ...change, client_id: made.client_id }))
  })

  it('http is registered for the own machine only, and nothing that hides its host', () => {
    const good = [
      'https://a.example/cb',
      'http://localhost:3000/cb',
      'http://127.0.0.1/cb',
      'http://[::1]:8/cb',
    ]
    expect(good.map(judgeRedirectUri)).toEqual([null, null, null, null])
    for (const uri of [
      'http://a.example/cb',
      'http://localhost.evil.test/cb',
      'http://127.0.0.1.evil.test/',
      'https://a.example/cb#x',
      'https://u:p@a.example/',
      'https://@a.example/',
      'javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'com.app:/cb',
      'https://a.example/ cb',
      '/cb',
      '',
    ]) {
      expect(judgeRedirectUri(uri), uri).not.toBeNull()
    }
    const plain = 'must be written in its plain form, like https://xn--bcher-kva.example/cb'
    expect(judgeRedirectUri('https://bücher.example/cb')).toBe(plain)
    const host = 'must name its host by letters, digits, dots and dashes'
    expect(judgeRedirectUri('https://*.example/cb')).toBe(host)
  })
})

describe('403', () => {
  const open = async () => {
    const { query } = app.ask()
    const text = new URLSearchParams(query).toString()
    const page = await owner.call('GET', `/oauth/authorize?${text}`)
    return { text, consent: /name="consent" value="([^"]+)"/.exec(page.body)![1]! }
  }

  it('a consent counts for the session and the request it was shown for, from our own page', async () => {
    const { text, consent } = await open()
    const other = await signIn(service, tenant.tenant_id)
    const url = `/oauth/consent?${text}`
    const fields = { consent, decision: 'approve' }
    expect((await other.post(url, fields)).status).toBe(403)
    expect((await owner.post(url, { decision: 'approve' })).status).toBe(403)
    expect((await owner.post(url, fields, { origin: 'https://evil.test' })).status).toBe(403)
    expect((await owner.post(`${url}&ui=x`, fields)).status).toBe(403)
    const twice = await owner.post(`${url}&scope=x`, fields)
    expect(new URL(twice.headers.location as string).searchParams.has('code')).toBe(false)
    const mixed = url.replace(/state=[^&]+/, 'state=other')
    expect((await owner.post(mixed, fields)).status).toBe(403)
    expect((await owner.post(url, fields)).status).toBe(303)
  })

  it('who has logged in anew since the page was opened is shown it once more, and can go on', async () => {
    const { text, consent } = await open()
    const again = await signIn(service, tenant.tenant_id)
    const late = await again.post(`/oauth/consent?${text}`, { consent, decision: 'approve' })
    expect([late.status, late.headers.location]).toEqual([403, undefined])
    expect(late.body).toContain('role="alert"')
    const fresh = /name="consent" value="([^"]+)"/.exec(late.body)![1]!
    const fields = { consent: fresh, decision: 'approve' }
    expect((await again.post(`/oauth/consent?${text}`, fields)).status).toBe(303)
  })

  it('what a role has gained since the page was shown is not given without being shown', async () => {
    const person = await signIn(service, tenant.tenant_id, 'viewer')
    const text = new URLSearchParams(app.ask().query).toString()
    const page = await person.call('GET', `/oauth/authorize?${text}`)
    expect(page.body).toContain('your role does not include')
    const consent = (body: string) => /name="consent" value="([^"]+)"/.exec(body)![1]!
    const raised = await owner.call('PATCH', `/admin/users/${person.user_id}`, { role: 'analyst' })
    expect(raised.status).toBe(204)
    const answer = (body: string) =>
      person.post(`/oauth/consent?${text}`, { consent: consent(body), decision: 'approve' })
    const shown = await answer(page.body)
    expect([shown.status, shown.headers.location]).toEqual([403, undefined])
    expect(shown.body).not.toContain('your role does not include')
    expect((await answer(shown.body)).status).toBe(303)
  })

  it('whose session ended before the answer logs in and comes back to the same request', async () => {
    const { text, consent } = await open()
    const answer = await openBrowser(service).post(`/oauth/consent?${text}`, { consent })
    expect(answer.status).toBe(303)
    const next = encodeURIComponent(`/oauth/authorize?${text}`)
    expect(answer.headers.location).toBe(`/login?next=${next}`)
  })

  it('a page that refuses speaks in sentences', async () => {
    const { query } = app.ask({ redirect_uri: 'https://elsewhere.test/' })
    const answer = await owner.call('GET', `/oauth/authorize?${new URLSearchParams(query)}`)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatch(/<p>The redirect_uri is not one of [^<]+\. \(req_\w+\)<\/p>/)
  })
})
