// The dashboard's routes about one's own account: password, second factor, one-time links.
import type { Context } from '../platform/context.ts'
import type { Server } from '../platform/http.ts'
import { publicUrl } from '../platform/public-url.ts'
import { hidden } from '../platform/schemas.ts'
import { acceptLink, openLink } from './accept-link.ts'
import { AcceptBody, CodeBody, LinkBody, PasswordBody, ResetBody } from './accounts.schema.ts'
import { changePassword } from './change-password.ts'
import { confirmTotp, removeTotp, renewRecoveryCodes, startTotp } from './enrol-totp.ts'
import { sessionOf, visitOf } from './identity.ts'
import { rememberBrowser } from './known-browser.ts'
import { requireOwnOrigin } from './own-origin.ts'
import { requestReset } from './request-reset.ts'

const proven = { session: 'signed_in', fresh: true } as const

export function accountAdmin(server: Server, context: Context): void {
  server.put(
    '/session/password',
    { config: proven, schema: { ...hidden, body: PasswordBody } },
    async (request, reply) => {
      await changePassword(context, visitOf(request), sessionOf(request), request.body.password)
      return reply.code(204).send()
    },
  )

  server.post('/session/totp', { config: proven, schema: hidden }, async request =>
    startTotp(context, sessionOf(request)),
  )

  server.post(
    '/session/totp/confirm',
    { config: proven, schema: { ...hidden, body: CodeBody } },
    async request => confirmTotp(context, visitOf(request), sessionOf(request), request.body.code),
  )

  server.delete('/session/totp', { config: proven, schema: hidden }, async (request, reply) => {
    await removeTotp(context, visitOf(request), sessionOf(request))
    return reply.code(204).send()
  })

  server.post('/session/recovery-codes', { config: proven, schema: hidden }, async request =>
    renewRecoveryCodes(context, visitOf(request), sessionOf(request)),
  )

  linkRoutes(server, context)
}

function linkRoutes(server: Server, context: Context): void {
  const open = { session: 'optional' } as const

  server.post(
    '/session/link',
    { config: open, schema: { ...hidden, body: LinkBody } },
    async request => {
      requireOwnOrigin(context.config, request)
      return openLink(context, request.body.token)
    },
  )

  server.post(
    '/session/link/accept',
    { config: open, schema: { ...hidden, body: AcceptBody } },
    async (request, reply) => {
      requireOwnOrigin(context.config, request)
      const { token, password = '' } = request.body
      const visit = visitOf(request)
      const accepted = await acceptLink(context, visit, request.session, { token, password })
      if (accepted.needs_password) rememberBrowser(context, reply, accepted.email)
      return accepted
    },
  )

  server.post(
    '/session/reset',
    { config: open, schema: { ...hidden, body: ResetBody } },
    async (request, reply) => {
      requireOwnOrigin(context.config, request)
      const base_url = publicUrl(context.config, server)
      await requestReset(context, visitOf(request), base_url, request.body.email)
      return reply.code(202).send({ status: 'if the address is known, a link is on its way' })
    },
  )
}
