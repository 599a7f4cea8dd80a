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
  const token = readCookie(request.headers.cookie ?? '', cookieName(config))
  return token !== null && FORM.test(token) ? token : null
}

export function readCookie(cookies: string, name: string): string | null {
  const found = cookies
    .split(';')
    .map(part => part.trim())
    .filter(part => part.startsWith(`${name}=`))
  // Two cookies of one name mean that somebody planted one.
  return found.length === 1 ? found[0]!.slice(name.length + 1) : null
}

export function setSessionCookie(config: Config, reply: FastifyReply, token: string): void {
  reply.header('set-cookie', `${cookieName(config)}=${token}; ${cookieAttributes(config)}`)
}

/** At logout the browser forgets the cookie, and whatever else it has kept of us. */
export function leaveBrowser(config: Config, reply: FastifyReply): void {
  reply.header('set-cookie', `${cookieName(config)}=; Max-Age=0; ${cookieAttributes(config)}`)
  reply.header('clear-site-data', '"cache", "storage"')
}

export function cookieAttributes(config: Config): string {
  return `Path=/; HttpOnly; SameSite=Lax${isHttps(config) ? '; Secure' : ''}`
}
