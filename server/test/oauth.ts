// An OAuth app for tests: asks a person's browser for consent and calls the token endpoint as an app would.
import { createHash, randomBytes } from 'node:crypto'
import { asOperator } from '../src/accounts/identity.ts'
import { createApp } from '../src/oauth/manage-apps.ts'
import type { Scope } from '../src/tenants/scopes.ts'
import type { Browser } from './people.ts'
import { HOST } from './people.ts'
import type { Answer, Service } from './service.ts'

export const REDIRECT_URI = 'https://app.example/callback'

export type Fields = Record<string, string | undefined>

export type TestApp = {
  client_id: string
  client_secret: string
  /** The parameters of a correct authorization request. */
  ask(change?: Fields): { query: Record<string, string>; verifier: string }
  /** Walks through the consent page; returns where the browser was sent. */
  consent(browser: Browser, query: Record<string, string>, decision?: string): Promise<URL>
  /** POST to the token endpoint with the app's id and secret; undefined leaves a field out. */
  post(url: string, fields: Fields, headers?: Record<string, string>): Promise<Answer>
  /** The whole flow: the token answer, and the code it was given for. */
  connect(
    browser: Browser,
    scope?: string,
  ): Promise<{ tokens: Tokens; code: string; verifier: string }>
  refresh(refresh_token: string): Promise<Answer>
}

export type Tokens = {
  access_token: string
  refresh_token: string
  scope: string
  expires_in: number
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

export async function addApp(
  service: Service,
  tenant_id: string,
  scopes: Scope[] = ['employees:read', 'scores:read', 'events:write'],
): Promise<TestApp> {
  const input = { name: 'Report maker', redirect_uris: [REDIRECT_URI], scopes }
  const made = await asOperator(service.context, tenant_id, createApp, input)
  const { client_id, client_secret } = made

  const ask: TestApp['ask'] = (change = {}) => {
    const verifier = randomBytes(32).toString('base64url')
    const query = {
      client_id,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: scopes.join(' '),
      state: randomBytes(8).toString('hex'),
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
    }
    return { query: keep({ ...query, ...change }), verifier }
  }

  const consent: TestApp['consent'] = async (browser, query, decision = 'approve') => {
    const text = new URLSearchParams(query).toString()
    const page = await browser.call('GET', `/oauth/authorize?${text}`)
    if (page.status === 302) return new URL(page.headers.location as string)
    const token = /name="consent" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
    const answer = await browser.post(`/oauth/consent?${text}`, { consent: token, decision })
    if (answer.status !== 303) throw new Error(`consent answered ${answer.status}`)
    return new URL(answer.headers.location as string)
  }

  const post: TestApp['post'] = async (url, fields, headers = {}) => {
    const response = await service.app.server.inject({
      method: 'POST',
      url,
      headers: { host: HOST, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(keep({ client_id, client_secret, ...fields })).toString(),
    })
    const body = response.body === '' ? undefined : JSON.parse(response.body)
    return { status: response.statusCode, body, headers: response.headers as Answer['headers'] }
  }

  const connect: TestApp['connect'] = async (browser, scope = scopes.join(' ')) => {
    const { query, verifier } = ask({ scope })
    const back = await consent(browser, query)
    const code = back.searchParams.get('code') ?? ''
    const answer = await post('/oauth/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
    })
    if (answer.status !== 200) throw new Error(`token answered ${JSON.stringify(answer.body)}`)
    return { tokens: answer.body, code, verifier }
  }

  const refresh = (refresh_token: string) =>
    post('/oauth/token', { grant_type: 'refresh_token', refresh_token })
  return { client_id, client_secret, ask, consent, post, connect, refresh }
}

function keep(fields: Fields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Record<string, string>
}
