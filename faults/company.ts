// The tenants of the fault tests: people of whom some are due, rules, a key and a subscription to everything.
import { askAsOperator, asOperator } from '../server/src/accounts/identity.ts'
import { addEmployees } from '../server/src/employees/create-employee.ts'
import { ingestTogether } from '../server/src/events/ingest-events.ts'
import { createKey, readScopes } from '../server/src/keys/manage-keys.ts'
import { changeTenant } from '../server/src/manage-tenants.ts'
import { openTenant } from '../server/src/open-tenant.ts'
import { operatorOrigin } from '../server/src/platform/actor.ts'
import { HOUR } from '../server/src/platform/clock.ts'
import type { Context } from '../server/src/platform/context.ts'
import { changeScoringSettings } from '../server/src/replays/change-scoring-settings.ts'
import { createRule } from '../server/src/rules/change-rules.ts'
import { EVENT_KINDS } from '../server/src/webhooks/event-kinds.ts'
import { createWebhook } from '../server/src/webhooks/manage-webhooks.ts'

export type Company = {
  tenant_id: string
  key: string
  domain: string
  emails: string[]
  employee_ids: string[]
  rule_id: string
}

export const EVENT_TYPE = 'custom.load'
const MANY = 100_000_000
const LIMITS = {
  requests: MANY,
  burst: MANY,
  scores: MANY,
  inbound: MANY,
  outbound: MANY,
  recalculations: 100_000,
}

/** With a half-life of a day, people who were hit two hours ago are due now, and an hour more moves them again. */
export async function openCompany(
  context: Context,
  name: string,
  people: number,
  url: string | null,
): Promise<Company> {
  const at = context.clock.now() - 2 * HOUR
  const then: Context = { ...context, clock: { now: () => at } }
  const origin = operatorOrigin()
  const { tenant_id } = await openTenant(then, origin, { name, plan: 'enterprise' })
  await asOperator(then, tenant_id, changeTenant, { limits: LIMITS })
  const domain = `${tenant_id.slice(4)}.example`
  const emails = Array.from({ length: people }, (_, i) => `person${i}@${domain}`)
  const asked = askAsOperator(tenant_id, at)
  const made = await context.db.inTenant(tenant_id, async tx => {
    await changeScoringSettings(tx, asked, { half_life_days: 1 })
    const rule = await createRule(tx, asked, {
      name: 'Load',
      event_type: EVENT_TYPE,
      category: 'custom' as const,
      impact: -3,
      cooldown: '0h',
    })
    const input = emails.map((email, i) => ({
      email,
      first_name: 'Person',
      last_name: String(i),
      department: `Team ${i % 3}`,
    }))
    const employee_ids = await addEmployees(tx, asked, input)
    if (url !== null) {
      const askedNow = askAsOperator(tenant_id, context.clock.now())
      await createWebhook(tx, askedNow, { url, events: [...EVENT_KINDS] }, context)
    }
    return { employee_ids, rule_id: rule.id }
  })
  await hitAll(then, tenant_id, emails)
  const wanted = { name: 'faults', scopes: readScopes('all'), expires_at: null }
  const { key } = await asOperator(then, tenant_id, createKey, wanted)
  return { tenant_id, key, domain, emails, ...made }
}

async function hitAll(then: Context, tenant_id: string, emails: readonly string[]): Promise<void> {
  const inputs = emails.map(employee_email => ({
    type: 'auth.mfa_disabled',
    source: 'siem',
    employee_email,
    timestamp: null,
    details: {},
    external_id: null,
    keep_unmatched: false,
  }))
  const answer = () => ({ status: 201, body: null })
  await ingestTogether(then, tenant_id, [
    { inputs: inputs as never, actor: 'operator', repeatable: null, answer },
  ])
}
