// The endpoints apps call: tokens, revocation and the description of the server.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { originBy } from '../accounts/identity.ts'
import type { Origin } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { ApiError } from '../platform/errors.ts'
import { type Form, formOf, LONGEST_FORM, takeForms } from '../platform/form-body.ts'
import type { Server } from '../platform/http.ts'
import { publicUrl } from '../platform/public-url.ts'
import { authenticateClient, type KnownClient } from './authenticate-client.ts'
import { exchangeCode } from './exchange-code.ts'
import type { TokenAnswer } from './issue-tokens.ts'
import { describeServer } from './metadata.ts'
import { describeError, OAuthError } from './oauth-error.ts'
import { refreshTokens } from './refresh-tokens.ts'
import { giveBackToken } from './revoke-token.ts'

type GrantType = (
  context: Context,
  client: KnownClient,
  form: Form,
  origin: Origin,
) => Promise<TokenAnswer>

const GRANT_TYPES = new Map<string, GrantType>([
  ['authorization_code', exchangeCode],
  ['refresh_token', refreshTokens],
])

/** Servers of apps speak for many people from one address. */
const route = { config: { address_per_minute: 600 }, schema: { hidden: true } } as const

export function tokenRoutes(root: Server, context: Context): void {
  root.get(
    '/.well-known/oauth-authorization-server',
    { config: {}, schema: { hidden: true } },
    async () => describeServer(publicUrl(context.config, root)),
  )
  root.register(async server => {
    takeForms(server)
    answerAsRfc(server)

    server.post('/oauth/token', route, async (request, reply) => {
      const { form, client, origin } = await readCall(context, request)
      if (!form.has('grant_type')) throw new OAuthError('invalid_request', 'grant_type is missing')
      const grant = GRANT_TYPES.get(form.get('grant_type'))
      if (!grant) {
        throw new OAuthError(
          'unsupported_grant_type',
          'grant_type must be authorization_code or refresh_token',
        )
      }
      reply.header('pragma', 'no-cache')
      return grant(context, client, form, origin)
    })

    server.post('/oauth/revoke', route, async (request, reply) => {
      const { form, client, origin } = await readCall(context, request)
      await giveBackToken(context, client, form, origin)
      return reply.code(200).send()
    })
  })
}

async function readCall(context: Context, request: FastifyRequest) {
  const form = formOf(request)
  if (form.repeated.length > 0) {
    throw new OAuthError('invalid_request', `${form.repeated[0]} is given more than once`)
  }
  const client = await authenticateClient(context, form, request.headers.authorization)
  const origin = originBy(request, { kind: 'app', id: client.app.client_id })
  return { form, client, origin }
}

function answerAsRfc(server: FastifyInstance): void {
  server.setErrorHandler((error, request, reply) => {
    const known = asOAuthError(error)
    const { status, error: code, message } = known
    // A 503 is none of ours, and is told with its reason below.
    if (status >= 500 && status !== 503) request.log.error({ err: error }, 'token request failed')
    const { cause } = error as Error
    request.server.logRefusal({ status, code, message, cause }, request)
    reply.headers({ pragma: 'no-cache', ...known.headers })
    return reply.code(known.status).type('application/json').send(describeError(known))
  })
}

const TOO_LONG = `the body is larger than ${LONGEST_FORM / 1024} KiB`
const NO_FORM = 'send the parameters as application/x-www-form-urlencoded'

function asOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error
  if (error instanceof ApiError && (error.status === 429 || error.status === 503)) {
    return new OAuthError('temporarily_unavailable', error.message, error.status, {
      ...error.headers,
    })
  }
  if (error instanceof ApiError) return new OAuthError('invalid_request', error.message)
  const status = (error as { statusCode?: number }).statusCode ?? 500
  if (status < 500) return new OAuthError('invalid_request', status === 413 ? TOO_LONG : NO_FORM)
  return new OAuthError('server_error', 'something went wrong on our side', 500)
}
