// A browser in which a person has logged in keeps a sealed note of it, so that failures elsewhere do not keep them out.
import type { FastifyReply } from 'fastify'
import type { Config } from '../config.ts'
import { DAY, SECOND } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { openOrNull } from '../platform/secrets.ts'
import { newToken } from '../platform/tokens.ts'
import { accountKey } from './email-address.ts'
import type { Visit } from './identity.ts'
import { cookieAttributes, cookieName, readCookie } from './session-cookie.ts'

const REMEMBERED_MS = 180 * DAY

const nameOf = (config: Config) => cookieName(config, 'browser')
const purposeOf = (email_key: string) => `browser:${email_key}`

/** Which one it is where this person has logged in with it, and null for any other. Opens nothing by itself. */
export function knownBrowser(
  { config, secrets }: Context,
  { cookies }: Visit,
  email_key: string,
): string | null {
  const sealed = readCookie(cookies, nameOf(config))
  return sealed === null ? null : openOrNull(secrets, sealed, purposeOf(email_key))
}

/** Once a person has proven who they are, by a whole login or by a link that was sent to them. */
export function rememberBrowser(
  { config, secrets }: Context,
  reply: FastifyReply,
  email: string,
): void {
  const sealed = secrets.seal(newToken(), purposeOf(accountKey(email)))
  const kept = `Max-Age=${REMEMBERED_MS / SECOND}; ${cookieAttributes(config)}`
  reply.header('set-cookie', `${nameOf(config)}=${sealed}; ${kept}`)
}
