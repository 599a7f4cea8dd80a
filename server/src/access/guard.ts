// The gate of every request: who calls, is a token left, and may they do this; in that order, before the body is
// read. Who calls and whether they may is checked once more when the body is there.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Identity, identityOf, type Session, unauthorized } from '../accounts/identity.ts'
import { requireFresh, touchInTime } from '../accounts/open-session.ts'
import { isFromOwnSite, requireOwnRequest } from '../accounts/own-origin.ts'
import type { Permission } from '../accounts/roles.ts'
import { clearTwins, readSessionCookie } from '../accounts/session-cookie.ts'
import { networkOf } from '../accounts/throttle.ts'
import type { Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { ApiError } from '../platform/errors.ts'
import type { Server } from '../platform/http.ts'
import type { Scope } from '../tenants/scopes.ts'
import { boundUnread } from './bound-unread.ts'
import { createIdentifier, type Identifier, tenantNamed } from './identify.ts'
import { createSessionReader, identifySession, requireShownTenant } from './identify-session.ts'
import { createLimiter, type Limiter, type Taken } from './take-tokens.ts'
import type { BucketSpec } from './token-bucket.ts'
import { createUnderWay } from './under-way.ts'
import { createUsageMeter, type UsageMeter } from './usage-meter.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope a caller needs; `any` = any valid credential; absent = no credential. */
    scope?: Scope | 'any'
    /** Scopes that are needed beside it. */
    also?: readonly Scope[]
    /**
     * A route of the dashboard: only a session will do. `optional` = a page that looks whether there is one,
     * `pending` = at any stage of the login, `signed_in` = a person, `member` = of a tenant, or a right there.
     */
    session?: 'optional' | 'pending' | 'signed_in' | 'member' | Permission
    /** The person must have proven who they are within the last minutes. */
    fresh?: boolean
    /** Asked for by an open window as such, so it keeps no session alive. */
    unattended?: boolean
    /** Buckets drawn on beside the general one. */
    buckets?: readonly ('scores' | 'inbound')[]
    /** Requests per minute of one address without credentials; 60 unless told. */
    address_per_minute?: number
    /** Draws on no bucket at all (health checks, static files). */
    unlimited?: boolean
  }
}

export type Access = { identifier: Identifier; limiter: Limiter; meter: UsageMeter }

export function installGuard(server: Server, context: Context): Access {
  const identifier = createIdentifier(context)
  const readers = { identify: identifier.identify, readSession: createSessionReader(context) }
  const limiter = createLimiter(context.db, context.clock)
  const meter = createUsageMeter(context)
  const underWay = createUnderWay()
  const access = { identifier, limiter, meter }
  server.decorateRequest('identity', null)
  server.decorateRequest('session', null)
  server.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.unlimited) return
    clearTwins(context.config, request, reply)
    const closed = (spec: BucketSpec) => tellClosed(reply, spec, context.clock.now())
    const caller = await findCaller(context, readers, request).catch(closed(addressBucket(request)))
    const buckets = bucketsOf(request, caller)
    if (caller.identity && !caller.session) {
      const { tenant_id, limits } = caller.identity
      underWay.enter(tenant_id, limits.requests, reply.raw)
    }
    await draw(access, reply, caller, buckets, 1).catch(closed(buckets[0]!))
    admit(context, request, caller)
    if (caller.session && isUse(request)) await touchInTime(context, caller.session)
  })
  // A body may come half a minute after its head: a right that its sender lost meanwhile is lost.
  server.addHook('preValidation', async request => {
    if (request.routeOptions.config.unlimited || !WITH_BODY.has(request.method)) return
    admit(context, request, await findCaller(context, readers, request))
  })
  boundUnread(server)
  server.turnsAway = ({ headers }) => {
    if (!underWay.isBusy()) return null
    const tenant_id = tenantNamed(readBearer(headers.authorization))
    const limit = tenant_id === null ? null : underWay.limitOfFull(tenant_id)
    return limit === null ? null : closedHeaders(limit, context.clock.now())
  }
  server.limitHeadersOf = async address =>
    rateHeaders(await limiter.take(RESERVED_TENANT, [strangerBucket(address)], 1))
  return access
}

