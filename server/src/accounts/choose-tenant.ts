// Which of a person's organizations a session works in. Whoever comes in by a switch is told like one who logs in.
import type { Context } from '../platform/context.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { notFound } from '../platform/errors.ts'
import type { Session, Visit } from './identity.ts'
import { listTenantsOf } from './list-tenants.ts'
import { personOrigin } from './log-in.ts'
import { setActiveTenant } from './sessions.queries.ts'
import { tellTenantSurely } from './tell-later.ts'
import { auditPerson } from './tell-tenant.ts'
import { findUser } from './users.queries.ts'

export async function chooseTenant(
  context: Context,
  visit: Visit,
  { session_id, user_id, active_tenant }: Session,
  tenant_id: string,
): Promise<void> {
  const user = await context.db.inTenant(RESERVED_TENANT, tx => findUser(tx, user_id))
  const tenants = user ? await listTenantsOf(context, user) : []
  if (!tenants.some(one => one.tenant_id === tenant_id)) throw notFound('organization')
  if (tenant_id === active_tenant) return
  const now = context.clock.now()
  const origin = personOrigin(visit, user_id)
  // Invariant: where the person was before is not for the tenant they come to.
  const change = {
    action: 'session.entered',
    subject_kind: 'session',
    subject_id: session_id,
    after: { tenant_id },
  }
  await context.db.inTenant(RESERVED_TENANT, async tx => {
    await setActiveTenant(tx, session_id, tenant_id)
    await auditPerson(tx, now, origin, change)
  })
  await tellTenantSurely(context, tenant_id, origin, change)
}
