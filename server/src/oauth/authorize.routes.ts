// GET /oauth/authorize and the consent that answers it.
import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { personOf } from '../accounts/identity.ts'
import { requireOwnOrigin } from '../accounts/own-origin.ts'
import { sendErrorPages } from '../accounts/page-errors.ts'
import { sendPage } from '../accounts/page-layout.ts'
import type { Context } from '../platform/context.ts'
import { ApiError } from '../platform/errors.ts'
import { type Form, formOf, readForm, takeForms } from '../platform/form-body.ts'
import type { Server } from '../platform/http.ts'
import { publicUrl } from '../platform/public-url.ts'
import { isSameSecret } from '../platform/tokens.ts'
import { approveRequest } from './approve-request.ts'
import { type Client, findClient, judgeRequest } from './authorize.ts'
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

async function ask(context: Context, root: Server, request: FastifyRequest, reply: FastifyReply) {
  const query = queryOf(request)
  const form = readForm(query)
  const client = await findClient(context, form)
  if (request.session?.stage !== 'signed_in') return toLogin(reply, query, 302)
  const { session } = request
  const issuer = publicUrl(context.config, root)
  return answering(reply, client, form, issuer, 302, async () => {
    const offer = await judgeRequest(context, client, form, session)
    const consent_token = consentToken(session.csrf_token, query)
    return sendPage(
      reply,
      consentPage({ client, offer, email: session.email, query, consent_token }),
    )
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
  const given = formOf(request)
  const own = isSameSecret(given.get('consent'), consentToken(session.csrf_token, query))
  if (!own || given.repeated.length > 0) {
    throw new ApiError(
      'FORBIDDEN',
      'this consent belongs to another session or request; start again',
    )
  }
  const issuer = publicUrl(context.config, root)
  return answering(reply, client, form, issuer, 303, async () => {
    const offer = await judgeRequest(context, client, form, session)
    if (given.get('decision') !== 'approve')
      throw new OAuthError('access_denied', 'the person said no')
    const code = await approveRequest(context, personOf(request), client, offer)
    return goBack(reply, client, form, issuer, 303, { code })
  })
}

function queryOf(request: FastifyRequest): string {
  const url = request.raw.url ?? ''
  return url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
}

/** Binds the form to the session and to every parameter of the request it was shown for. */
function consentToken(csrf_token: string, query: string): string {
  return createHmac('sha256', csrf_token).update(`consent ${query}`).digest('base64url')
}

async function answering(
  reply: FastifyReply,
  client: Client,
  form: Form,
  issuer: string,
  status: 302 | 303,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return goBack(reply, client, form, issuer, status, describeError(error))
  }
}

/** The registered URI is text of the app's own; only parameters are added to it. */
function goBack(
  reply: FastifyReply,
  { redirect_uri }: Client,
  form: Form,
  iss: string,
  status: 302 | 303,
  fields: Record<string, string>,
): FastifyReply {
  const known = form.has('state') && !form.repeated.includes('state')
  const state: Record<string, string> = known ? { state: form.get('state') } : {}
  const params = new URLSearchParams({ ...fields, ...state, iss })
  const joint = redirect_uri.includes('?') ? '&' : '?'
  return reply.redirect(`${redirect_uri}${joint}${params}`, status)
}
