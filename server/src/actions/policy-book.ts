// The compiled policies of a tenant, kept in memory and checked against their version in the asking transaction.
import type { Tx } from '../platform/database.ts'
import { listPolicies } from './policies.queries.ts'
import { compilePolicies, type PolicyBook } from './policy.ts'

type Kept = { policies_version: number; book: PolicyBook }
const kept = new Map<string, Kept>()
const MOST_TENANTS = 2000

/** Invariant: `policies_version` was read in this same transaction, before the policies. */
export async function readPolicyBook(
  tx: Tx,
  tenant_id: string,
  policies_version: number,
): Promise<PolicyBook> {
  const known = kept.get(tenant_id)
  if (known?.policies_version === policies_version) return known.book
  const rows = await listPolicies(tx, tenant_id)
  const book = compilePolicies(rows.filter(row => row.status === 'active'))
  if (!known || known.policies_version < policies_version) {
    if (kept.size >= MOST_TENANTS) kept.clear()
    kept.set(tenant_id, { policies_version, book })
  }
  return book
}
