// A new tenant with everything it starts with: settings, band edges, the default rules and policies.
import {
  DEFAULT_CLEAN_STREAK_DAYS,
  DEFAULT_EDGES,
  DEFAULT_SETTINGS,
} from '../../scoring/settings.ts'
import { addDefaultPolicies } from './actions/default-policies.ts'
import { recordAudit } from './audit/record-audit.ts'
import type { Origin } from './platform/actor.ts'
import type { Context } from './platform/context.ts'
import { newId } from './platform/ids.ts'
import { addDefaultRules } from './rules/default-rules.ts'
import type { Plan } from './tenants/plans.ts'
import { RETENTION_MONTHS } from './tenants/retention.ts'
import { insertEdges, insertSettings, insertTenant } from './tenants/tenants.queries.ts'

export async function openTenant(
  context: Context,
  origin: Origin,
  { name, plan }: { name: string; plan: Plan },
) {
  const now = context.clock.now()
  const at = new Date(now)
  const tenant_id = newId('ten', now)
  await context.db.inTenant(tenant_id, async tx => {
    await insertTenant(tx, {
      tenant_id,
      name,
      plan,
      limits: {},
      status: 'active',
      retention_months: RETENTION_MONTHS.usual,
      rules_version: 1,
      policies_version: 0,
      settings_version: 1,
      edges_version: 1,
      clean_streak_days: DEFAULT_CLEAN_STREAK_DAYS,
      clean_streak_changed_at: null,
      created_at: at,
    })
    await insertSettings(tx, tenant_id, 1, DEFAULT_SETTINGS, at)
    await insertEdges(tx, tenant_id, 1, DEFAULT_EDGES, at)
    await addDefaultRules(tx, tenant_id, now)
    await addDefaultPolicies(tx, tenant_id, now)
    await recordAudit(tx, tenant_id, now, origin, [
      {
        action: 'tenant.created',
        subject_kind: 'tenant',
        subject_id: tenant_id,
        after: { name, plan },
      },
    ])
  })
  return { tenant_id, name, plan }
}
