// The compiled rules of a tenant, kept in memory and checked against their version in the asking transaction.
import { compileRules, type RuleBook } from '../../../scoring/rules.ts'
import type { Tx } from '../platform/database.ts'
import { listActiveRules } from './rules.queries.ts'

type Kept = { readonly rules_version: number; readonly book: RuleBook }
const kept = new Map<string, Kept>()
const MOST_TENANTS = 2000

/** As this process last saw them; whether they are in force the version tells. */
export function lastRuleBook(tenant_id: string): Kept | undefined {
  return kept.get(tenant_id)
}

/**
 * Invariant: `rules_version` was read in this same transaction. Rules that change between the two
 * reads are kept under the older version, so the next reader of the newer one loads them again.
 */
export async function readRuleBook(
  tx: Tx,
  tenant_id: string,
  rules_version: number,
): Promise<RuleBook> {
  const known = kept.get(tenant_id)
  if (known?.rules_version === rules_version) return known.book
  const rows = await listActiveRules(tx, tenant_id)
  const book = compileRules(rows.map(row => ({ ...row, created_at: row.created_at.getTime() })))
  // A transaction that began long ago must not put its older rules in place of newer ones.
  if (!known || known.rules_version < rules_version) {
    if (kept.size >= MOST_TENANTS) kept.clear()
    kept.set(tenant_id, { rules_version, book })
  }
  return book
}
