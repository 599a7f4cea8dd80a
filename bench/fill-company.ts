// Fills a tenant with people, two months of their events and all that follows from them, as if it had been live:
// scored by the service's own code, written by its own statements, only many people at a time.

import { askAsOperator, asOperator } from '../server/src/accounts/identity.ts'
import { createRandom, type Random } from '../server/src/demo/random.ts'
import { addEmployees } from '../server/src/employees/create-employee.ts'
import {
  insertHistory,
  lockStandings,
  updateStandings,
} from '../server/src/employees/standings.queries.ts'
import { insertEvents, insertShares } from '../server/src/events/ingest.queries.ts'
import { advance, type Batch, openBatch, scoreEvent } from '../server/src/events/score-batch.ts'
import { changeTenant } from '../server/src/manage-tenants.ts'
import { openTenant } from '../server/src/open-tenant.ts'
import { operatorOrigin } from '../server/src/platform/actor.ts'
import { DAY, type Instant } from '../server/src/platform/clock.ts'
import type { Context } from '../server/src/platform/context.ts'
import type { Tx } from '../server/src/platform/database.ts'
import { createRule } from '../server/src/rules/change-rules.ts'
import { readRuleBook } from '../server/src/rules/rule-book.ts'
import { readScoringBasis } from '../server/src/tenants/scoring-basis.ts'
import { copyCompany } from './copy-company.ts'

/** `types` are those of the events; all of them unless told. */
export type Filled = { employees: number; events: number; types?: readonly string[] }

export const SPAN_DAYS = 60
const PEOPLE_AT_ONCE = 400
const EVENTS_AT_ONCE = 4000
const WRITERS = 3
/** So many live through their events; a larger company is made of copies of them. */
const LIVED = 100_000
const MANY = 100_000_000
/** Limits stay on; they are set so high that the machine is what is measured. */
export const RAISED = {
  requests: MANY,
  burst: MANY,
  scores: MANY,
  inbound: MANY,
  outbound: MANY,
  recalculations: 1000,
}

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

const severity = (level: string) => ({ severity: level })
/** With the default rules they make forty. */
const RULES = [
  { name: 'VPN anomaly', impact: -2, cooldown: '1h', conditions: {} },
  { name: 'Grave VPN anomaly', impact: -5, cooldown: '24h', conditions: severity('high') },
  { name: 'Slight VPN anomaly', impact: -1, cooldown: '0h', conditions: severity('low') },
  { name: 'VPN anomaly abroad', impact: -8, conditions: { 'metadata.region': ['apac', 'emea'] } },
  { name: 'VPN anomaly, repeated', impact: -8, conditions: { 'metadata.attempts': { gte: 3 } } },
]

export const emailOf = (i: number) => `person${i}@bench.example`

export function makeDetails(random: Random) {
  return {
    description: 'Reported by the monitoring',
    campaign: 'spring',
    severity: random() < 0.3 ? 'high' : 'low',
  }
}

export async function fillCompany(context: Context, asked: Filled, now: Instant): Promise<string> {
  const copies = asked.employees % LIVED === 0 ? Math.max(1, asked.employees / LIVED) : 1
  const size = { ...asked, employees: asked.employees / copies, events: asked.events / copies }
  const began = now - SPAN_DAYS * DAY
  const tenant_id = await openRaisedTenant(context, 'Bench', began)
  await context.db.inTenant(tenant_id, async tx => {
    for (const rule of RULES) {
      const of = { event_type: 'custom.vpn_anomaly', category: 'custom' as const }
      await createRule(tx, askAsOperator(tenant_id, began), { ...of, ...rule })
    }
  })
  let next = 0
  const perPerson = Math.ceil(size.events / size.employees)
  const step = Math.max(1, Math.min(PEOPLE_AT_ONCE, Math.floor(EVENTS_AT_ONCE / perPerson)))
  const write = async () => {
    while (next < size.employees) {
      const from = next
      next = Math.min(size.employees, from + step)
      await fillSome(context, tenant_id, size, { from, to: next }, { began, now })
      if (from % (step * 25) === 0) say(`${next} of ${size.employees} people`)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, write))
  if (copies > 1) {
    say(`${copies - 1} copies`)
    await copyCompany(context, size.employees, copies - 1)
  }
  say('in the order of time')
  await context.db.sql.begin(tx => orderByTime(tx as Tx))
  say('counts')
  await context.db.sql.begin(tx => countAll(tx as Tx, tenant_id))
  return tenant_id
}

