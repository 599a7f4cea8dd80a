// The operator's commands about tenants: open, list, plan, limits, settings, retention, suspend, delete.
import { asOperator } from '../accounts/identity.ts'
import { readConfig } from '../config.ts'
import { deleteTenant } from '../delete-tenant.ts'
import { changeRetention, changeTenant, showTenant } from '../manage-tenants.ts'
import { openTenant } from '../open-tenant.ts'
import { operatorOrigin } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import { type LimitOverrides, PLAN_NAMES, PLANS, SETTABLE_LIMITS } from '../tenants/plans.ts'
import { findTenant, listTenants } from '../tenants/tenants.queries.ts'
import { defineCommand, readOneOf, readPositive, readText } from './arguments.ts'
import { withContext } from './open-context.ts'
import { json, printFields, printRows, type Row } from './print.ts'
import { changeSettingsCommand } from './settings.ts'

const tenant = { value: 'tenant id', required: true, about: 'which tenant' } as const
const plan = { value: PLAN_NAMES.join('|'), required: true, about: 'what it may use' } as const

/** Beside the answer, which programs may read. */
const report = (line: string) => void process.stderr.write(`${line}\n`)

/** Runs on the database and prints the fields that come back. */
async function answer(asJson: boolean | undefined, work: (context: Context) => Promise<Row>) {
  await withContext(readConfig(), async context => printFields(asJson, await work(context)))
}

const create = defineCommand({
  name: 'tenant create',
  about: 'Opens a tenant with the default rules and settings.',
  options: { name: { value: 'text', required: true, about: 'its name' }, plan, json },
  run: async values => {
    const input = {
      name: readText('name', values.name),
      plan: readOneOf('plan', values.plan, PLAN_NAMES),
    }
    await answer(values.json, context => openTenant(context, operatorOrigin(), input))
  },
})

const PAGE = 1000

const list = defineCommand({
  name: 'tenant list',
  about: 'Lists the tenants, oldest first.',
  options: { json },
  run: async values => {
    await withContext(readConfig(), async ({ db }) => {
      const ids: string[] = []
      for (let last = PAGE; last === PAGE; ) {
        const page = await db.acrossTenants(tx => listTenants(tx, PAGE, ids.length))
        last = ids.push(...page.map(one => one.tenant_id)) && page.length
      }
      const shown = []
      for (const tenant_id of ids) {
        const found = await db.inTenant(tenant_id, tx => findTenant(tx, tenant_id))
        if (!found) continue
        const { name, plan, status, created_at } = found
        shown.push({ tenant_id, name, plan, status, created_at })
      }
      printRows(values.json, ['tenant_id', 'name', 'plan', 'status', 'created_at'], shown)
    })
  },
})

const changePlan = defineCommand({
  name: 'tenant plan',
  about: 'Moves a tenant to another plan; its limits hold from the next second on.',
  options: { tenant, plan, json },
  run: async values => {
    const change = { plan: readOneOf('plan', values.plan, PLAN_NAMES) }
    await answer(values.json, context => asOperator(context, values.tenant, changeTenant, change))
  },
})

const LIMIT_OPTIONS = {
  requests: { value: 'n', about: 'requests per minute' },
  burst: { value: 'n', about: 'requests served at once after a pause; at least --requests' },
  scores: { value: 'n', about: 'requests per minute on the score views' },
  inbound: { value: 'n', about: 'events per minute through the inbound webhook' },
  outbound: { value: 'n', about: 'webhook deliveries per minute' },
  recalculations: { value: 'n', about: 'recalculations per hour' },
} as const satisfies Record<(typeof SETTABLE_LIMITS)[number], object>

const changeLimits = defineCommand({
  name: 'tenant limits',
  about: 'Shows the limits in force, and sets those of an Enterprise tenant.',
  options: { tenant, ...LIMIT_OPTIONS, json },
  run: async values => {
    const limits: LimitOverrides = {}
    for (const name of SETTABLE_LIMITS) {
      const value = readPositive(name, values[name])
      if (value !== undefined) limits[name] = value
    }
    const given = Object.keys(limits).length > 0
    await answer(values.json, context =>
      given
        ? asOperator(context, values.tenant, changeTenant, { limits })
        : asOperator(context, values.tenant, showTenant),
    )
    const low = listBelowPlan(limits)
    if (low.length > 0) report(`below what the Enterprise plan promises: ${low.join(', ')}`)
  },
})

/** The contract leaves the burst open. */
function listBelowPlan(limits: LimitOverrides): string[] {
  return SETTABLE_LIMITS.flatMap(name => {
    const [set, promised] = [limits[name], PLANS.enterprise[name]]
    const isLow = name !== 'burst' && set !== undefined && set < promised
    return isLow ? [`${name} ${set} of ${promised}`] : []
  })
}

const retention = defineCommand({
  name: 'tenant retention',
  about: 'Sets how many months events are kept, 6 to 36. No score changes when they go.',
  options: { tenant, months: { value: 'n', required: true, about: 'months' }, json },
  run: async values => {
    const months = readPositive('months', values.months)!
    await answer(values.json, context =>
      asOperator(context, values.tenant, changeRetention, months),
    )
  },
})

const suspend = defineCommand({
  name: 'tenant suspend',
  about: 'Refuses every request of a tenant, or serves it again; nothing is deleted.',
  options: { tenant, resume: { about: 'serve it again' }, json },
  run: async values => {
    const status = values.resume ? ('active' as const) : ('suspended' as const)
    await answer(values.json, context =>
      asOperator(context, values.tenant, changeTenant, { status }),
    )
  },
})

const remove = defineCommand({
  name: 'tenant delete',
  about: 'Deletes a tenant and all it holds, for good. Its keys stop working first.',
  options: {
    tenant,
    confirm: {
      value: 'name',
      required: true,
      about: "the tenant's name, so that it is the right one",
    },
    json,
  },
  run: async values => {
    await answer(values.json, context =>
      deleteTenant(context, values.tenant, operatorOrigin(), values.confirm, report),
    )
  },
})

export const commands = [
  create,
  list,
  changePlan,
  changeLimits,
  changeSettingsCommand,
  retention,
  suspend,
  remove,
]
