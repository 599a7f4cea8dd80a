// The operator's command that proves the stored numbers.
import { readConfig } from '../config.ts'
import { countOldSeals, type OldSeals } from '../count-old-seals.ts'
import type { Context } from '../platform/context.ts'
import { countOf } from '../platform/counted.ts'
import { findTenant, listTenants } from '../tenants/tenants.queries.ts'
import { type Finding, verifyTenant } from '../verify/verify-tenant.ts'
import { defineCommand } from './arguments.ts'
import { requireDatabase, withContext } from './open-context.ts'
import { json, print, printJson } from './print.ts'

const MOST_TENANTS = 100_000

const verify = defineCommand({
  name: 'verify',
  about:
    'Proves scores, counts and audit logs from what they follow from; exit code 1 on a fault. Where ' +
    'BELLWETHER_SECRET_KEY_BEFORE is set, it also says what that key still seals.',
  options: {
    tenant: { value: 'tenant id', about: 'only this tenant; otherwise all' },
    json,
  },
  run: async values => {
    const config = readConfig()
    requireDatabase(config)
    await withContext(config, async context => {
      const { clean, tenants, being_deleted } = await verifyTenants(context, values.tenant)
      if (!clean) process.exitCode = 1
      const ids = tenants.map(one => one.tenant_id)
      // The key is of the whole installation, so one tenant alone says nothing of it.
      const sealed_before = values.tenant === undefined ? await countOldSeals(context, ids) : null
      if (values.json) {
        return printJson({ clean, tenants, being_deleted, sealed_before })
      }
      for (const one of tenants) {
        const people = countOf(one.employees, 'employee')
        print(`${one.tenant_id}: ${people}, ${one.clean ? 'clean' : 'FAULTS'}`)
        for (const fault of one.faults) print(`  ${fault}`)
      }
      for (const id of being_deleted) {
        print(`${id}: being deleted; \`tenant delete\` again ends it`)
      }
      if (tenants.length + being_deleted.length === 0) print('There are no tenants.')
      if (sealed_before) print(describeSeals(sealed_before))
    })
  },
})

/** In one line: whether the key of before may be dropped, and what stands in the way. */
function describeSeals({ signing_secrets, second_factors, answers }: OldSeals): string {
  const parts = [
    signing_secrets > 0 && countOf(signing_secrets, 'signing secret'),
    second_factors > 0 && countOf(second_factors, 'second factor'),
    answers > 0 && `${countOf(answers, 'answer')} kept for a day`,
  ].filter(part => part !== false)
  return parts.length === 0
    ? 'BELLWETHER_SECRET_KEY_BEFORE seals nothing any more and can be dropped.'
    : `BELLWETHER_SECRET_KEY_BEFORE is still needed: it seals ${parts.join(', ')}.`
}

/** One tenant, or all of them; of one that is being deleted half the rows are gone. */
export async function verifyTenants(
  context: Context,
  tenant_id?: string,
): Promise<{ clean: boolean; tenants: Finding[]; being_deleted: string[] }> {
  const ids = tenant_id === undefined ? await allTenants(context) : [tenant_id]
  const tenants: Finding[] = []
  const being_deleted: string[] = []
  for (const id of ids) {
    const found = await context.db.inTenant(id, tx => findTenant(tx, id))
    if (found?.status === 'deleting') being_deleted.push(id)
    // One that was there a moment ago and is gone now has nothing left to prove.
    else if (found || id === tenant_id) tenants.push(await verifyTenant(context, id))
  }
  return { clean: tenants.every(one => one.clean), tenants, being_deleted }
}

async function allTenants({ db }: Context): Promise<string[]> {
  const rows = await db.acrossTenants(tx => listTenants(tx, MOST_TENANTS, 0))
  return rows.map(row => row.tenant_id)
}

export const commands = [verify]
