// What a tenant's scores are computed with, read inside the transaction that uses it.
import type { BandEdges, ScoringSettings } from '../../../scoring/settings.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { requireTenant } from './require-tenant.ts'
import { listEdges, listSettings } from './tenants.queries.ts'

export type ScoringBasis = {
  readonly rules_version: number
  readonly policies_version: number
  readonly settings_version: number
  readonly edges_version: number
  readonly edges: BandEdges
  readonly clean_streak_days: number
  readonly clean_streak_changed_at: Instant | null
  readonly retention_months: number
  /** Events dated before it are in blocks of time, or soon will be: whoever changes them marks the blocks. */
  readonly closing_to: Instant | null
  /** The settings of a version; an employee keeps theirs until recalculated. */
  settingsOf(version: number): ScoringSettings
  /** The edges of a version; a recorded score keeps those it was placed by. */
  edgesOf(version: number): BandEdges
}

/** Versions never change once written, so what was read stays true. */
type Known = { settings: Map<number, ScoringSettings>; edges: Map<number, BandEdges> }
const known = new Map<string, Known>()
const MOST_TENANTS = 5000

export async function readScoringBasis(tx: Tx, tenant_id: string): Promise<ScoringBasis> {
  const tenant = await requireTenant(tx, tenant_id)
  const { settings_version, edges_version } = tenant
  let cached = known.get(tenant_id)
  if (!cached?.settings.has(settings_version) || !cached.edges.has(edges_version)) {
    cached = await load(tx, tenant_id)
  }
  const { settings, edges } = cached
  return {
    rules_version: tenant.rules_version,
    policies_version: tenant.policies_version,
    settings_version,
    edges_version,
    edges: edges.get(edges_version)!,
    clean_streak_days: tenant.clean_streak_days,
    clean_streak_changed_at: tenant.clean_streak_changed_at?.getTime() ?? null,
    retention_months: tenant.retention_months,
    closing_to: tenant.closing_to?.getTime() ?? null,
    settingsOf: version => settings.get(version)!,
    edgesOf: version => edges.get(version)!,
  }
}

async function load(tx: Tx, tenant_id: string): Promise<Known> {
  const [settings, edges] = await Promise.all([
    listSettings(tx, tenant_id),
    listEdges(tx, tenant_id),
  ])
  const fresh = {
    settings: new Map(settings.map(row => [row.settings_version, row])),
    edges: new Map(edges.map(row => [row.edges_version, row])),
  }
  if (known.size >= MOST_TENANTS) known.clear()
  known.set(tenant_id, fresh)
  return fresh
}
