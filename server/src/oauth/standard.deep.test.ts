// Black box: the same suite, by independent client libraries, runs against us and against a certified server.
// Where the two differ, the case says so, and docs/decisions/0016-oauth.md says why.
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import { describe, expect, it } from 'vitest'
import {
  type AuthServer,
  type Client,
  newVerifier,
  REDIRECT_URI,
  startOurs,
  startReference,
  walk,
} from '../../test/oauth-providers.ts'

const servers = [await startOurs(), await startReference()]

type Fields = Record<string, string | undefined>

function present(fields: Fields): [string, string][] {
  return Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined)
}

/** What comes of an authorization request: `code`, `error x` at the app, or `page 400`. */
async function authorize(server: AuthServer, change: Fields | [string, string][] = {}) {
  const { verifier, challenge } = newVerifier()
  const fields: Fields = {
    client_id: server.client.client_id,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: server.scope,
    state: 'a state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    prompt: server.name === 'reference' ? 'consent' : undefined,
  }
  const pairs = Array.isArray(change)
    ? [...present(fields), ...change]
    : present({ ...fields, ...change })
  const url = new URL(`${server.authorization_endpoint}?${new URLSearchParams(pairs)}`)
  const landing = await walk(url, server.person)
  if (!('back' in landing)) return { outcome: `page ${landing.status}`, code: '', verifier }
  const { searchParams, hash } = landing.back
  const inFragment = new URLSearchParams(hash.slice(1)).get('error')
  if (inFragment) return { outcome: `error ${inFragment} in the fragment`, code: '', verifier }
  const error = searchParams.get('error')
  const code = searchParams.get('code') ?? ''
  return { outcome: error === null ? 'code' : `error ${error}`, code, verifier, back: landing.back }
}

async function post(url: string, fields: Fields, headers: Record<string, string> = {}) {
  const type = 'application/x-www-form-urlencoded'
  const body = new URLSearchParams(present(fields)).toString()
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body,
  })
  const text = await answer.text()
  const json = text.startsWith('{') ? JSON.parse(text) : {}
  return {
    outcome: answer.ok ? `${answer.status}` : `${answer.status} ${json.error}`,
    json,
    answer,
  }
}

async function newTokens(server: AuthServer) {
  const { code, verifier } = await authorize(server)
  const { json } = await post(server.token_endpoint, codeFields(server.client, code, verifier))
  return json as { access_token: string; refresh_token: string }
}

function codeFields(
  { client_id, client_secret }: Client,
  code: string,
  code_verifier: string,
): Fields {
  const grant_type = 'authorization_code'
  return { grant_type, client_id, client_secret, code, redirect_uri: REDIRECT_URI, code_verifier }
}

function refreshFields({ client_id, client_secret }: Client, refresh_token: string): Fields {
  return { grant_type: 'refresh_token', client_id, client_secret, refresh_token }
}

describe.each(servers)('$name, by its libraries', server => {
  const auth = {
    client_secret_post: client.ClientSecretPost,
    client_secret_basic: client.ClientSecretBasic,
  }

  // The reference lets a client register one method only.
  const methods =
    server.name === 'ours'
      ? (['client_secret_post', 'client_secret_basic'] as const)
      : (['client_secret_post'] as const)

  it.each(methods)(
    'openid-client: discovery, code, refresh and revocation with %s',
    async method => {
      const { client_id, client_secret } = server.client
      const config = await client.discovery(
        new URL(server.issuer),
        client_id,
        undefined,
        auth[method](client_secret),
        {
          algorithm: server.discovery,
          execute: [client.allowInsecureRequests],
        },
      )
      const verifier = client.randomPKCECodeVerifier()
      const state = client.randomState()
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: REDIRECT_URI,
        scope: server.scope,
        state,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      const landing = await walk(url, server.person)
      if (!('back' in landing)) throw new Error(`no way back: ${landing.status}`)
      const checks = { pkceCodeVerifier: verifier, expectedState: state }
      const tokens = await client.authorizationCodeGrant(config, landing.back, checks)
      expect(tokens.token_type).toBe('bearer')
      expect(await server.use(tokens.access_token)).toBe(200)
      const renewed = await client.refreshTokenGrant(config, tokens.refresh_token!)
      expect(renewed.refresh_token).not.toBe(tokens.refresh_token)
      expect(await server.use(renewed.access_token)).toBe(200)
      await client.tokenRevocation(config, renewed.refresh_token!)
      await expect(client.refreshTokenGrant(config, renewed.refresh_token!)).rejects.toMatchObject({
        error: 'invalid_grant',
        status: 400,
      })
    },
  )

  it('oauth4webapi: state and iss are validated, and a mix-up is noticed', async () => {
    const { back, verifier } = await authorize(server)
    const as = { issuer: server.issuer, token_endpoint: server.token_endpoint }
    const checked = { ...as, authorization_response_iss_parameter_supported: true }
    const app = { client_id: server.client.client_id }
    expect(() => oauth.validateAuthResponse(checked, app, back!, 'another state')).toThrow()
    const impostor = { ...checked, issuer: 'https://evil.test' }
    expect(() => oauth.validateAuthResponse(impostor, app, back!, 'a state')).toThrow()
    const params = oauth.validateAuthResponse(checked, app, back!, 'a state')
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      app,
      oauth.ClientSecretPost(server.client.client_secret),
      params,
      REDIRECT_URI,
      verifier,
      { [oauth.allowInsecureRequests]: true },
    )
    expect(response.headers.get('cache-control')).toBe('no-store')
    const body = (await response.json()) as { expires_in: number }
    expect(body).toMatchObject({ token_type: 'Bearer' })
    expect(body.expires_in).toBeGreaterThan(0)
  })
})

