// Two authorization servers to hold against each other over real HTTP: ours, and the certified oidc-provider.
import { createHash, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { vi } from 'vitest'
import { asOperator } from '../src/accounts/identity.ts'
import { createApp } from '../src/oauth/manage-apps.ts'
import { afterFile } from './after-file.ts'
import { addPerson, PASSWORD } from './people.ts'
import { startService } from './service.ts'

export const REDIRECT_URI = 'http://127.0.0.1:9/callback'

export type Client = { client_id: string; client_secret: string }

export type AuthServer = {
  name: 'ours' | 'reference'
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  revocation_endpoint: string
  discovery: 'oauth2' | 'oidc'
  scope: string
  client: Client
  other: Client
  /** What a person types into the login page. */
  person: Record<string, string>
  /** The status with which a protected resource answers to an access token. */
  use(access_token: string): Promise<number>
  advance(ms: number): void
}

export async function startOurs(): Promise<AuthServer> {
  const service = await startService()
  const { tenant_id } = await service.tenant()
  const { email } = await addPerson(service, tenant_id)
  await service.app.server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = service.app.server.server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const make = () =>
    asOperator(service.context, tenant_id, createApp, {
      name: 'Suite',
      redirect_uris: [REDIRECT_URI],
      scopes: ['employees:read', 'scores:read'],
    })
  return {
    name: 'ours',
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    discovery: 'oauth2',
    scope: 'employees:read scores:read',
    client: await make(),
    other: await make(),
    person: { email, password: PASSWORD },
    use: async token => {
      service.clock.advance(1000)
      return statusOf(`${issuer}/v1/me`, token)
    },
    advance: ms => service.clock.advance(ms),
  }
}

export async function startReference(): Promise<AuthServer> {
  const client = { client_id: 'suite', client_secret: 'a secret of the suite' }
  const other = { client_id: 'other', client_secret: 'another secret' }
  const common = {
    redirect_uris: [REDIRECT_URI],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_post' as const,
  }
  let handle: ((...args: never[]) => unknown) | null = null
  const { createServer } = await import('node:http')
  const server = createServer((...args) => handle?.(...(args as unknown as never[])))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  // It warns at length that its keys and pages are for development, which this is.
  const quiet = [vi.spyOn(console, 'info'), vi.spyOn(console, 'warn')]
  for (const spy of quiet) spy.mockImplementation(() => {})
  const provider = new Provider(issuer, {
    clients: [
      { ...common, ...client },
      { ...common, ...other },
    ],
    scopes: ['openid', 'employees:read', 'scores:read'],
    features: { revocation: { enabled: true }, devInteractions: { enabled: true } },
    pkce: { required: () => true },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    cookies: { keys: ['a key of the suite'] },
  })
  handle = provider.callback() as never
  afterFile(() => {
    server.closeAllConnections()
    server.close()
    for (const spy of quiet) spy.mockRestore()
  })
  return {
    name: 'reference',
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/token/revocation`,
    discovery: 'oidc',
    scope: 'openid employees:read',
    client,
    other,
    person: { login: 'someone', password: 'whatever' },
    use: token => statusOf(`${issuer}/me`, token),
    advance: () => {},
  }
}

async function statusOf(url: string, token: string): Promise<number> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  await answer.body?.cancel()
  return answer.status
}

export type Landing = { back: URL } | { status: number; text: string }

const MOST_STEPS = 20

/** A browser without JavaScript: follows redirects, keeps cookies, fills in and submits the first form. */
export async function walk(start: URL, person: Record<string, string>): Promise<Landing> {
  const cookies = new Map<string, string>()
  let url = start
  let request: RequestInit = {}
  for (let step = 0; step < MOST_STEPS; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(request.headers as object), ...(cookie === '' ? {} : { cookie }) }
    const answer = await fetch(url, { ...request, headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const text = await answer.text()
    const location = answer.headers.get('location')
    if (location !== null) {
      url = new URL(location, url)
      request = {}
      if (url.href.startsWith(REDIRECT_URI)) return { back: url }
      continue
    }
    const form = readFirstForm(text, person)
    if (!form) return { status: answer.status, text }
    url = new URL(form.action, url)
    request = {
      method: 'POST',
      headers: { origin: url.origin, 'content-type': 'application/x-www-form-urlencoded' },
      body: form.fields.toString(),
    }
  }
  throw new Error('the pages lead in a circle')
}

function readFirstForm(text: string, person: Record<string, string>) {
  const form = /<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/.exec(text)
  if (!form || /role="alert"/.test(text)) return null
  const fields = new URLSearchParams()
  for (const [tag] of form[2]!.matchAll(/<(?:input|button)[^>]*>/g)) {
    const name = /\bname="([^"]*)"/.exec(tag)?.[1]
    const value = /\bvalue="([^"]*)"/.exec(tag)?.[1] ?? ''
    if (name !== undefined && !fields.has(name)) fields.set(name, person[name] ?? plainText(value))
  }
  return { action: plainText(form[1]!), fields }
}

function plainText(text: string): string {
  const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => names[name]!)
}

export function newVerifier(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}
