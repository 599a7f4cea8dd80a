// What tests of the score over time share: people, events that skip the rate limits, and a check of all kept sums.
import { expect } from 'vitest'
import { bandOf, decayFactor, exactScore, scoreAt } from '../../scoring/state.ts'
import { asOperator } from '../src/accounts/identity.ts'
import { addEmployees } from '../src/employees/create-employee.ts'
import { readStanding } from '../src/employees/standings.queries.ts'
import { applyDueChangesJob } from '../src/events/apply-due-changes.job.ts'
import type { Outcome } from '../src/events/ingest-events.ts'
import { OPERATOR } from '../src/platform/actor.ts'
import { DAY } from '../src/platform/clock.ts'
import { runDueJobs } from '../src/platform/jobs.ts'
import { changeScoringSettings } from '../src/replays/change-scoring-settings.ts'
import { replayJobsJob } from '../src/replays/run-replay-jobs.job.ts'
import type { SettingsChange } from '../src/tenants/change-settings.ts'
import { readScoringBasis } from '../src/tenants/scoring-basis.ts'
import type { Service, Tenant } from './service.ts'

export type Happening = {
  email: string
  type: string
  /** Null: now. */
  at?: number | null
  source?: string
  details?: Record<string, unknown>
}

/** Several people at once; gives their ids in order. */
export async function hire(
  { context }: Service,
  { tenant_id }: Tenant,
  emails: readonly string[],
  department = 'Sales',
) {
  const people = emails.map(email => {
    return { email, first_name: 'Ada', last_name: 'Moss', department }
  })
  return asOperator(context, tenant_id, addEmployees, people)
}

/** Through the ingestion itself, in one submission; gives what became of each. */
export async function ingest(
  { app }: Service,
  { tenant_id }: Tenant,
  events: readonly Happening[],
): Promise<Outcome[]> {
  const inputs = events.map(event => ({
    type: event.type,
    source: event.source ?? 'simulator',
    employee_email: event.email,
    timestamp: event.at ?? null,
    details: event.details ?? {},
    external_id: null,
    keep_unmatched: false,
  }))
  let outcomes: Outcome[] = []
  await app.ingest(tenant_id, {
    inputs,
    actor: `${OPERATOR.kind}:${OPERATOR.id}`,
    repeatable: null,
    answer: found => {
      outcomes = [...found]
      return { status: 200, body: null }
    },
  })
  return outcomes
}

export async function runJobs({ context }: Service): Promise<void> {
  await runDueJobs(context, [applyDueChangesJob(), replayJobsJob()])
}

export async function setSettings(
  { context }: Service,
  { tenant_id }: Tenant,
  change: SettingsChange,
): Promise<string> {
  return (await asOperator(context, tenant_id, changeScoringSettings, change))!
}

/** Asks for a recalculation, lets the worker do it, and gives the finished job. */
export async function recalculate(service: Service, tenant: Tenant, scope: unknown = 'all') {
  const asked = await tenant.call('POST', '/v1/rules/recalculate', { scope })
  expect(asked.status).toBe(202)
  await runJobs(service)
  const { body } = await tenant.call('GET', `/v1/rules/recalculate/${asked.body.job_id}`)
  expect(body.status).toBe('completed')
  return body
}

export async function readStandings({ context }: Service, { tenant_id }: Tenant) {
  const rows = await context.db.inTenant(
    tenant_id,
    tx => tx`SELECT e.email, e.created_at, s.* FROM employees e
      JOIN employee_states s ON s.tenant_id = e.tenant_id AND s.employee_id = e.employee_id
      WHERE e.tenant_id = ${tenant_id} AND s.tenant_id = ${tenant_id} ORDER BY e.email`,
  )
  return rows.map(row => readStanding(row as never))
}

export type EventRecord = {
  event_id: string
  employee_id: string
  email: string
  type: string
  source: string
  timestamp: Date
  received_at: Date
  impact: number
  details: Record<string, unknown>
  rules_matched: string[]
  inert: boolean
  retracted_at: Date | null
}

export async function readLog({ context }: Service, { tenant_id }: Tenant) {
  return context.db.inTenant(
    tenant_id,
    tx => tx<EventRecord[]>`
      SELECT v.event_id, v.employee_id, p.email, v.type, v.source, v.timestamp, v.received_at, v.impact,
        v.details, v.rules_matched, v.inert, v.retracted_at
      FROM events v JOIN employees p ON p.tenant_id = v.tenant_id AND p.employee_id = v.employee_id
      WHERE v.tenant_id = ${tenant_id} AND p.tenant_id = ${tenant_id} ORDER BY v.timestamp, v.event_id`,
  )
}

export async function readHistory({ context }: Service, { tenant_id }: Tenant, email: string) {
  return context.db.inTenant(
    tenant_id,
    tx => tx`SELECT h.* FROM score_history h
      JOIN employees p ON p.tenant_id = h.tenant_id AND p.employee_id = h.employee_id
      WHERE h.tenant_id = ${tenant_id} AND p.tenant_id = ${tenant_id} AND p.email = ${email}
      ORDER BY h.version`,
  )
}

