// All SQL of tenants, their scoring settings and their band edges.
import type { BandEdges, ScoringSettings } from '../../../scoring/settings.ts'
import type { Tx } from '../platform/database.ts'
import type { LimitOverrides, Plan } from './plans.ts'

export type Tenant = {
  tenant_id: string
  name: string
  plan: Plan
  limits: LimitOverrides
  status: 'active' | 'suspended' | 'deleting'
  retention_months: number
  rules_version: number
  /** 0 until an action policy is switched on for the first time. */
  policies_version: number
  settings_version: number
  edges_version: number
  clean_streak_days: number
  clean_streak_changed_at: Date | null
  created_at: Date
}

export async function insertTenant(tx: Tx, tenant: Tenant): Promise<void> {
  const { limits, ...row } = tenant
  await tx`INSERT INTO tenants (tenant_id, name, plan, limits, status, retention_months, rules_version,
      policies_version, settings_version, edges_version, clean_streak_days, clean_streak_changed_at, created_at)
    VALUES (${row.tenant_id}, ${row.name}, ${row.plan}, ${tx.json(limits)}, ${row.status},
      ${row.retention_months}, ${row.rules_version}, ${row.policies_version}, ${row.settings_version},
      ${row.edges_version},
      ${row.clean_streak_days}, ${row.clean_streak_changed_at}, ${row.created_at})`
}

/** Whoever changes events dated before `closing_to` marks them as changed. */
export type FoundTenant = Tenant & { closing_to: Date | null }

export async function findTenant(tx: Tx, tenant_id: string): Promise<FoundTenant | undefined> {
  const [row] = await tx<FoundTenant[]>`
    SELECT tenant_id, name, plan, limits, status, retention_months, rules_version, policies_version,
      settings_version, edges_version, clean_streak_days, clean_streak_changed_at, created_at, closing_to
    FROM tenants WHERE tenant_id = ${tenant_id}`
  return row
}

/** The row is the lock of what an operator changes; events read it without waiting. */
export async function lockTenant(tx: Tx, tenant_id: string): Promise<Tenant | undefined> {
  const [row] = await tx<Tenant[]>`
    SELECT tenant_id, name, plan, limits, status, retention_months, rules_version, policies_version,
      settings_version, edges_version, clean_streak_days, clean_streak_changed_at, created_at
    FROM tenants WHERE tenant_id = ${tenant_id} FOR UPDATE`
  return row
}

/** Ids alone: what a tenant is, only the tenant itself shows. */
export async function listTenants(
  tx: Tx,
  limit: number,
  offset: number,
): Promise<Pick<Tenant, 'tenant_id'>[]> {
  return tx<Pick<Tenant, 'tenant_id'>[]>`
    SELECT tenant_id FROM tenants ORDER BY tenant_id LIMIT ${limit} OFFSET ${offset}`
}

/** Those of the ids that are of a tenant. */
export async function listThose(
  tx: Tx,
  tenant_ids: readonly string[],
): Promise<Pick<Tenant, 'tenant_id'>[]> {
  return tx<Pick<Tenant, 'tenant_id'>[]>`
    SELECT tenant_id FROM tenants WHERE tenant_id = ANY(${tenant_ids as string[]}::text[])`
}

export async function countTenants(tx: Tx): Promise<number> {
  const [row] = await tx<{ n: number }[]>`SELECT count(*) AS n FROM tenants`
  return row?.n ?? 0
}

export async function updateTenant(
  tx: Tx,
  tenant_id: string,
  change: { plan: Plan; limits: LimitOverrides; status: string },
): Promise<void> {
  await tx`UPDATE tenants SET plan = ${change.plan}, limits = ${tx.json(change.limits)}, status = ${change.status}
    WHERE tenant_id = ${tenant_id}`
}

/** Which versions of settings and edges are in force, and the streak period, which has none. */
export async function updateScoring(
  tx: Tx,
  tenant_id: string,
  change: Pick<
    Tenant,
    'settings_version' | 'edges_version' | 'clean_streak_days' | 'clean_streak_changed_at'
  >,
): Promise<void> {
  await tx`UPDATE tenants SET settings_version = ${change.settings_version},
      edges_version = ${change.edges_version}, clean_streak_days = ${change.clean_streak_days},
      clean_streak_changed_at = ${change.clean_streak_changed_at}
    WHERE tenant_id = ${tenant_id}`
}

/** A change of settings waits for its holders: nobody new is added under settings just replaced. */
export async function holdSettings(tx: Tx, tenant_id: string): Promise<void> {
  await tx`SELECT 1 FROM tenants WHERE tenant_id = ${tenant_id} FOR KEY SHARE`
}

export async function updateRetention(
  tx: Tx,
  tenant_id: string,
  retention_months: number,
): Promise<void> {
  await tx`UPDATE tenants SET retention_months = ${retention_months} WHERE tenant_id = ${tenant_id}`
}

export async function deleteRows(
  tx: Tx,
  tenant_id: string,
  table: string,
  limit: number,
): Promise<number> {
  return tx`DELETE FROM ${tx(table)} WHERE tenant_id = ${tenant_id} AND ctid = ANY(ARRAY(
    SELECT ctid FROM ${tx(table)} WHERE tenant_id = ${tenant_id} LIMIT ${limit}))`.changes()
}

/** The transactions of clients that are under way in this database, without the one that asks. */
export async function listUnderWay(tx: Tx): Promise<string[]> {
  const rows = await tx<{ transaction: string }[]>`
    SELECT l.virtualtransaction AS transaction FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'virtualxid' AND l.virtualxid = l.virtualtransaction AND l.pid <> pg_backend_pid()
      AND a.datname = current_database() AND a.usename IS NOT NULL`
  return rows.map(row => row.transaction)
}

export async function deleteTenantRow(tx: Tx, tenant_id: string): Promise<void> {
  await tx`DELETE FROM tenants WHERE tenant_id = ${tenant_id}`
}

export async function insertSettings(
  tx: Tx,
  tenant_id: string,
  settings_version: number,
  settings: ScoringSettings,
  at: Date,
): Promise<void> {
  await tx`INSERT INTO scoring_settings
      (tenant_id, settings_version, starting_score, half_life_days, recovery_cap, valid_from)
    VALUES (${tenant_id}, ${settings_version}, ${settings.starting_score}, ${settings.half_life_days},
      ${settings.recovery_cap}, ${at})`
}

export async function insertEdges(
  tx: Tx,
  tenant_id: string,
  edges_version: number,
  edges: BandEdges,
  at: Date,
): Promise<void> {
  await tx`INSERT INTO band_edges (tenant_id, edges_version, green, yellow, orange, red, valid_from)
    VALUES (${tenant_id}, ${edges_version}, ${edges.green}, ${edges.yellow}, ${edges.orange}, ${edges.red}, ${at})`
}

export type SettingsRow = ScoringSettings & { settings_version: number; valid_from: Date }
export type EdgesRow = BandEdges & { edges_version: number; valid_from: Date }

export async function listSettings(tx: Tx, tenant_id: string): Promise<SettingsRow[]> {
  return tx<SettingsRow[]>`
    SELECT settings_version, starting_score, half_life_days, recovery_cap, valid_from
    FROM scoring_settings WHERE tenant_id = ${tenant_id} ORDER BY settings_version`
}

export async function listEdges(tx: Tx, tenant_id: string): Promise<EdgesRow[]> {
  return tx<EdgesRow[]>`
    SELECT edges_version, green, yellow, orange, red, valid_from
    FROM band_edges WHERE tenant_id = ${tenant_id} ORDER BY edges_version`
}
