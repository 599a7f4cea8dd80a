// What goes wrong on a page is a page too, and a form counts only from the session it was shown to.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../platform/errors.ts'
import { formOf } from '../platform/form-body.ts'
import { isSameSecret } from '../platform/tokens.ts'
import { sessionOf } from './identity.ts'
import { sendPage } from './page-layout.ts'
import { notePage } from './pages.ts'

/** What is said to programs in half a sentence is one for people. */
export function sentence(message: string): string {
  const end = message.endsWith('.') ? '' : '.'
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${end}`
}

/** The dashboard, or the login before it: nobody is left with an error alone. */
const START = { href: '/', text: 'To the start page' }

/** Every error of these pages is a page too. */
export function sendErrorPages(server: FastifyInstance): void {
  server.setErrorHandler((error, request, reply) => {
    const known = error instanceof ApiError
    const status = known ? error.status : ((error as { statusCode?: number }).statusCode ?? 500)
    // What the framework refuses is the caller's mistake, not a failure of ours.
    if (!known && status >= 500) request.log.error({ err: error }, 'page failed')
    const text = known ? sentence(error.message) : 'Something went wrong. Please try again.'
    if (known) {
      request.server.logRefusal(error, request)
      reply.headers(error.headers)
    }
    const note = notePage(status, 'This did not work', `${text} (${request.id})`, START)
    return sendPage(reply, note)
  })
}

/** A form that was shown to this very session. */
export function requireFormOfSession(request: FastifyRequest): void {
  const session = sessionOf(request)
  if (!isSameSecret(formOf(request).get('csrf'), session.csrf_token)) {
    throw new ApiError(
      'FORBIDDEN',
      'another login was begun in this browser since; do it once more',
    )
  }
}
