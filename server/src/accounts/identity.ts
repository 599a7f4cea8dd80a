// Who calls: set on the request by the gate, read by every handler.
import type { FastifyRequest } from 'fastify'
import { type Actor, type Origin, operatorOrigin } from '../platform/actor.ts'
import { clientAddress } from '../platform/client-address.ts'
import type { Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { ApiError } from '../platform/errors.ts'
import type { Limits, Plan } from '../tenants/plans.ts'
import type { Scope } from '../tenants/scopes.ts'
import type { Permission, Role } from './roles.ts'
import type { Stage } from './sessions.queries.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that declares a scope or a right of the dashboard. */
    identity: Identity | null
    /** The dashboard session of the request, whatever its stage; null for keys and tokens. */
    session: Session | null
  }
}

/** A credential acting for one tenant: an API key, an access token, or a session in its active tenant. */
export type Identity = {
  readonly tenant_id: string
  readonly tenant_name: string
  readonly plan: Plan
  readonly limits: Limits
  readonly suspended: boolean
  readonly scopes: ReadonlySet<Scope>
  readonly actor: Actor
  /** Rights of the dashboard; empty for keys and tokens. */
  readonly permissions: ReadonlySet<Permission>
  readonly role: Role | null
  /** The tenant asks for a second factor that this person, or the one behind the token, has not set up. */
  readonly needs_second_factor: boolean
}

export type Session = {
  readonly session_id: string
  readonly user_id: string
  readonly email: string
  readonly stage: Stage
  readonly active_tenant: string | null
  readonly csrf_token: string
  readonly authenticated_at: Instant
  readonly created_at: Instant
  readonly last_seen_at: Instant
  readonly expires_at: Instant
  readonly has_second_factor: boolean
}

export function unauthorized(message: string, challenge = 'Bearer'): ApiError {
  return new ApiError('UNAUTHORIZED', message, { headers: { 'www-authenticate': challenge } })
}

/** The caller of a route that declares a scope. */
export function identityOf(request: FastifyRequest): Identity {
  if (!request.identity) throw unauthorized('send an API key or access token')
  return request.identity
}

export function originOf(request: FastifyRequest): Origin {
  return originBy(request, identityOf(request).actor)
}

export function originBy(request: FastifyRequest, actor: Actor): Origin {
  return { actor, request_id: request.id, address: clientAddress(request.ip) }
}

/** What is asked for: for which tenant, by whom, and when. */
export type Asked = {
  readonly tenant_id: string
  readonly origin: Origin
  readonly now: Instant
}

/** What the operator asks for: by a command, so without a request. */
export function askAsOperator(tenant_id: string, now: Instant): Asked {
  return { tenant_id, origin: operatorOrigin(), now }
}

function askedBy({ clock }: Context, request: FastifyRequest): Asked {
  const { tenant_id } = identityOf(request)
  return { tenant_id, origin: originOf(request), now: clock.now() }
}

/** What is done in one transaction, for whoever asks; `given` is what they ask with. */
type Operation<T, Given extends unknown[]> = (tx: Tx, asked: Asked, ...given: Given) => Promise<T>

/** One transaction of the caller's tenant. */
export function inTenantOf<T, Given extends unknown[]>(
  context: Context,
  request: FastifyRequest,
  work: Operation<T, Given>,
  ...given: Given
): Promise<T> {
  const { tenant_id } = identityOf(request)
  return context.db.inTenant(tenant_id, tx => work(tx, askedBy(context, request), ...given))
}

/** A still picture of the caller's tenant. */
export function readTenantOf<T>(
  context: Context,
  request: FastifyRequest,
  work: Operation<T, []>,
): Promise<T> {
  const { tenant_id } = identityOf(request)
  return context.db.readTenant(tenant_id, tx => work(tx, askedBy(context, request)))
}

/** One transaction of a tenant, in which the operator asks. */
export function asOperator<T, Given extends unknown[]>(
  { db, clock }: Context,
  tenant_id: string,
  work: Operation<T, Given>,
  ...given: Given
): Promise<T> {
  return db.inTenant(tenant_id, tx => work(tx, askAsOperator(tenant_id, clock.now()), ...given))
}

/** The session of a route that asks for one. */
export function sessionOf(request: FastifyRequest): Session {
  if (!request.session) throw unauthorized('log in first')
  return request.session
}

export function personOf(request: FastifyRequest): Origin {
  return originBy(request, { kind: 'user', id: sessionOf(request).user_id })
}

/** Where a request comes from while nobody is known yet. */
export type Visit = {
  readonly address: string
  readonly request_id: string
  readonly device: string
  readonly cookies: string
}

export function visitOf(request: FastifyRequest): Visit {
  const device = (request.headers['user-agent'] ?? '').slice(0, 200)
  const cookies = request.headers.cookie ?? ''
  return { address: clientAddress(request.ip), request_id: request.id, device, cookies }
}
