// Deletes a tenant for good: first its keys stop, then its rows go in small pieces, then the tenant itself.
import { setTimeout as sleep } from 'node:timers/promises'
import { forgetTenant, markMembers } from './accounts/forget-tenant.ts'
import { exportEntries, listEntrySeqs } from './audit/audit.queries.ts'
import { recordAudit } from './audit/record-audit.ts'
import { findOrRefuse } from './manage-tenants.ts'
import type { Origin } from './platform/actor.ts'
import type { Context } from './platform/context.ts'
import { countOf } from './platform/counted.ts'
import { RESERVED_TENANT } from './platform/database.ts'
import { conflict } from './platform/errors.ts'
import { listTables } from './platform/tables.ts'
import {
  deleteRows,
  deleteTenantRow,
  findTenant,
  listUnderWay,
  updateTenant,
} from './tenants/tenants.queries.ts'

/** Rows of one transaction, so that deleting a large tenant holds no lock for long. */
const CHUNK = 10_000
const STARTED = 'tenant.deletion_started'
/** Two minutes in all: only one that reads, such as a backup, may last longer. */
const LOOK_MS = 100
const MOST_LOOKS = 1200

export type Report = (line: string) => void

/** May be run again after it was interrupted. */
export async function deleteTenant(
  context: Context,
  tenant_id: string,
  origin: Origin,
  confirmed_name: string,
  report: Report,
) {
  let rows = 0
  if (!(await wasCutShort(context, tenant_id))) {
    await mark(context, tenant_id, origin, confirmed_name)
    await markMembers(context, tenant_id)
    rows = await deleteAllRows(context, tenant_id, report)
    await context.db.inTenant(tenant_id, tx => deleteTenantRow(tx, tenant_id))
  }
  // Transactions from here on find no tenant; earlier ones may have written into a table after it was emptied.
  await waitForOthers(context, report)
  rows += await deleteAllRows(context, tenant_id, report)
  await forgetTenant(context, tenant_id)
  await note(context, tenant_id, origin, 'tenant.deleted')
  return { tenant_id, name: confirmed_name, deleted_rows: rows }
}

/** True when the tenant itself is gone, by a deletion that did not come to its end. */
async function wasCutShort({ db }: Context, tenant_id: string): Promise<boolean> {
  if (await db.inTenant(tenant_id, tx => findTenant(tx, tenant_id))) return false
  const noted = await db.inTenant(RESERVED_TENANT, async tx => {
    const seqs = await listEntrySeqs(tx, RESERVED_TENANT, [tenant_id])
    return exportEntries(tx, RESERVED_TENANT, seqs.slice(-1))
  })
  return noted.at(-1)?.action === STARTED
}

/** Invariant: every transaction that may have seen the tenant has ended, if it is one that can write. */
async function waitForOthers({ db }: Context, report: Report): Promise<void> {
  let others = await db.acrossTenants(listUnderWay)
  if (others.length > 0)
    report(`waiting for ${countOf(others.length, 'transaction')} that began earlier`)
  for (let looks = 0; others.length > 0 && looks < MOST_LOOKS; looks++) {
    await sleep(LOOK_MS)
    const now = new Set(await db.acrossTenants(listUnderWay))
    others = others.filter(one => now.has(one))
  }
}

async function mark(context: Context, tenant_id: string, origin: Origin, confirmed_name: string) {
  await context.db.inTenant(tenant_id, async tx => {
    const found = await findOrRefuse(tx, tenant_id)
    if (found.name !== confirmed_name) {
      throw conflict('the confirmation must be the name of the tenant, as it is listed')
    }
    await updateTenant(tx, tenant_id, { ...found, status: 'deleting' })
  })
  await note(context, tenant_id, origin, STARTED)
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
  for (const table of listTables().filter(name => name !== 'tenants')) {
    let gone = 0
    for (let last = CHUNK; last === CHUNK; gone += last) {
      last = await db.inTenant(tenant_id, tx => deleteRows(tx, tenant_id, table, CHUNK))
    }
    if (gone > 0) report(`${table}: ${countOf(gone, 'row')}`)
    total += gone
  }
  return total
}
