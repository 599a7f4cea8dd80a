// Deletes a tenant for good: first its keys stop, then its rows go in small pieces, then the tenant itself.
import { recordAudit } from './audit/record-audit.ts'
import { findOrRefuse } from './manage-tenants.ts'
import type { Origin } from './platform/actor.ts'
import type { Context } from './platform/context.ts'
import { RESERVED_TENANT } from './platform/database.ts'
import { conflict } from './platform/errors.ts'
import {
  deleteRows,
  deleteTenantRow,
  listTenantTables,
  updateTenant,
} from './tenants/tenants.queries.ts'

/** Rows of one transaction, so that deleting a large tenant holds no lock for long. */
const CHUNK = 10_000

export type Report = (line: string) => void

/** May be run again after it was interrupted. */
export async function deleteTenant(
  context: Context,
  tenant_id: string,
  origin: Origin,
  confirmed_name: string,
  report: Report,
) {
  const { name } = await mark(context, tenant_id, origin, confirmed_name)
  let rows = await deleteAllRows(context, tenant_id, report)
  await context.db.inTenant(tenant_id, tx => deleteTenantRow(tx, tenant_id))
  // A request that was under way when the keys stopped may have written after its table was emptied.
  rows += await deleteAllRows(context, tenant_id, report)
  await note(context, tenant_id, origin, 'tenant.deleted')
  return { tenant_id, name, deleted_rows: rows }
}

async function mark(context: Context, tenant_id: string, origin: Origin, confirmed_name: string) {
  const tenant = await context.db.inTenant(tenant_id, async tx => {
    const found = await findOrRefuse(tx, tenant_id)
    if (found.name !== confirmed_name) {
      throw conflict('the confirmation must be the name of the tenant, as it is listed')
    }
    await updateTenant(tx, tenant_id, { ...found, status: 'deleting' })
    return found
  })
  await note(context, tenant_id, origin, 'tenant.deletion_started')
  return tenant
}

/** The tenant's own log goes with it, so this is told in the log of the service itself. */
async function note(context: Context, tenant_id: string, origin: Origin, action: string) {
  const change = { action, subject_kind: 'tenant', subject_id: tenant_id }
  await context.db.inTenant(RESERVED_TENANT, tx =>
    recordAudit(tx, RESERVED_TENANT, context.clock.now(), origin, [change]),
  )
}

async function deleteAllRows({ db }: Context, tenant_id: string, report: Report): Promise<number> {
  let total = 0
  for (const table of await db.acrossTenants(listTenantTables)) {
    let gone = 0
    for (let last = CHUNK; last === CHUNK; gone += last) {
      last = await db.inTenant(tenant_id, tx => deleteRows(tx, tenant_id, table, CHUNK))
    }
    if (gone > 0) report(`${table}: ${gone} rows`)
    total += gone
  }
  return total
}
