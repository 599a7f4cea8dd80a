// The pages of the login as people meet them: where typing goes, how codes are spelt, and what is said when it ends.
import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import { addFactor, addPerson, openBrowser, PASSWORD } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { MINUTE, SECOND } from '../platform/clock.ts'
import { SESSION } from './open-session.ts'

const service = await startService()
const { clock } = service
const tenant = await service.tenant()

const field = (body: string, name: string) =>
  body.match(new RegExp(`<input[^>]*name="${name}"[^>]*>`))?.[0] ?? ''

/** Somebody with a second factor whose browser has given the password. */
async function waitForCode() {
  const { email } = await addPerson(service, tenant.tenant_id)
  const first = openBrowser(service)
  await first.logIn(email)
  const secret = await addFactor(service, first)
  clock.advance(MINUTE)
  const browser = openBrowser(service)
  const asked = await browser.post('/login', { email, password: PASSWORD, next: '/rules' })
  const { body } = await browser.call('GET', String(asked.headers.location))
  const csrf = /name="csrf" value="([^"]+)"/.exec(body)![1]!
  const give = (code: string) => browser.post('/login/code', { code, csrf, next: '/rules' })
  const codeNow = () => generateSync({ secret, epoch: Math.floor(clock.now() / 1000) })
  return { browser, body, give, codeNow, email }
}

test('what is to be typed first has focus, and is read with what stands above it', async () => {
  const browser = openBrowser(service)
  for (const url of ['/login', '/forgot']) {
    const { body } = await browser.call('GET', url)
    expect(field(body, 'email'), url).toContain(' autofocus')
    expect(body.match(/ autofocus/g)).toHaveLength(1)
  }
  const saved = (await browser.call('GET', '/login?password=saved')).body
  expect(field(saved, 'email')).toContain(' autofocus aria-describedby="saved"')
  expect(saved).toContain('<p role="status" id="saved">')
  const { body } = await waitForCode()
  expect(field(body, 'code')).toContain(' autofocus aria-describedby="how"')
  expect(body).toContain('<p id="how">')
})

test('an error is read before anything has focus', async () => {
  const browser = openBrowser(service)
  const refused = await browser.post('/login', { email: 'a@b.test', password: 'wrong' })
  expect(refused.body).toContain('role="alert"')
  expect(refused.body).not.toContain('autofocus')
  const { give } = await waitForCode()
  const wrong = await give('nonsense')
  expect(wrong.body).toContain('role="alert"')
  expect(wrong.body).not.toContain('autofocus')
})

test.each([' 123 456 ', '123-456', '123\u00a0456', '\t123456\n', '123\u202f456'])(
  'a code is the same however it is spelt: %j',
  async spelling => {
    const { give, codeNow } = await waitForCode()
    const code = codeNow()
    const spelt = spelling.replace('123', code.slice(0, 3)).replace('456', code.slice(3))
    const answer = await give(spelt)
    expect([answer.status, answer.headers.location]).toEqual([303, '/rules'])
  },
)

test('a login that ended before its code says so, and leads on to where one wanted to go', async () => {
  const late = await waitForCode()
  const many = await waitForCode()
  for (let i = 0; i < 5; i++) await many.give('nonsense')
  clock.advance(SESSION.code_ms)
  for (const { browser, give, codeNow } of [late, many]) {
    const { headers } = await give(codeNow())
    expect(headers.location).toBe('/login?code=late&next=%2Frules')
    const { status, body } = await browser.call('GET', String(headers.location))
    expect(status).toBe(200)
    expect(body).toContain('the code took too long, or too many were wrong')
    expect(field(body, 'next')).toContain('value="/rules"')
    expect(body).not.toContain('autofocus')
  }
})

test('of two windows that wait for a code the older one shows its form anew, and the code goes through', async () => {
  const { browser, give, codeNow, email } = await waitForCode()
  await browser.post('/login', { email, password: PASSWORD, next: '/events' })
  const old = await give(codeNow())
  expect(old.status).toBe(403)
  expect(old.body).toContain('role="alert"')
  const csrf = /value="([^"]+)"/.exec(field(old.body, 'csrf'))![1]!
  expect(field(old.body, 'next')).toContain('value="/rules"')
  const answer = await browser.post('/login/code', { code: codeNow(), csrf, next: '/rules' })
  expect([answer.status, answer.headers.location]).toEqual([303, '/rules'])
})

test('a form of a code from another site opens nothing, and shows no form', async () => {
  const { browser, codeNow } = await waitForCode()
  const headers = { origin: 'https://evil.test' }
  const answer = await browser.post('/login/code', { code: codeNow(), next: '/rules' }, headers)
  expect(answer.status).toBe(403)
  expect(field(answer.body, 'csrf')).toBe('')
})

test('a page that refuses has a way on', async () => {
  const browser = openBrowser(service)
  for (const url of ['/reset?token=x', '/oauth/authorize?client_id=x']) {
    const { status, body } = await browser.call('GET', url)
    expect(status, url).toBeGreaterThanOrEqual(400)
    expect(body, url).toContain('<a href="/">')
  }
})

test('a long pause is told in minutes', async () => {
  const browser = openBrowser(service)
  let seconds = 0
  let told = ''
  for (let i = 0; i < 40 && seconds <= 120; i++) {
    clock.advance(seconds * SECOND)
    const wrong = { email: 'guessed@b.test', password: 'wrong' }
    const { body, headers } = await browser.post('/login', wrong)
    seconds = Number(headers['retry-after'] ?? 0)
    told = /role="alert">([^<]+)/.exec(body)![1]!
  }
  expect(told).toBe('Too many failed attempts; try again in 3 min.')
})

test('a form from an address that is not ours says which one to open, or what is to be set', async () => {
  const form = { email: 'a@b.test', password: 'wrong' }
  const proxied = { origin: 'https://score.example' }
  const unset = await openBrowser(service).post('/login', form, proxied)
  expect([unset.status, unset.body]).toEqual([
    403,
    expect.stringContaining('behind a proxy, BELLWETHER_PUBLIC_URL has to be set'),
  ])
  const named = await startService({ public_url: 'https://score.example' })
  const other = await openBrowser(named).post('/login', form, { origin: 'http://127.0.0.1:8080' })
  expect([other.status, other.body]).toEqual([
    403,
    expect.stringContaining('must come from a page of https://score.example: open that address'),
  ])
})
