// Fills a tenant to the size a benchmark asks for, through the service's own operations; kept between runs.
import { addEmployees } from '../server/src/employees/create-employee.ts'
import { ingestTogether } from '../server/src/events/ingest-events.ts'
import { createKey, readScopes } from '../server/src/keys/manage-keys.ts'
import { openTenant } from '../server/src/open-tenant.ts'
import { operatorOrigin } from '../server/src/platform/actor.ts'
import { DAY } from '../server/src/platform/clock.ts'
import type { Context } from '../server/src/platform/context.ts'
import { listTenants, updateTenant } from '../server/src/tenants/tenants.queries.ts'
import { createRandom, type Random } from './random.ts'

export type Company = { tenant_id: string; key: string; emailOf(i: number): string; employees: number }

const MANY = 100_000_000
/** Limits stay on; they are set so high that the machine is what is measured. */
const RAISED = { requests: MANY, burst: MANY, scores: MANY, inbound: MANY, outbound: MANY }
const SPAN_DAYS = 180
const CHUNK = 2000

export const TYPES = [
  'sim.link_clicked',
  'sim.reported',
  'auth.mfa_disabled',
  'auth.login_failure',
  'training.completed',
  'email.phishing_reported',
  'endpoint.os_outdated',
  'custom.vpn_anomaly',
] as const

const emailOf = (i: number) => `person${i}@bench.example`

export async function loadCompany(
  context: Context,
  size: { employees: number; events: number },
): Promise<Company> {
  const name = `bench ${size.employees} ${size.events}`
  const known = await context.db.acrossTenants(tx => listTenants(tx, 1000, 0))
  const found = known.find(tenant => tenant.name === name && tenant.status === 'active')
  const tenant_id = found?.tenant_id ?? (await fill(context, name, size))
  const { key } = await createKey(context, tenant_id, operatorOrigin(), {
    name: 'bench',
    scopes: readScopes('all'),
    expires_at: null,
  })
  return { tenant_id, key, emailOf, employees: size.employees }
}

async function fill(context: Context, name: string, size: { employees: number; events: number }) {
  const { tenant_id } = await openTenant(context, operatorOrigin(), { name: `${name} loading`, plan: 'enterprise' })
  await context.db.inTenant(tenant_id, tx =>
    updateTenant(tx, tenant_id, { plan: 'enterprise', limits: RAISED, status: 'active' }),
  )
  const began = context.clock.now() - SPAN_DAYS * DAY
  for (let i = 0; i < size.employees; i += CHUNK) {
    const people = Array.from({ length: Math.min(CHUNK, size.employees - i) }, (_, k) => person(i + k))
    await context.db.inTenant(tenant_id, tx =>
      addEmployees(tx, tenant_id, operatorOrigin(), began, people),
    )
    say(`people ${i + people.length}`)
  }
  await loadEvents(context, tenant_id, size)
  await context.db.sql`ANALYZE`
  await context.db.sql`UPDATE tenants SET name = ${name} WHERE tenant_id = ${tenant_id}`
  return tenant_id
}

function person(i: number) {
  return {
    email: emailOf(i),
    first_name: `First${i % 997}`,
    last_name: `Last${i % 9973}`,
    department: `Department ${i % 50}`,
  }
}

async function loadEvents(context: Context, tenant_id: string, size: { employees: number; events: number }) {
  const random = createRandom(7)
  const now = context.clock.now()
  for (let i = 0; i < size.events; i += CHUNK) {
    const count = Math.min(CHUNK, size.events - i)
    const inputs = Array.from({ length: count }, () => {
      const timestamp = now - Math.floor(random() * SPAN_DAYS * DAY)
      return { ...makeEvent(random, size.employees), timestamp }
    })
    const submission = { inputs, actor: 'key:bench', repeatable: null, answer: () => ({ status: 207, body: null }) }
    await ingestTogether(context, tenant_id, [submission])
    if (i % 100_000 === 0) say(`events ${i + count}`)
  }
}

export function makeEvent(random: Random, employees: number) {
  const type = TYPES[Math.floor(random() * TYPES.length)]!
  return {
    type: type as string,
    source: type.startsWith('custom.') ? 'api' : 'siem',
    employee_email: emailOf(Math.floor(random() * employees)),
    timestamp: null as number | null,
    details: { campaign: 'spring', template: 'parcel', severity: random() < 0.3 ? 'high' : 'low' },
    external_id: null,
    keep_unmatched: false,
  }
}

function say(text: string): void {
  process.stderr.write(`  loading: ${text}\n`)
}