type Case = {
  name: string
  run(server: AuthServer): Promise<string>
  ours: string
  /** Only where the reference answers otherwise. */
  reference?: string
}

const CASES: Case[] = [
  {
    name: 'a correct request',
    run: async server => (await authorize(server)).outcome,
    ours: 'code',
  },
  {
    name: 'parameters without a value, which count as not sent',
    run: async server => (await authorize(server, { request: '', request_uri: '' })).outcome,
    ours: 'code',
  },
  {
    name: 'a response type without a value',
    run: async server => (await authorize(server, { response_type: '' })).outcome,
    ours: 'error invalid_request',
  },
  {
    name: 'downgrade to plain',
    run: async server => (await authorize(server, { code_challenge_method: 'plain' })).outcome,
    ours: 'error invalid_request',
  },
  {
    name: 'no method, which means plain',
    run: async server => (await authorize(server, { code_challenge_method: undefined })).outcome,
    ours: 'error invalid_request',
  },
  {
    name: 'no challenge',
    run: async server =>
      (await authorize(server, { code_challenge: undefined, code_challenge_method: undefined }))
        .outcome,
    ours: 'error invalid_request',
  },
  {
    name: 'a challenge of the wrong form',
    run: async server => (await authorize(server, { code_challenge: 'short' })).outcome,
    ours: 'error invalid_request',
  },
  {
    name: 'implicit',
    run: async server => (await authorize(server, { response_type: 'token' })).outcome,
    ours: 'error unsupported_response_type',
    reference: 'error unsupported_response_type in the fragment',
  },
  {
    name: 'no response type',
    run: async server => (await authorize(server, { response_type: undefined })).outcome,
    ours: 'error invalid_request',
  },
  {
    name: 'a scope nobody knows',
    run: async server => (await authorize(server, { scope: `${server.scope} everything` })).outcome,
    ours: 'error invalid_scope',
    reference: 'code',
  },
  {
    name: 'an unknown client',
    run: async server => (await authorize(server, { client_id: 'nobody' })).outcome,
    ours: 'page 400',
  },
  {
    name: 'a redirect with an extra slash',
    run: async server => (await authorize(server, { redirect_uri: `${REDIRECT_URI}/` })).outcome,
    ours: 'page 400',
  },
  {
    name: 'another port of the own machine',
    run: async server =>
      (await authorize(server, { redirect_uri: REDIRECT_URI.replace(':9/', ':10/') })).outcome,
    ours: 'page 400',
  },
  {
    name: 'a repeated parameter',
    run: async server => (await authorize(server, [['scope', 'employees:read']])).outcome,
    ours: 'error invalid_request',
  },
  {
    name: 'a repeated redirect_uri',
    run: async server =>
      (await authorize(server, [['redirect_uri', 'https://evil.test/']])).outcome,
    ours: 'page 400',
    reference: 'error invalid_request',
  },
  {
    name: 'an unsupported response_mode',
    run: async server => (await authorize(server, { response_mode: 'nonsense' })).outcome,
    ours: 'error invalid_request',
    reference: 'error unsupported_response_mode',
  },
]

