// Changes how a tenant's scores are computed: what is new gets a version, the past keeps its own.
import {
  type BandEdges,
  edgesFaults,
  type ScoringSettings,
  settingsFaults,
} from '../../../scoring/settings.ts'
import type { Instant } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { invalid, notFound } from '../platform/errors.ts'
import {
  insertEdges,
  insertSettings,
  listEdges,
  listSettings,
  lockTenant,
  type Tenant,
  updateScoring,
} from './tenants.queries.ts'

/** Everything a tenant can set about scoring. */
export type TenantSettings = ScoringSettings & { clean_streak_days: number } & BandEdges

export type SettingsChange = Partial<TenantSettings>

export async function readSettings(tx: Tx, tenant: Tenant): Promise<TenantSettings> {
  const { tenant_id, settings_version, edges_version, clean_streak_days } = tenant
  const [settings, edges] = await Promise.all([
    listSettings(tx, tenant_id),
    listEdges(tx, tenant_id),
  ])
  const scoring = settings.find(row => row.settings_version === settings_version)!
  const { starting_score, half_life_days, recovery_cap } = scoring
  const { green, yellow, orange, red } = edges.find(row => row.edges_version === edges_version)!
  return {
    starting_score,
    half_life_days,
    recovery_cap,
    clean_streak_days,
    green,
    yellow,
    orange,
    red,
  }
}

/** Returns the settings before and after, or null where nothing changes. */
export async function changeSettings(
  tx: Tx,
  tenant_id: string,
  now: Instant,
  change: SettingsChange,
): Promise<{ before: TenantSettings; after: TenantSettings } | null> {
  const tenant = await lockTenant(tx, tenant_id)
  if (!tenant) throw notFound(`tenant: ${tenant_id}`)
  const before = await readSettings(tx, tenant)
  const after = { ...before, ...change }
  const faults = [...settingsFaults(after), ...edgesFaults(after)]
  if (faults.length > 0) throw invalid(faults)
  const differs = (...names: (keyof TenantSettings)[]) =>
    names.some(name => before[name] !== after[name])
  const settings = differs('starting_score', 'half_life_days', 'recovery_cap')
  const edges = differs('green', 'yellow', 'orange', 'red')
  const streak = differs('clean_streak_days')
  if (!settings && !edges && !streak) return null
  const versions = {
    settings_version: tenant.settings_version + (settings ? 1 : 0),
    edges_version: tenant.edges_version + (edges ? 1 : 0),
    clean_streak_days: after.clean_streak_days,
    clean_streak_changed_at: streak ? new Date(now) : tenant.clean_streak_changed_at,
  }
  const at = new Date(now)
  if (settings) await insertSettings(tx, tenant_id, versions.settings_version, after, at)
  if (edges) await insertEdges(tx, tenant_id, versions.edges_version, after, at)
  await updateScoring(tx, tenant_id, versions)
  return { before, after }
}
