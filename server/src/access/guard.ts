// The gate of every request: who is it, may they, and is there a token left; in that order, before the body.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Origin } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { ApiError } from '../platform/errors.ts'
import type { Server } from '../platform/http.ts'
import type { Scope } from '../tenants/scopes.ts'
import { createIdentifier, type Identifier, type Identity } from './identify.ts'
import { createLimiter, type Limiter, type Taken } from './take-tokens.ts'
import type { BucketSpec } from './token-bucket.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that declares a scope. */
    identity: Identity | null
  }
  interface FastifyContextConfig {
    /** The scope a caller needs; `any` = any valid credential; absent = no credential. */
    scope?: Scope | 'any'
    /** Buckets drawn on beside the general one. */
    buckets?: readonly ('scores' | 'inbound')[]
    /** Draws on no bucket at all (health checks, static files). */
    unlimited?: boolean
  }
}

export type Access = { identifier: Identifier; limiter: Limiter }

export function installGuard(server: Server, context: Context): Access {
  const identifier = createIdentifier(context)
  const limiter = createLimiter(context.db, context.clock)
  server.decorateRequest('identity', null)
  server.addHook('onRequest', async (request, reply) => {
    const { scope, unlimited } = request.routeOptions.config
    if (unlimited) return
    const bearer = readBearer(request)
    const identity = bearer === null ? null : await identifier.identify(bearer)
    if (!identity) {
      await draw(limiter, reply, RESERVED_TENANT, [addressBucket(request)], 1)
      if (scope !== undefined) throw unauthorized(bearer)
      return
    }
    await draw(limiter, reply, identity.tenant_id, bucketsOf(request, identity), 1)
    if (identity.suspended) throw new ApiError('FORBIDDEN', 'this tenant is suspended')
    request.identity = identity
    if (scope !== undefined && scope !== 'any' && !identity.scopes.has(scope)) {
      throw new ApiError('FORBIDDEN', `this credential lacks the scope ${scope}`)
    }
  })
  return { identifier, limiter }
}

function readBearer(request: FastifyRequest): string | null {
  const match = /^Bearer ([A-Za-z0-9._~+/=-]{1,512})$/i.exec(request.headers.authorization ?? '')
  return match?.[1] ?? null
}

function unauthorized(bearer: string | null): ApiError {
  const message =
    bearer === null
      ? 'send an API key or access token as "Authorization: Bearer <credential>"'
      : 'the credential is not valid: unknown, expired or revoked'
  return new ApiError('UNAUTHORIZED', message, { headers: { 'www-authenticate': 'Bearer' } })
}

function addressBucket(request: FastifyRequest): BucketSpec {
  return { bucket: `address:${request.ip}`, per_minute: 60, capacity: 100 }
}

function bucketsOf(request: FastifyRequest, { limits }: Identity): BucketSpec[] {
  const specs = [{ bucket: 'requests', per_minute: limits.requests, capacity: limits.burst }]
  for (const bucket of request.routeOptions.config.buckets ?? []) {
    specs.push({ bucket, per_minute: limits[bucket], capacity: limits[bucket] })
  }
  return specs
}

async function draw(
  limiter: Limiter,
  reply: FastifyReply,
  tenant_id: string,
  specs: readonly BucketSpec[],
  cost: number,
): Promise<void> {
  const taken = await limiter.take(tenant_id, specs, cost)
  reply.headers(rateHeaders(taken))
  if (taken.admitted) return
  const message = `too many requests; try again in ${taken.retry_after} s`
  throw new ApiError('RATE_LIMITED', message, {
    headers: { 'retry-after': String(taken.retry_after) },
  })
}

function rateHeaders({ shown }: Taken): Record<string, string> {
  return {
    'x-ratelimit-limit': String(shown.limit),
    'x-ratelimit-remaining': String(shown.remaining),
    'x-ratelimit-reset': String(shown.reset),
  }
}

/** Draws further requests from the general bucket, for calls that count as several. */
export async function drawMore(
  access: Access,
  request: FastifyRequest,
  reply: FastifyReply,
  cost: number,
): Promise<void> {
  const identity = identityOf(request)
  if (cost > 0) {
    await draw(access.limiter, reply, identity.tenant_id, bucketsOf(request, identity), cost)
  }
}

/** The caller of a route that declares a scope. */
export function identityOf(request: FastifyRequest): Identity {
  if (!request.identity) throw unauthorized(null)
  return request.identity
}

export function originOf(request: FastifyRequest): Origin {
  return { actor: identityOf(request).actor, request_id: request.id, address: request.ip }
}