const TOKEN_CASES: Case[] = [
  {
    name: 'a code used twice',
    run: async server => {
      const { code, verifier } = await authorize(server)
      const fields = codeFields(server.client, code, verifier)
      const first = await post(server.token_endpoint, fields)
      const second = await post(server.token_endpoint, fields)
      return `${first.outcome}, ${second.outcome}, token ${await server.use(first.json.access_token)}`
    },
    ours: '200, 400 invalid_grant, token 401',
  },
  {
    name: 'no verifier',
    run: async server => {
      const { code } = await authorize(server)
      const fields = { ...codeFields(server.client, code, ''), code_verifier: undefined }
      return (await post(server.token_endpoint, fields)).outcome
    },
    ours: '400 invalid_grant',
  },
  {
    name: 'the verifier of another request',
    run: async server => {
      const { code } = await authorize(server)
      return (
        await post(server.token_endpoint, codeFields(server.client, code, newVerifier().verifier))
      ).outcome
    },
    ours: '400 invalid_grant',
  },
  {
    name: 'a verifier of the wrong form',
    run: async server => {
      const { code } = await authorize(server)
      return (await post(server.token_endpoint, codeFields(server.client, code, 'short'))).outcome
    },
    ours: '400 invalid_grant',
    reference: '400 invalid_request',
  },
  {
    name: 'the code of another client',
    run: async server => {
      const { code, verifier } = await authorize(server)
      return (await post(server.token_endpoint, codeFields(server.other, code, verifier))).outcome
    },
    ours: '400 invalid_grant',
  },
  {
    name: 'another redirect_uri',
    run: async server => {
      const { code, verifier } = await authorize(server)
      const fields = {
        ...codeFields(server.client, code, verifier),
        redirect_uri: `${REDIRECT_URI}/`,
      }
      return (await post(server.token_endpoint, fields)).outcome
    },
    ours: '400 invalid_grant',
  },
  {
    name: 'a wrong secret',
    run: async server => {
      const wrong = { ...server.client, client_secret: 'wrong' }
      return (await post(server.token_endpoint, codeFields(wrong, 'x', 'y'))).outcome
    },
    ours: '401 invalid_client',
  },
  {
    name: 'the password grant',
    run: async server =>
      (await post(server.token_endpoint, { ...server.client, grant_type: 'password' })).outcome,
    ours: '400 unsupported_grant_type',
  },
  {
    name: 'a grant type without a value',
    run: async server =>
      (await post(server.token_endpoint, { ...server.client, grant_type: '' })).outcome,
    ours: '400 invalid_request',
  },
  {
    name: 'a repeated field',
    run: async server => {
      const pairs = [...present(refreshFields(server.client, 'x')), ['grant_type', 'refresh_token']]
      const body = new URLSearchParams(pairs as [string, string][]).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await fetch(server.token_endpoint, { method: 'POST', headers, body })
      return `${answer.status} ${((await answer.json()) as { error: string }).error}`
    },
    ours: '400 invalid_request',
  },
  {
    name: 'a JSON body',
    run: async server => {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ grant_type: 'refresh_token' })
      const answer = await fetch(server.token_endpoint, { method: 'POST', headers, body })
      return `${answer.status} ${((await answer.json()) as { error: string }).error}`
    },
    ours: '400 invalid_request',
  },
  {
    name: 'the refresh token of another client',
    run: async server => {
      const { refresh_token } = await newTokens(server)
      const foreign = await post(server.token_endpoint, refreshFields(server.other, refresh_token))
      const own = await post(server.token_endpoint, refreshFields(server.client, refresh_token))
      return `${foreign.outcome}, ${own.outcome}`
    },
    ours: '400 invalid_grant, 200',
  },
  {
    name: 'a refresh token used twice at once, its answer lost',
    run: async server => {
      const { refresh_token } = await newTokens(server)
      const fields = refreshFields(server.client, refresh_token)
      const first = await post(server.token_endpoint, fields)
      const second = await post(server.token_endpoint, fields)
      return `${first.outcome}, ${second.outcome}`
    },
    ours: '200, 200',
    reference: '200, 400 invalid_grant',
  },
  {
    name: 'a refresh token used again later',
    run: async server => {
      const { refresh_token } = await newTokens(server)
      const fields = refreshFields(server.client, refresh_token)
      const first = await post(server.token_endpoint, fields)
      server.advance(61_000)
      const second = await post(server.token_endpoint, fields)
      const heir = await post(
        server.token_endpoint,
        refreshFields(server.client, first.json.refresh_token),
      )
      return `${second.outcome}, ${heir.outcome}, token ${await server.use(first.json.access_token)}`
    },
    ours: '400 invalid_grant, 400 invalid_grant, token 401',
  },
  {
    name: 'a wider scope at a refresh',
    run: async server => {
      const { refresh_token } = await newTokens(server)
      const fields = { ...refreshFields(server.client, refresh_token), scope: 'rules:write' }
      return (await post(server.token_endpoint, fields)).outcome
    },
    ours: '400 invalid_scope',
  },
  {
    name: 'revocation of an unknown token',
    run: async server =>
      (await post(server.revocation_endpoint, { ...server.client, token: 'nothing' })).outcome,
    ours: '200',
  },
  {
    name: "revocation of another client's token",
    run: async server => {
      const { refresh_token } = await newTokens(server)
      const fields = { ...server.other, token: refresh_token }
      const foreign = await post(server.revocation_endpoint, fields)
      const own = await post(server.token_endpoint, refreshFields(server.client, refresh_token))
      return `${foreign.outcome}, ${own.outcome}`
    },
    ours: '400 invalid_grant, 200',
    reference: '400 invalid_request, 200',
  },
]

describe.each([...CASES, ...TOKEN_CASES])('$name', ({ run, ours, reference }) => {
  it.each(servers)('$name', async server => {
    server.advance(60_000)
    expect(await run(server)).toBe(server.name === 'ours' ? ours : (reference ?? ours))
  })
})
