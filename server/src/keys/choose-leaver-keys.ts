// Whether API keys are revoked when whoever made them leaves the organization; off unless chosen.
import type { Asked } from '../accounts/identity.ts'
import { requireStill } from '../accounts/require-still.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { revokesKeysOfLeavers, saveRevokesKeys } from '../endings/endings.queries.ts'
import type { Tx } from '../platform/database.ts'
import { noSuchTenant } from '../tenants/require-tenant.ts'
import { lockTenant } from '../tenants/tenants.queries.ts'

/** It holds for whoever leaves from now on. */
export async function chooseLeaverKeys(
  tx: Tx,
  { tenant_id, origin, now }: Asked,
  revoke_keys_of_leavers: boolean,
): Promise<void> {
  await requireStill(tx, tenant_id, origin, 'settings:manage')
  if (!(await lockTenant(tx, tenant_id))) throw noSuchTenant(tenant_id)
  const before = { revoke_keys_of_leavers: await revokesKeysOfLeavers(tx, tenant_id) }
  if (before.revoke_keys_of_leavers === revoke_keys_of_leavers) return
  await saveRevokesKeys(tx, tenant_id, revoke_keys_of_leavers)
  const subject = { subject_kind: 'tenant', subject_id: tenant_id }
  const after = { revoke_keys_of_leavers }
  await recordAudit(tx, tenant_id, now, origin, [
    { action: 'tenant.settings_changed', ...subject, before, after },
  ])
}