export async function openRaisedTenant(context: Context, name: string, at: Instant) {
  const then = { ...context, clock: { now: () => at } }
  const origin = operatorOrigin()
  const { tenant_id } = await openTenant(then, origin, { name, plan: 'enterprise' })
  await asOperator(then, tenant_id, changeTenant, { limits: RAISED })
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

type Some = { from: number; to: number }
type Span = { began: Instant; now: Instant }

async function fillSome(context: Context, tenant_id: string, size: Filled, some: Some, span: Span) {
  const random = createRandom(some.from + 1)
  const created_at = span.began + Math.floor((random() * SPAN_DAYS * DAY) / 2)
  const people = Array.from({ length: some.to - some.from }, (_, i) => person(some.from + i))
  const ids = await context.db.inTenant(tenant_id, tx =>
    addEmployees(tx, askAsOperator(tenant_id, created_at), people),
  )
  await context.db.inTenant(tenant_id, async tx => {
    const basis = await readScoringBasis(tx, tenant_id)
    const book = await readRuleBook(tx, tenant_id, basis.rules_version)
    const batch = openBatch(basis, book, span.now)
    const standings = await lockStandings(tx, tenant_id, ids)
    ids.forEach((id, i) => {
      const count = share(some.from + i, size)
      const times = Array.from(
        { length: count },
        () => created_at + Math.floor(random() * (span.now - created_at)),
      )
      const standing = standings.get(id)!
      for (const at of times.sort((a, b) => a - b))
        live(batch, standing, at, size.types ?? TYPES, random)
      batch.now = span.now
      advance(batch, standing, span.now)
    })
    await Promise.all([
      insertEvents(tx, tenant_id, batch.events),
      insertShares(tx, tenant_id, batch.shares),
      updateStandings(tx, tenant_id, [...batch.touched]),
      insertHistory(tx, tenant_id, batch.steps),
    ])
  })
}

/** How many of the events are this person's: all have the same, give or take one. */
function share(i: number, { employees, events }: Filled): number {
  return Math.floor(((i + 1) * events) / employees) - Math.floor((i * events) / employees)
}

function live(
  batch: Batch,
  standing: Parameters<typeof scoreEvent>[1],
  at: Instant,
  types: readonly string[],
  random: Random,
) {
  const type = types[Math.floor(random() * types.length)]!
  const source = type.startsWith('custom.') ? 'api' : 'siem'
  batch.now = at
  const details = makeDetails(random)
  scoreEvent(batch, standing, { type, source, timestamp: at, details, actor: 'key:bench' })
}

/** People were filled one after the other; what is lived through lies in the order of time. */
async function orderByTime(tx: Tx): Promise<void> {
  await tx`SET LOCAL statement_timeout = 0`
  await tx`SET LOCAL maintenance_work_mem = '512MB'`
  await tx`CREATE INDEX lived_shares ON shares (timestamp, event_id)`
  await tx`CREATE INDEX lived_history ON score_history (at, employee_id)`
  await tx`CLUSTER events USING events_time`
  await tx`CLUSTER shares USING lived_shares`
  await tx`CLUSTER score_history USING lived_history`
  await tx`ALTER TABLE events SET WITHOUT CLUSTER`
  await tx`DROP INDEX lived_shares, lived_history`
}

/** The kept counts, from what was written without them; slot 16 is nobody's. */
async function countAll(tx: Tx, tenant_id: string): Promise<void> {
  await tx`SET LOCAL statement_timeout = 0`
  await tx`SET LOCAL enable_seqscan = on`
  await tx`SET LOCAL work_mem = '256MB'`
  await tx`INSERT INTO event_counts (tenant_id, day, type, source, department, sign, slot, events, counted, impact)
    SELECT tenant_id, (timestamp AT TIME ZONE 'UTC')::date, type, source, department, sign(impact), 16, count(*),
      count(*), sum(impact)
    FROM events WHERE tenant_id = ${tenant_id} GROUP BY 1, 2, 3, 4, 5, 6`
  await tx`DELETE FROM score_counts WHERE tenant_id = ${tenant_id}`
  await tx`DELETE FROM score_count_entries WHERE tenant_id = ${tenant_id}`
  await tx`INSERT INTO score_counts (tenant_id, day, status, department, band, score, slot, people)
    SELECT ${tenant_id}, m.day, m.status, m.department, m.band, m.score, 16, sum(m.people)
    FROM (
      SELECT (at AT TIME ZONE 'UTC')::date AS day, status, department, band, score, 1 AS people
      FROM score_history WHERE tenant_id = ${tenant_id}
      UNION ALL
      SELECT (h.at AT TIME ZONE 'UTC')::date, p.status, p.department, p.band, p.score, -1
      FROM score_history h JOIN score_history p
        ON p.tenant_id = ${tenant_id} AND p.employee_id = h.employee_id AND p.version = h.version - 1
      WHERE h.tenant_id = ${tenant_id} AND h.version > 1) m
    GROUP BY m.day, m.status, m.department, m.band, m.score HAVING sum(m.people) <> 0`
}

export function say(text: string): void {
  process.stderr.write(`  loading: ${text}\n`)
}
