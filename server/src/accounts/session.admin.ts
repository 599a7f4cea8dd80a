// The dashboard's routes about the session itself: log in, second factor, tenant, proof of identity, log out.
import type { FastifyReply } from 'fastify'
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { hidden, hiddenById } from '../platform/schemas.ts'
import { CodeBody, LoginBody, ProofBody, TenantBody } from './accounts.schema.ts'
import { chooseTenant } from './choose-tenant.ts'
import { describeSession, describeSessions } from './describe-session.ts'
import { endOtherSessions, endSession } from './end-sessions.ts'
import { sessionOf, visitOf } from './identity.ts'
import { rememberBrowser } from './known-browser.ts'
import { logIn } from './log-in.ts'
import type { OpenedSession } from './open-session.ts'
import { requireOwnOrigin } from './own-origin.ts'
import { passSecondFactor } from './pass-second-factor.ts'
import { reauthenticate } from './reauthenticate.ts'
import { leaveBrowser, setSessionCookie } from './session-cookie.ts'

export function sessionAdmin(server: Server, context: Context): void {
  const { config } = context
  const enter = (reply: FastifyReply, opened: OpenedSession, email: string) => {
    const { token, stage, csrf_token } = opened
    setSessionCookie(config, reply, token)
    if (stage === 'signed_in') rememberBrowser(context, reply, email)
    return { stage, csrf_token }
  }

  server.post(
    '/session/login',
    { config: { session: 'optional' }, schema: { ...hidden, body: LoginBody } },
    async (request, reply) => {
      requireOwnOrigin(config, request)
      const old = request.session
      const opened = await logIn(context, visitOf(request), request.body)
      if (old) await endSession(context, visitOf(request), old, old.session_id)
      return enter(reply, opened, request.body.email)
    },
  )

  server.post(
    '/session/second-factor',
    { config: { session: 'pending' }, schema: { ...hidden, body: CodeBody } },
    async (request, reply) => {
      const session = sessionOf(request)
      const { code } = request.body
      const opened = await passSecondFactor(context, visitOf(request), session, code)
      return enter(reply, opened, session.email)
    },
  )

  server.get('/session', { config: { session: 'pending' }, schema: hidden }, async request =>
    describeSession(context, sessionOf(request), request.identity),
  )

  server.delete(
    '/session',
    { config: { session: 'pending' }, schema: hidden },
    async (request, reply) => {
      const session = sessionOf(request)
      await endSession(context, visitOf(request), session, session.session_id)
      leaveBrowser(config, reply)
      return reply.code(204).send()
    },
  )

  currentSession(server, context)
  ownSessions(server, context)
}

function currentSession(server: Server, context: Context): void {
  const { config } = context
  server.post(
    '/session/proof',
    { config: { session: 'signed_in' }, schema: { ...hidden, body: ProofBody } },
    async (request, reply) => {
      const { password, code = '' } = request.body
      const session = sessionOf(request)
      const { token, until } = await reauthenticate(context, visitOf(request), session, {
        password,
        code,
      })
      setSessionCookie(config, reply, token)
      return { proven_until: until }
    },
  )

  server.put(
    '/session/tenant',
    { config: { session: 'signed_in' }, schema: { ...hidden, body: TenantBody } },
    async (request, reply) => {
      await chooseTenant(context, visitOf(request), sessionOf(request), request.body.tenant_id)
      return reply.code(204).send()
    },
  )
}

function ownSessions(server: Server, context: Context): void {
  server.get(
    '/session/sessions',
    { config: { session: 'signed_in' }, schema: hidden },
    async request => ({ data: await describeSessions(context, sessionOf(request)) }),
  )

  server.delete(
    '/session/sessions',
    { config: { session: 'signed_in', fresh: true }, schema: hidden },
    async request => ({
      ended: await endOtherSessions(context, visitOf(request), sessionOf(request)),
    }),
  )

  server.delete(
    '/session/sessions/:id',
    { config: { session: 'signed_in', fresh: true }, schema: hiddenById },
    async (request, reply) => {
      await endSession(context, visitOf(request), sessionOf(request), request.params.id)
      return reply.code(204).send()
    },
  )
}
