// Is a request made by a page of ours? Browsers say so in headers no page can forge.
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError } from '../platform/errors.ts'
import { isSameSecret } from '../platform/tokens.ts'
import type { Session } from './identity.ts'

/** Without a public URL the origin has to be the host that was asked. */
function isOwnOrigin(config: Config, request: FastifyRequest): boolean {
  const { origin } = request.headers
  if (typeof origin !== 'string') return false
  if (config.public_url !== null) return origin === new URL(config.public_url).origin
  return origin === `${request.protocol}://${request.host}`
}

/** Mostly somebody who has opened the service by another name, or an operator on the first day. */
function sayWhere({ public_url }: Config): string {
  return public_url === null
    ? 'this change must come from a page of this service (header Origin); behind a proxy, BELLWETHER_PUBLIC_URL has to be set'
    : `this change must come from a page of ${new URL(public_url).origin}: open that address`
}

export function requireOwnOrigin(config: Config, request: FastifyRequest): void {
  if (!isOwnOrigin(config, request)) {
    throw new ApiError('FORBIDDEN', sayWhere(config))
  }
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
const OWN_SITES = new Set([undefined, 'same-origin', 'none'])

export function isFromOwnSite({ headers }: FastifyRequest): boolean {
  return OWN_SITES.has(headers['sec-fetch-site'] as string | undefined)
}

/** A cookie alone proves nothing: changes need the session's token and our Origin, reads must not be embedded. */
export function requireOwnRequest(config: Config, request: FastifyRequest, session: Session): void {
  if (!isFromOwnSite(request)) {
    throw new ApiError('FORBIDDEN', 'a session cannot be used from another site')
  }
  if (SAFE_METHODS.has(request.method)) return
  requireOwnOrigin(config, request)
  const given = request.headers['x-csrf-token']
  if (typeof given !== 'string' || !isSameSecret(given, session.csrf_token)) {
    const message = 'send the csrf_token of GET /session as header X-CSRF-Token'
    throw new ApiError('FORBIDDEN', message, { details: [{ path: 'X-CSRF-Token', message }] })
  }
}
