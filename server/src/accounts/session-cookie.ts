// The session cookie: what it holds, how it is named, set, read and cleared.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { isHttps } from '../platform/public-url.ts'

const FORM = /^[0-9A-Za-z]{43}$/

/** `__Host-` needs https; plain http is for loopback only. */
export function cookieName(config: Config): string {
  return isHttps(config) ? '__Host-bw_session' : 'bw_session'
}

export function readSessionCookie(config: Config, request: FastifyRequest): string | null {
  const wanted = `${cookieName(config)}=`
  const found = (request.headers.cookie ?? '')
    .split(';')
    .map(part => part.trim())
    .filter(part => part.startsWith(wanted))
  // Two cookies of one name mean that somebody planted one.
  if (found.length !== 1) return null
  const token = found[0]!.slice(wanted.length)
  return FORM.test(token) ? token : null
}

export function setSessionCookie(config: Config, reply: FastifyReply, token: string): void {
  reply.header('set-cookie', `${cookieName(config)}=${token}; ${attributes(config)}`)
}

/** At logout the browser forgets the cookie, and whatever else it has kept of us. */
export function leaveBrowser(config: Config, reply: FastifyReply): void {
  reply.header('set-cookie', `${cookieName(config)}=; Max-Age=0; ${attributes(config)}`)
  reply.header('clear-site-data', '"cache", "storage"')
}

function attributes(config: Config): string {
  return `Path=/; HttpOnly; SameSite=Lax${isHttps(config) ? '; Secure' : ''}`
}
