// What an operator changes about a tenant: plan, limits and whether it is served.
import { isDeepStrictEqual } from 'node:util'
import type { Asked } from './accounts/identity.ts'
import { requireStill } from './accounts/require-still.ts'
import { recordAudit } from './audit/record-audit.ts'
import { RESERVED_TENANT, type Tx } from './platform/database.ts'
import { conflict } from './platform/errors.ts'
import { type LimitOverrides, limitsOf, type Plan } from './tenants/plans.ts'
import { noSuchTenant } from './tenants/require-tenant.ts'
import { RETENTION_MONTHS } from './tenants/retention.ts'
import {
  lockTenant,
  type Tenant,
  updateRetention,
  updateTenant,
} from './tenants/tenants.queries.ts'

export type TenantChange = {
  plan?: Plan
  limits?: LimitOverrides
  status?: 'active' | 'suspended'
}

export async function changeTenant(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  change: TenantChange,
) {
  const before = await findOrRefuse(tx, tenant_id)
  const after = { ...before, ...change, limits: { ...before.limits, ...change.limits } }
  checkChange(before, after, change)
  if (isDeepStrictEqual(changeable(before), changeable(after))) return view(after)
  await updateTenant(tx, tenant_id, after)
  await recordAudit(tx, tenant_id, now, origin, [
    {
      action: 'tenant.changed',
      subject_kind: 'tenant',
      subject_id: tenant_id,
      before: changeable(before),
      after: changeable(after),
    },
  ])
  return view(after)
}

/** What is now too old is removed by the worker; what was removed does not come back. */
export async function changeRetention(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  retention_months: number,
) {
  const { least, most } = RETENTION_MONTHS
  const fits = Number.isInteger(retention_months)
  if (!fits || retention_months < least || retention_months > most) {
    throw conflict(`events are kept ${least} to ${most} months`)
  }
  await requireStill(tx, tenant_id, origin, 'tenant:manage')
  const before = await findOrRefuse(tx, tenant_id)
  const after = { tenant_id, name: before.name, retention_months }
  if (retention_months === before.retention_months) return after
  await updateRetention(tx, tenant_id, retention_months)
  await recordAudit(tx, tenant_id, now, origin, [
    {
      action: 'tenant.retention_changed',
      subject_kind: 'tenant',
      subject_id: tenant_id,
      before: { retention_months: before.retention_months },
      after: { retention_months },
    },
  ])
  return after
}

export async function showTenant(tx: Tx, { tenant_id }: Asked) {
  return view(await findOrRefuse(tx, tenant_id))
}

export async function findOrRefuse(tx: Tx, tenant_id: string): Promise<Tenant> {
  const tenant = await lockTenant(tx, tenant_id)
  if (!tenant || tenant_id === RESERVED_TENANT) throw noSuchTenant(tenant_id)
  return tenant
}

/** A batch of 1,000 draws ten requests at once; with less it would be refused for ever. */
const LEAST_BURST = 10

function checkChange(before: Tenant, after: Tenant, { limits }: TenantChange): void {
  if (before.status === 'deleting') throw conflict('this tenant is being deleted')
  if (limits && after.plan !== 'enterprise') {
    throw conflict(`limits can be set on the enterprise plan only; this tenant is on ${after.plan}`)
  }
  const { requests, burst } = limitsOf(after.plan, after.limits)
  // Invariant: the burst is the bucket's capacity, so it holds at least one minute's requests.
  if (burst < requests) {
    throw conflict(`burst (${burst}) must be at least requests (${requests}); set both`)
  }
  if (burst < LEAST_BURST) {
    throw conflict(`burst (${burst}) must be at least ${LEAST_BURST}, which a full batch draws`)
  }
}

function changeable({ plan, limits, status }: Tenant) {
  return { plan, limits, status }
}

function view({ tenant_id, name, plan, status, limits }: Tenant) {
  const { recalculation_window_ms, ...inForce } = limitsOf(plan, limits)
  return {
    tenant_id,
    name,
    plan,
    status,
    ...inForce,
    recalculation_window_hours: recalculation_window_ms / 3_600_000,
  }
}
