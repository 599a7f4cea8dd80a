// People for tests: who is invited, chooses a password, and calls with a cookie as a browser would.
import { generateSync } from 'otplib'
import { acceptLink } from '../src/accounts/accept-link.ts'
import type { Session } from '../src/accounts/identity.ts'
import { inviteUser } from '../src/accounts/invite-user.ts'
import { readSessions } from '../src/accounts/open-session.ts'
import type { Role } from '../src/accounts/roles.ts'
import { operatorOrigin } from '../src/platform/actor.ts'
import type { Context } from '../src/platform/context.ts'
import { countInFile } from './after-file.ts'
import type { Answer, Service } from './service.ts'

export const PASSWORD = 'violet otters sing at noon'
export const HOST = 'bellwether.test'
export const ORIGIN = `http://${HOST}`
const VISIT = { address: '192.0.2.1', request_id: 'req_test', device: 'test', cookies: '' }

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export type Browser = {
  /** The cookie of its session; '' before a login. */
  cookie(): string
  csrf(): string
  /** A call of the dashboard: JSON, with Origin and the session's token. */
  call(
    method: Method,
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
  /** A form posted by a page. */
  post(
    url: string,
    fields: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<Answer>
  logIn(email: string, password?: string): Promise<Answer>
}

export function openBrowser({ app }: Service): Browser {
  const jar = new Map<string, string>()
  let csrf = ''

  async function send(
    method: Method,
    url: string,
    headers: Record<string, string>,
    payload?: string,
  ) {
    const response = await app.server.inject({
      method,
      url,
      headers: { host: HOST, ...(jar.size === 0 ? {} : { cookie: cookies() }), ...headers },
      ...(payload === undefined ? {} : { payload }),
    })
    for (const set of [response.headers['set-cookie'] ?? []].flat()) {
      const [name = '', value = ''] = set.split(';')[0]!.split('=')
      if (set.includes('Max-Age=0')) jar.delete(name)
      else jar.set(name, value)
    }
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    const body = isJson && response.body !== '' ? JSON.parse(response.body) : response.body
    if (isJson && body?.csrf_token) csrf = body.csrf_token
    return { status: response.statusCode, body, headers: response.headers as Answer['headers'] }
  }

  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')

  const call: Browser['call'] = (method, url, body, headers = {}) => {
    const changing: Record<string, string> =
      method === 'GET' ? {} : { origin: ORIGIN, 'x-csrf-token': csrf }
    const typed: Record<string, string> =
      body === undefined ? {} : { 'content-type': 'application/json' }
    const payload = body === undefined ? undefined : JSON.stringify(body)
    return send(method, url, { ...changing, ...typed, ...headers }, payload)
  }

  return {
    cookie: () =>
      cookies()
        .split('; ')
        .find(one => one.includes('bw_session=')) ?? '',
    csrf: () => csrf,
    call,
    post: (url, fields, headers = {}) => {
      const type = { 'content-type': 'application/x-www-form-urlencoded', origin: ORIGIN }
      return send('POST', url, { ...type, ...headers }, new URLSearchParams(fields).toString())
    },
    logIn: (email, password = PASSWORD) => call('POST', '/session/login', { email, password }),
  }
}

const nextNumber = countInFile()

/** Someone who was invited with the role and has chosen PASSWORD. */
export async function addPerson(
  { context }: Service,
  tenant_id: string,
  role: Role = 'owner',
  email?: string,
) {
  const address = email ?? `person${nextNumber()}@example.test`
  const input = { email: address, role }
  const invited = await inviteUser(context, tenant_id, operatorOrigin(), ORIGIN, input)
  const token = new URL(invited.setup_url).searchParams.get('token')!
  await acceptLink(context, VISIT, null, { token, password: PASSWORD })
  return { user_id: invited.id, email: address }
}

/** The same, with a browser that is logged in. */
export async function signIn(service: Service, tenant_id: string, role: Role = 'owner') {
  const person = await addPerson(service, tenant_id, role)
  const browser = openBrowser(service)
  const answer = await browser.logIn(person.email)
  if (answer.status !== 200) throw new Error(`login failed: ${JSON.stringify(answer.body)}`)
  return { ...person, ...browser }
}

/** Sets up a second factor for whoever has just logged in here; returns its secret. */
export async function addFactor({ clock }: Service, browser: Browser): Promise<string> {
  const { body } = await browser.call('POST', '/session/totp')
  const code = generateSync({ secret: body.secret, epoch: Math.floor(clock.now() / 1000) })
  const answer = await browser.call('POST', '/session/totp/confirm', { code })
  if (answer.status !== 200) throw new Error(`no second factor: ${JSON.stringify(answer.body)}`)
  return body.secret
}

/** The session that a cookie stands for. */
export async function sessionBehind(context: Context, token: string): Promise<Session | null> {
  return (await readSessions(context, [token])).get(token) ?? null
}
