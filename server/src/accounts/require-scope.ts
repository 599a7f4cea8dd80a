// The scopes a person's role holds: for routes of the dashboard that stand behind one, and for giving them on.
import type { FastifyRequest } from 'fastify'
import { ApiError, invalid } from '../platform/errors.ts'
import type { Scope } from '../tenants/scopes.ts'
import { type Identity, identityOf } from './identity.ts'

export function requireScope(request: FastifyRequest, scope: Scope): Identity {
  const identity = identityOf(request)
  if (identity.scopes.has(scope)) return identity
  throw new ApiError('FORBIDDEN', `your role lacks the scope ${scope}`)
}

/** Nobody gives a key or an app more than their own role holds. */
export function requireOwnScopes({ scopes: own }: Identity, scopes: readonly Scope[] = []): void {
  const beyond = scopes.find(scope => !own.has(scope))
  if (beyond) throw invalid([{ path: 'scopes', message: `your role does not hold ${beyond}` }])
}