/** Methods of requests that may carry a body, so that preValidation comes later than the head. */
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Sets who calls, and throws where they may not. */
function admit(context: Context, request: FastifyRequest, { identity, session }: Caller): void {
  if (identity?.suspended && !concernsPerson(request)) {
    throw new ApiError('FORBIDDEN', 'this tenant is suspended')
  }
  request.identity = identity
  request.session = session
  if (session) judgeSession(context, request, session, identity)
  judgeRights(request)
}

/** Whether somebody is there: our pages say in a header what they ask for while nobody is, other sites are not believed. */
function isUse(request: FastifyRequest): boolean {
  const { unattended } = request.routeOptions.config
  return !unattended && request.headers['x-unattended'] === undefined && isFromOwnSite(request)
}

/** Routes about the person alone, which work whatever the state of a tenant. */
function concernsPerson(request: FastifyRequest): boolean {
  const { session } = request.routeOptions.config
  return session === 'optional' || session === 'pending' || session === 'signed_in'
}

type Readers = Pick<Identifier, 'identify'> & {
  readSession(token: string): Promise<Session | null>
}

type Caller = { identity: Identity | null; session: Session | null }

const NOBODY: Caller = { identity: null, session: null }

/** A bearer credential goes before a cookie; routes of the dashboard know cookies only. */
async function findCaller(
  context: Context,
  { identify, readSession }: Readers,
  request: FastifyRequest,
): Promise<Caller> {
  const { scope, session: wanted } = request.routeOptions.config
  if (wanted === undefined && request.headers.authorization !== undefined) {
    const bearer = readBearer(request.headers.authorization)
    return { identity: bearer === null ? null : await identify(bearer), session: null }
  }
  if (wanted === undefined && scope === undefined) return NOBODY
  const token = readSessionCookie(context.config, request)
  const session = token === null ? null : await readSession(token)
  const inside = session?.stage === 'signed_in' && session.active_tenant !== null
  return { session, identity: inside ? await identifySession(context, session) : null }
}

function readBearer(authorization: string | undefined): string | null {
  const match = /^Bearer +([A-Za-z0-9._~+/=-]{1,512})$/i.exec(authorization ?? '')
  return match?.[1] ?? null
}

/** What holds for every use of a session, whichever route it is. */
function judgeSession(
  context: Context,
  request: FastifyRequest,
  session: Session,
  identity: Identity | null,
): void {
  const { session: wanted, fresh } = request.routeOptions.config
  if (wanted === 'optional') return
  requireOwnRequest(context.config, request, session)
  if (wanted === 'pending') return
  if (session.stage !== 'signed_in')
    throw unauthorized('the login still waits for its second factor')
  if (fresh) requireFresh(session, context.clock.now())
  if (wanted === 'signed_in') return
  requireShownTenant(request, session)
  if (!identity) throw new ApiError('FORBIDDEN', 'choose an organization you belong to first')
  if (identity.needs_second_factor) {
    throw secondFactorRequired('set one up')
  }
}

function secondFactorRequired(what: string): ApiError {
  const message = `this organization requires a second factor: ${what}`
  return new ApiError('SECOND_FACTOR_REQUIRED', message)
}

function judgeRights(request: FastifyRequest): void {
  const { scope, also = [], session: wanted } = request.routeOptions.config
  if (wanted === 'optional') return
  if (wanted !== undefined) {
    if (!request.session) throw unauthorized('log in first')
    if (wanted === 'pending' || wanted === 'signed_in' || wanted === 'member') return
    if (!request.identity?.permissions.has(wanted)) {
      throw new ApiError('FORBIDDEN', `your role lacks the right ${wanted}`)
    }
    return
  }
  if (scope === undefined) return
  if (!request.identity) throw unknownBearer(request)
  const { scopes, needs_second_factor } = request.identity
  if (needs_second_factor) throw secondFactorRequired('whoever let this app in has none')
  const needed = [scope, ...also].filter(name => name !== 'any')
  const lacking = needed.find(name => !scopes.has(name))
  if (lacking === undefined) return
  // RFC 6750: by this header libraries tell a token that is too narrow from one that is dead.
  const challenge = `Bearer error="insufficient_scope", scope="${needed.join(' ')}"`
  throw new ApiError('FORBIDDEN', `this credential lacks the scope ${lacking}`, {
    headers: request.session ? {} : { 'www-authenticate': challenge },
  })
}

