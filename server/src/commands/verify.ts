// The operator's command that proves the stored numbers.
import { readConfig } from '../config.ts'
import { listTenants } from '../tenants/tenants.queries.ts'
import { verifyTenant } from '../verify/verify-tenant.ts'
import { defineCommand } from './arguments.ts'
import { withContext } from './open-context.ts'
import { print } from './print.ts'

const MOST_TENANTS = 100_000

const verify = defineCommand({
  name: 'verify',
  about: 'Proves scores, counts and audit logs from what they follow from; exit code 1 on a fault.',
  options: {
    tenant: { value: 'tenant id', about: 'only this tenant; otherwise all' },
    json: { about: 'print one JSON object' },
  },
  run: async values => {
    await withContext(readConfig(), async context => {
      const ids = values.tenant ? [values.tenant] : await allTenants(context)
      const tenants = []
      for (const id of ids) tenants.push(await verifyTenant(context, id))
      const clean = tenants.every(one => one.clean)
      if (!clean) process.exitCode = 1
      if (values.json) return print(JSON.stringify({ clean, tenants }))
      for (const one of tenants) {
        print(`${one.tenant_id}: ${one.employees} employees, ${one.clean ? 'clean' : 'FAULTS'}`)
        for (const fault of one.faults) print(`  ${fault}`)
      }
    })
  },
})

type Context = Parameters<typeof verifyTenant>[0]

async function allTenants({ db }: Context): Promise<string[]> {
  const rows = await db.acrossTenants(tx => listTenants(tx, MOST_TENANTS, 0))
  return rows.map(row => row.tenant_id)
}

export const commands = [verify]
