// For routes of the dashboard that stand behind a scope of the API rather than a right of their own.
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../platform/errors.ts'
import type { Scope } from '../tenants/scopes.ts'
import { type Identity, identityOf } from './identity.ts'

export function requireScope(request: FastifyRequest, scope: Scope): Identity {
  const identity = identityOf(request)
  if (identity.scopes.has(scope)) return identity
  throw new ApiError('FORBIDDEN', `your role lacks the scope ${scope}`)
}
