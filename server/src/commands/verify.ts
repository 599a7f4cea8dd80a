// The operator's command that proves the stored numbers.
import { readConfig } from '../config.ts'
import type { Context } from '../platform/context.ts'
import { listTenants } from '../tenants/tenants.queries.ts'
import { type Finding, verifyTenant } from '../verify/verify-tenant.ts'
import { defineCommand } from './arguments.ts'
import { withContext } from './open-context.ts'
import { json, print } from './print.ts'

const MOST_TENANTS = 100_000

const verify = defineCommand({
  name: 'verify',
  about: 'Proves scores, counts and audit logs from what they follow from; exit code 1 on a fault.',
  options: {
    tenant: { value: 'tenant id', about: 'only this tenant; otherwise all' },
    json,
  },
  run: async values => {
    await withContext(readConfig(), async context => {
      const { clean, tenants } = await verifyTenants(context, values.tenant)
      if (!clean) process.exitCode = 1
      if (values.json) return print(JSON.stringify({ clean, tenants }))
      for (const one of tenants) {
        print(`${one.tenant_id}: ${one.employees} employees, ${one.clean ? 'clean' : 'FAULTS'}`)
        for (const fault of one.faults) print(`  ${fault}`)
      }
    })
  },
})

/** One tenant, or all of them. */
export async function verifyTenants(
  context: Context,
  tenant_id?: string,
): Promise<{ clean: boolean; tenants: Finding[] }> {
  const ids = tenant_id === undefined ? await allTenants(context) : [tenant_id]
  const tenants: Finding[] = []
  for (const id of ids) tenants.push(await verifyTenant(context, id))
  return { clean: tenants.every(one => one.clean), tenants }
}

async function allTenants({ db }: Context): Promise<string[]> {
  const rows = await db.acrossTenants(tx => listTenants(tx, MOST_TENANTS, 0))
  return rows.map(row => row.tenant_id)
}

export const commands = [verify]