type ShareInForce = { employee_id: string; event_id: string; impact: number; dated_at: Date }

async function readShares({ context }: Service, { tenant_id }: Tenant) {
  return context.db.inTenant(
    tenant_id,
    tx => tx<ShareInForce[]>`SELECT employee_id, event_id, impact, dated_at FROM shares
      WHERE tenant_id = ${tenant_id} AND to_version IS NULL AND NOT folded`,
  )
}

/** Everything that is kept twice agrees: shares and state, score and closed form, rows and counts. */
export async function checkBooks(service: Service, tenant: Tenant): Promise<void> {
  const [standings, log, shares, basis] = await Promise.all([
    readStandings(service, tenant),
    readLog(service, tenant),
    readShares(service, tenant),
    service.context.db.inTenant(tenant.tenant_id, tx => readScoringBasis(tx, tenant.tenant_id)),
  ])
  for (const standing of standings) {
    const settings = basis.settingsOf(standing.settings_version)
    const { as_of } = standing.state
    const worth = (at: number) => decayFactor(settings, at, as_of)
    const sums = { risk: 0, recovery: 0 }
    for (const { employee_id, impact, dated_at } of shares) {
      if (employee_id !== standing.employee_id) continue
      sums[impact < 0 ? 'risk' : 'recovery'] += impact * worth(dated_at.getTime())
    }
    const { carried } = standing
    if (carried) {
      sums.risk += carried.risk * worth(carried.as_of)
      sums.recovery += carried.recovery * worth(carried.as_of)
    }
    expect(Math.abs(standing.state.risk - sums.risk), standing.email).toBeLessThan(1e-6)
    expect(Math.abs(standing.state.recovery - sums.recovery), standing.email).toBeLessThan(1e-6)
    if (standing.status === 'active') {
      expect(standing.score, standing.email).toBe(scoreAt(standing.state, settings))
      expect(exactScore(standing.state, settings)).toBeLessThanOrEqual(100)
    }
    expect(standing.band).toBe(bandOf(standing.score, basis.edges))
  }
  const given = new Map<string, number>()
  for (const { event_id, impact } of shares) {
    given.set(event_id, (given.get(event_id) ?? 0) + impact)
  }
  for (const { event_id, impact, retracted_at } of log) {
    if (retracted_at) expect(given.has(event_id)).toBe(false)
    else expect(given.get(event_id) ?? 0).toBe(impact)
  }
  await checkCounts(service, tenant)
}

async function checkCounts({ context }: Service, { tenant_id }: Tenant): Promise<void> {
  const [kept, counted, cells, people] = await context.db.inTenant(tenant_id, tx =>
    Promise.all([
      tx`SELECT day, type, source, department, sign, sum(events)::bigint AS events,
          sum(counted)::bigint AS counted, sum(impact)::bigint AS impact
        FROM all_event_counts WHERE tenant_id = ${tenant_id} GROUP BY 1, 2, 3, 4, 5
        HAVING sum(events) <> 0 OR sum(counted) <> 0 OR sum(impact) <> 0 ORDER BY 1, 2, 3, 4, 5`,
      tx`SELECT timestamp::date AS day, type, source, department, sign(impact)::smallint AS sign,
          count(*) AS events, count(*) FILTER (WHERE retracted_at IS NULL) AS counted,
          coalesce(sum(impact) FILTER (WHERE retracted_at IS NULL), 0)::bigint AS impact
        FROM events WHERE tenant_id = ${tenant_id} GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`,
      tx`SELECT status, department, band, score, sum(people)::bigint AS people FROM all_score_counts
        WHERE tenant_id = ${tenant_id} GROUP BY 1, 2, 3, 4 HAVING sum(people) <> 0 ORDER BY 1, 2, 3, 4`,
      tx`SELECT status, department, band, score, count(*) AS people FROM employee_states
        WHERE tenant_id = ${tenant_id} GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
    ]),
  )
  expect([...kept]).toEqual([...counted])
  expect([...cells]).toEqual([...people])
}

export const days = (n: number) => n * DAY

/** People with one event each, at 65, and a rule that has changed since: replayed they stand at 35. */
export async function openChanged(service: Service, tenant: Tenant, emails: readonly string[]) {
  const people = await hire(service, tenant, emails)
  const rule = { name: 'Badge', category: 'custom', event_type: 'custom.a', impact: -10 }
  const { body } = await tenant.call('POST', '/v1/rules', rule)
  await ingest(
    service,
    tenant,
    emails.map(email => ({ email, type: 'custom.a' })),
  )
  await tenant.call('PATCH', `/v1/rules/${body.id}`, { impact: -40 })
  return { tenant, people, rule_id: body.id as string }
}
