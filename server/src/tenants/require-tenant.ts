// A tenant that must be there; that it is not is said in the same words everywhere.
import type { Tx } from '../platform/database.ts'
import { type ApiError, notFound } from '../platform/errors.ts'
import { type FoundTenant, findTenant } from './tenants.queries.ts'

export function noSuchTenant(tenant_id: string): ApiError {
  return notFound(`tenant: ${tenant_id}`)
}

export async function requireTenant(tx: Tx, tenant_id: string): Promise<FoundTenant> {
  const tenant = await findTenant(tx, tenant_id)
  if (!tenant) throw noSuchTenant(tenant_id)
  return tenant
}
