// The routes of the pages that work without the dashboard: log in and out, invitations, resets.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../platform/context.ts'
import { ApiError } from '../platform/errors.ts'
import { formOf, takeForms } from '../platform/form-body.ts'
import type { Server } from '../platform/http.ts'
import { publicUrl } from '../platform/public-url.ts'
import { acceptLink, openLink } from './accept-link.ts'
import { endSession } from './end-sessions.ts'
import { sessionOf, visitOf } from './identity.ts'
import { rememberBrowser } from './known-browser.ts'
import { readLocalPath } from './local-path.ts'
import { logIn } from './log-in.ts'
import { requireOwnOrigin } from './own-origin.ts'
import { requireFormOfSession, sendErrorPages, sentence } from './page-errors.ts'
import { sendPage, stylesRoute } from './page-layout.ts'
import { codePage, forgotPage, linkPage, loginPage, notePage } from './pages.ts'
import { passSecondFactor } from './pass-second-factor.ts'
import { requestReset } from './request-reset.ts'
import { leaveBrowser, setSessionCookie } from './session-cookie.ts'

const page = { config: { session: 'optional' }, schema: { hidden: true } } as const

type Query = { query: unknown }

function queryText(request: Query, name: string): string {
  const value = (request.query as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : ''
}

/** What a person can put right is shown on the page itself; anything else goes on to the error page. */
function shown(error: unknown, request: FastifyRequest): ApiError {
  if (!(error instanceof ApiError) || error.status >= 500) throw error
  request.server.logRefusal(error, request)
  return error
}

/** Origins that the form of a login may lead to beside our own, for what comes next after it. */
export type TargetsOf = (next: string) => Promise<readonly string[]>

export function accountPages(server: Server, context: Context, targetsOf: TargetsOf): void {
  stylesRoute(server)
  server.register(async pages => {
    takeForms(pages)
    sendErrorPages(pages)
    loginRoutes(pages, context, targetsOf)
    codeRoutes(pages, context, targetsOf)
    linkRoutes(pages, context)
    forgotRoutes(pages, context, server)
  })
}

const LATE =
  'This login has ended: the code took too long, or too many were wrong. Please log in again.'

function loginRoutes(server: FastifyInstance, context: Context, targetsOf: TargetsOf): void {
  const { config } = context
  server.get('/login', page, async (request, reply) => {
    const next = readLocalPath(queryText(request, 'next'))
    if (request.session?.stage === 'signed_in') return reply.redirect(next, 302)
    const saved = queryText(request, 'password') === 'saved'
    const message = queryText(request, 'code') === 'late' ? LATE : null
    const form = { next, targets: await targetsOf(next), email: '', message, status: 200 }
    return sendPage(reply, loginPage({ ...form, saved }))
  })

  server.post('/login', page, (request, reply) => enter(context, targetsOf, request, reply))

  server.post('/logout', page, async (request, reply) => {
    requireOwnOrigin(config, request)
    requireFormOfSession(request)
    const session = sessionOf(request)
    await endSession(context, visitOf(request), session, session.session_id)
    leaveBrowser(config, reply)
    return reply.redirect('/login', 303)
  })
}

async function enter(
  context: Context,
  targetsOf: TargetsOf,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { config } = context
  requireOwnOrigin(config, request)
  const form = formOf(request)
  const next = readLocalPath(form.get('next'))
  const [email, password] = [form.get('email').slice(0, 254), form.get('password').slice(0, 1000)]
  const old = request.session
  try {
    const { token, stage } = await logIn(context, visitOf(request), { email, password })
    if (old) await endSession(context, visitOf(request), old, old.session_id)
    setSessionCookie(config, reply, token)
    if (stage === 'signed_in') rememberBrowser(context, reply, email)
    const code = `/login/code?next=${encodeURIComponent(next)}`
    return reply.redirect(stage === 'signed_in' ? next : code, 303)
  } catch (error) {
    const { message, status, headers } = shown(error, request)
    reply.headers(headers)
    const form = { next, targets: await targetsOf(next), email, status }
    return sendPage(reply, loginPage({ ...form, message: sentence(message) }))
  }
}

function codeRoutes(server: FastifyInstance, context: Context, targetsOf: TargetsOf): void {
  server.get('/login/code', page, async (request, reply) => {
    const next = readLocalPath(queryText(request, 'next'))
    if (request.session?.stage !== 'second_factor') return toLogin(reply, next)
    const csrf = request.session.csrf_token
    const targets = await targetsOf(next)
    return sendPage(reply, codePage({ next, targets, csrf, message: null, status: 200 }))
  })

  server.post('/login/code', page, (request, reply) => giveCode(context, targetsOf, request, reply))
}

async function giveCode(
  context: Context,
  targetsOf: TargetsOf,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const form = formOf(request)
  const next = readLocalPath(form.get('next'))
  if (request.session?.stage !== 'second_factor') return toLogin(reply, next, 'code=late&')
  requireOwnOrigin(context.config, request)
  try {
    requireFormOfSession(request)
    const code = form.get('code').slice(0, 40)
    const opened = await passSecondFactor(context, visitOf(request), request.session, code)
    setSessionCookie(context.config, reply, opened.token)
    rememberBrowser(context, reply, request.session.email)
    return reply.redirect(next, 303)
  } catch (error) {
    const { message, status, headers } = shown(error, request)
    const { csrf_token: csrf } = request.session
    const step = { next, targets: await targetsOf(next), csrf, status }
    return sendPage(reply.headers(headers), codePage({ ...step, message: sentence(message) }))
  }
}

function toLogin(reply: FastifyReply, next: string, why = ''): FastifyReply {
  return reply.redirect(`/login?${why}next=${encodeURIComponent(next)}`, 303)
}

function linkRoutes(server: FastifyInstance, context: Context): void {
  for (const path of ['/invitation', '/reset']) {
    server.get(path, page, async (request, reply) => {
      const token = queryText(request, 'token')
      const link = await openLink(context, token)
      const email = request.session?.stage === 'signed_in' ? request.session.email : null
      if (!link.needs_password && email !== link.email) {
        return toLogin(reply, `${path}?token=${encodeURIComponent(token)}`)
      }
      return sendPage(reply, linkPage(link, token, null, 200))
    })

    server.post(path, page, async (request, reply) => {
      requireOwnOrigin(context.config, request)
      const form = formOf(request)
      const [token, password] = [form.get('token'), form.get('password').slice(0, 1000)]
      const session = request.session?.stage === 'signed_in' ? request.session : null
      try {
        const accepted = await acceptLink(context, visitOf(request), session, { token, password })
        if (accepted.needs_password) rememberBrowser(context, reply, accepted.email)
        return reply.redirect(accepted.needs_password ? '/login?password=saved' : '/', 303)
      } catch (error) {
        const { message, status, headers } = shown(error, request)
        const link = await openLink(context, token)
        reply.headers(headers)
        return sendPage(reply, linkPage(link, token, sentence(message), status))
      }
    })
  }
}

function forgotRoutes(server: FastifyInstance, context: Context, root: Server): void {
  server.get('/forgot', page, async (_request, reply) => sendPage(reply, forgotPage()))

  server.post('/forgot', page, async (request, reply) => {
    requireOwnOrigin(context.config, request)
    const base_url = publicUrl(context.config, root)
    await requestReset(
      context,
      visitOf(request),
      base_url,
      formOf(request).get('email').slice(0, 254),
    )
    const text =
      'If we know this address and mail is set up here, a link is on its way. Otherwise ask the owner of your organization for one.'
    return sendPage(
      reply,
      notePage(200, 'Look into your mailbox', text, { href: '/login', text: 'Log in' }),
    )
  })
}
