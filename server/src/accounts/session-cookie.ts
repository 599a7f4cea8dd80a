// Our cookies: how they are named, read, set and cleared.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { isHttps } from '../platform/public-url.ts'

const FORM = /^[0-9A-Za-z]{43}$/

const KINDS = ['session', 'browser'] as const

/** `__Host-` needs https; plain http is for loopback only. */
export function cookieName(config: Config, kind: (typeof KINDS)[number] = 'session'): string {
  return `${isHttps(config) ? '__Host-' : ''}bw_${kind}`
}

export function readSessionCookie(config: Config, request: FastifyRequest): string | null {
  const token = readCookie(request.headers.cookie ?? '', cookieName(config))
  return token !== null && FORM.test(token) ? token : null
}

/** Two cookies of one name mean that somebody planted one: then there is none. */
export function readCookie(cookies: string, name: string): string | null {
  const values = valuesOf(cookies, name)
  return values.length === 1 ? values[0]! : null
}

function valuesOf(cookies: string, name: string): string[] {
  return cookies.split(';').flatMap(part => {
    const end = part.indexOf('=')
    return end >= 0 && strip(part.slice(0, end)) === name ? [strip(part.slice(end + 1))] : []
  })
}

/** Of spaces and tabs alone, as browsers do: `trim` takes the byte A0 too, so a name that a sibling may set became ours. */
function strip(text: string): string {
  const isBlank = (at: number) => text[at] === ' ' || text[at] === '\t'
  let [from, to] = [0, text.length]
  while (from < to && isBlank(from)) from++
  while (to > from && isBlank(to - 1)) to--
  return text.slice(from, to)
}

/** Cookies of which there are two are cleared by the answer, so that nobody is kept out for as long as they last. */
export function clearTwins(config: Config, request: FastifyRequest, reply: FastifyReply): void {
  const { cookie } = request.headers
  if (cookie === undefined) return
  for (const name of KINDS.map(kind => cookieName(config, kind))) {
    if (valuesOf(cookie, name).length > 1) clearCookie(config, reply, name)
  }
}

function clearCookie(config: Config, reply: FastifyReply, name: string): void {
  reply.header('set-cookie', `${name}=; Max-Age=0; ${cookieAttributes(config)}`)
}

export function setSessionCookie(config: Config, reply: FastifyReply, token: string): void {
  reply.header('set-cookie', `${cookieName(config)}=${token}; ${cookieAttributes(config)}`)
}

/** At logout the browser forgets the cookie, and whatever else it has kept of us. */
export function leaveBrowser(config: Config, reply: FastifyReply): void {
  clearCookie(config, reply, cookieName(config))
  reply.header('clear-site-data', '"cache", "storage"')
}

export function cookieAttributes(config: Config): string {
  return `Path=/; HttpOnly; SameSite=Lax${isHttps(config) ? '; Secure' : ''}`
}
