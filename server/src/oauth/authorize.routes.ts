// GET /oauth/authorize and the consent that answers it.
import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { personOf, type Session } from '../accounts/identity.ts'
import { requireOwnOrigin } from '../accounts/own-origin.ts'
import { sendErrorPages, sentence } from '../accounts/page-errors.ts'
import { sendPage } from '../accounts/page-layout.ts'
import type { Context } from '../platform/context.ts'
import { ApiError } from '../platform/errors.ts'
import { type Form, formOf, readForm, takeForms } from '../platform/form-body.ts'
import type { Server } from '../platform/http.ts'
import { publicUrl } from '../platform/public-url.ts'
import { isSameSecret } from '../platform/tokens.ts'
import { approveRequest } from './approve-request.ts'
import { type Client, findClient, type GrantOffer, judgeRequest } from './authorize.ts'
import { describeError, OAuthError } from './oauth-error.ts'
import { consentPage } from './pages.ts'

const page = { config: { session: 'optional' }, schema: { hidden: true } } as const

export function authorizeRoutes(root: Server, context: Context): void {
  root.register(async server => {
    takeForms(server)
    sendErrorPages(server)
    server.get('/oauth/authorize', page, (request, reply) => ask(context, root, request, reply))
    server.post('/oauth/consent', page, (request, reply) => decide(context, root, request, reply))
  })
}

/** Comes back to the same request after the login. */
function toLogin(reply: FastifyReply, query: string, status: 302 | 303): FastifyReply {
  const next = encodeURIComponent(`/oauth/authorize?${query}`)
  return reply.redirect(`/login?next=${next}`, status)
}

/** A request of somebody who is signed in, from an app we know. */
type Asking = {
  client: Client
  form: Form
  query: string
  session: Session
  issuer: string
  status: 302 | 303
}

async function ask(context: Context, root: Server, request: FastifyRequest, reply: FastifyReply) {
  const query = queryOf(request)
  const form = readForm(query)
  const client = await findClient(context, form)
  const { session } = request
  if (session?.stage !== 'signed_in') return toLogin(reply, query, 302)
  const issuer = publicUrl(context.config, root)
  const asking = { client, form, query, session, issuer, status: 302 } as const
  return answering(reply, asking, async () => {
    const offer = await judgeRequest(context, client, form, session)
    return show(reply, asking, offer, null)
  })
}

async function decide(
  context: Context,
  root: Server,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  requireOwnOrigin(context.config, request)
  const query = queryOf(request)
  const form = readForm(query)
  const client = await findClient(context, form)
  const { session } = request
  if (session?.stage !== 'signed_in') return toLogin(reply, query, 303)
  const issuer = publicUrl(context.config, root)
  const asking = { client, form, query, session, issuer, status: 303 } as const
  const given = formOf(request)
  return answering(reply, asking, async () => {
    const offer = await judgeRequest(context, client, form, session)
    if (
      given.repeated.length > 0 ||
      !isSameSecret(given.get('consent'), consentToken(asking, offer))
    ) {
      request.server.logRefusal(NOT_SHOWN, request)
      return show(reply, asking, offer, sentence(NOT_SHOWN.message))
    }
    if (given.get('decision') !== 'approve')
      throw new OAuthError('access_denied', 'the person said no')
    const code = await approveRequest(context, personOf(request), client, offer)
    return reply.redirect(backTo(asking, { code }), 303)
  })
}

const NOT_SHOWN = new ApiError(
  'FORBIDDEN',
  'something has changed since this page was shown; look at it once more',
)

function show(reply: FastifyReply, asking: Asking, offer: GrantOffer, message: string | null) {
  const { client, query, session } = asking
  const consent_token = consentToken(asking, offer)
  const { email } = session
  return sendPage(reply, consentPage({ client, offer, email, query, consent_token, message }))
}

function queryOf(request: FastifyRequest): string {
  const url = request.raw.url ?? ''
  return url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
}

/** Binds the form to the session, to every parameter of the request it was shown for, and to what it said is given. */
function consentToken({ session, query }: Asking, { granted }: GrantOffer): string {
  const shown = `consent ${granted.join(',')} ${query}`
  return createHmac('sha256', session.csrf_token).update(shown).digest('base64url')
}

async function answering(
  reply: FastifyReply,
  asking: Asking,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return reply.redirect(backTo(asking, describeError(error)), asking.status)
  }
}

/** The registered URI is text of the app's own; only parameters are added to it. */
function backTo({ client, form, issuer: iss }: Asking, fields: Record<string, string>): string {
  const { redirect_uri } = client
  const known = form.has('state') && !form.repeated.includes('state')
  const state: Record<string, string> = known ? { state: form.get('state') } : {}
  const params = new URLSearchParams({ ...fields, ...state, iss })
  const joint = redirect_uri.includes('?') ? '&' : '?'
  return `${redirect_uri}${joint}${params}`
}