function unknownBearer({ headers }: FastifyRequest): ApiError {
  return readBearer(headers.authorization) === null
    ? unauthorized('send an API key or access token as "Authorization: Bearer <credential>"')
    : unauthorized(
        'the credential is not valid: unknown, expired or revoked',
        'Bearer error="invalid_token"',
      )
}

const SESSION_PER_MINUTE = 600

function bucketsOf(request: FastifyRequest, { identity, session }: Caller): BucketSpec[] {
  if (session) {
    const bucket = `session:${session.session_id}`
    return [{ bucket, per_minute: SESSION_PER_MINUTE, capacity: SESSION_PER_MINUTE }]
  }
  return identity ? tenantBuckets(request, identity) : [addressBucket(request)]
}

function addressBucket(request: FastifyRequest): BucketSpec {
  const own = request.routeOptions.config.address_per_minute
  if (own === undefined) return strangerBucket(request.ip)
  const bucket = `address:${networkOf(request.ip)}:${request.routeOptions.url}`
  return { bucket, per_minute: own, capacity: own }
}

function strangerBucket(address: string): BucketSpec {
  return { bucket: `address:${networkOf(address)}`, per_minute: 60, capacity: 100 }
}

function tenantBuckets(request: FastifyRequest, { limits }: Identity): BucketSpec[] {
  const specs = [{ bucket: 'requests', per_minute: limits.requests, capacity: limits.burst }]
  for (const bucket of request.routeOptions.config.buckets ?? []) {
    specs.push({ bucket, per_minute: limits[bucket], capacity: limits[bucket] })
  }
  return specs
}

async function draw(
  { limiter, meter }: Access,
  reply: FastifyReply,
  { identity, session }: Caller,
  specs: readonly BucketSpec[],
  cost: number,
): Promise<void> {
  const tenant_id = identity && !session ? identity.tenant_id : RESERVED_TENANT
  const taken = await limiter.take(tenant_id, specs, cost)
  reply.headers(rateHeaders(taken))
  if (taken.admitted) {
    if (tenant_id !== RESERVED_TENANT) meter.count(tenant_id, 'requests', cost)
    return
  }
  const message = `too many requests; try again in ${taken.retry_after} s`
  throw new ApiError('RATE_LIMITED', message, {
    headers: { 'retry-after': String(taken.retry_after) },
  })
}

function rateHeaders({ shown }: Pick<Taken, 'shown'>): Record<string, string> {
  return {
    'x-ratelimit-limit': String(shown.limit),
    'x-ratelimit-remaining': String(shown.remaining),
    'x-ratelimit-reset': String(shown.reset),
  }
}

/** Where the limits cannot be asked, the answer tells of none left for a moment; the failure goes on. */
function tellClosed(reply: FastifyReply, { per_minute: limit }: BucketSpec, now: Instant) {
  return (error: unknown): never => {
    if (!reply.hasHeader('x-ratelimit-limit')) reply.headers(closedHeaders(limit, now))
    throw error
  }
}

function closedHeaders(limit: number, now: Instant): Record<string, string> {
  return rateHeaders({ shown: { limit, remaining: 0, reset: Math.ceil(now / 1000) + 1 } })
}

/**
 * Draws further requests, for calls that count as several; where they are refused the first one is given
 * back, because a call is taken as a whole or not at all.
 */
export async function drawMore(
  access: Access,
  request: FastifyRequest,
  reply: FastifyReply,
  cost: number,
): Promise<void> {
  if (cost <= 0) return
  const caller = { identity: identityOf(request), session: request.session }
  const specs = bucketsOf(request, caller)
  await draw(access, reply, caller, specs, cost).catch(async error => {
    await draw(access, reply, caller, specs, -1)
    throw error
  })
}
