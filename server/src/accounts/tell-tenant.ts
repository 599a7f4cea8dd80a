// What happens to a person's account is audited with the change, under the reserved tenant, and told to the tenant.
import { type AuditedChange, recordAudit } from '../audit/record-audit.ts'
import type { Origin } from '../platform/actor.ts'
import type { Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT, type Tx } from '../platform/database.ts'

export async function auditPerson(
  tx: Tx,
  now: Instant,
  origin: Origin,
  change: AuditedChange,
): Promise<void> {
  await recordAudit(tx, RESERVED_TENANT, now, origin, [change])
}

/** The copy in the log that the tenant's owner reads; a second transaction, since no two tenants share one. */
export async function tellTenant(
  context: Context,
  tenant_id: string | null,
  origin: Origin,
  change: AuditedChange,
): Promise<void> {
  if (tenant_id === null) return
  const now = context.clock.now()
  await context.db.inTenant(tenant_id, tx => recordAudit(tx, tenant_id, now, origin, [change]))
}
