// What tests of the score views share: a company that lives through random days, and a plain reading of its record.
import { expect } from 'vitest'
import { scoreAt } from '../../../scoring/state.ts'
import type { Answer, Service, Tenant } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { create } from '../employees/employees.fixture.ts'
import type { HistoryRow } from '../employees/score-history.ts'
import { type Adjustment, adjustScore } from '../events/adjust-score.ts'
import { applyDueChangesJob } from '../events/apply-due-changes.job.ts'
import { DAY, HOUR, type Instant, MINUTE } from '../platform/clock.ts'
import { type Job, runDueJobs } from '../platform/jobs.ts'
import { readScoringBasis } from '../tenants/scoring-basis.ts'
import { addUpCountsJob } from './add-up-counts.job.ts'
import { agePastJob } from './age-past.job.ts'
import { closeDaysJob } from './close-days.job.ts'

export const DUE_JOBS = [applyDueChangesJob()]
export const PAST_JOBS = [addUpCountsJob(), closeDaysJob(), agePastJob()]
export const ALL_JOBS: Job[] = [...DUE_JOBS, ...PAST_JOBS]

/** Numbers that look random and are the same in every run. */
export function randomOf(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const pick = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)]!
  return { next, pick }
}

const EVENTS = [
  'sim.link_clicked',
  'sim.credential_submitted',
  'email.phishing_reported',
  'training.completed',
  'endpoint.malware_detected',
  'custom.nothing',
]
const DEPARTMENTS = ['', 'Finance', 'Legal', 'R&D / "lab"']

export type Company = {
  tenant: Tenant
  people: { id: string; email: string }[]
  /** Events that can still be retracted. */
  events: string[]
}

export async function openCompany(service: Service): Promise<Company> {
  return { tenant: await service.tenant(), people: [], events: [] }
}

export type Random = ReturnType<typeof randomOf>

/** One random thing that happens to a company; jobs are those its worker runs. */
export async function liveOn(
  service: Service,
  company: Company,
  random: Random,
  jobs: readonly Job[],
): Promise<void> {
  const chance = random.next()
  if (company.people.length === 0 || chance < 0.15) {
    const { id, email } = await create(company.tenant, { department: random.pick(DEPARTMENTS) })
    company.people.push({ id, email })
  } else if (chance < 0.75) {
    await befall(service, company, random)
  } else {
    const longest = random.pick([MINUTE, 5 * HOUR, DAY, 15 * DAY])
    service.clock.advance(Math.floor(random.next() * longest))
  }
  if (random.next() < 0.4) await runDueJobs(service.context, jobs)
}

/** Something happens to one of them: an event, late or not, its retraction, a move, a change of status. */
async function befall(service: Service, { tenant, people, events }: Company, random: Random) {
  const someone = random.pick(people)
  const chance = random.next()
  if (chance < 0.6) {
    const late = random.next() < 0.3 ? Math.floor(random.next() * 40 * DAY) : 0
    const timestamp = new Date(service.clock.now() - late).toISOString()
    const employee = { email: someone.email }
    const body = { source: 'random', event_type: random.pick(EVENTS), timestamp, employee }
    const answer = await tenant.call('POST', '/v1/events/webhook', body)
    expect(answer.status).toBe(201)
    events.push(answer.body.id)
  } else if (chance < 0.7 && events.length > 0) {
    const [id] = events.splice(Math.floor(random.next() * events.length), 1)
    const answer = await tenant.call('POST', `/v1/events/${id}/retract`, { reason: 'a scanner' })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  } else if (chance < 0.8) {
    const reason = 'a talk'
    const adjustment = { employee_id: someone.id, impact: random.pick([-7, 4]), reason }
    await adjust(service, tenant, adjustment)
  } else if (chance < 0.9) {
    await change(tenant, someone.id, { department: random.pick(DEPARTMENTS) })
  } else {
    await change(tenant, someone.id, { status: random.pick(['active', 'inactive']) })
  }
}

export async function change(tenant: Tenant, id: string, body: object) {
  const answer = await tenant.call('PATCH', `/v1/employees/${id}`, body)
  expect(answer.status).toBe(200)
}

/** An adjustment as the dashboard makes it; inactive employees take none. */
export async function adjust(service: Service, { tenant_id }: Tenant, adjustment: Adjustment) {
  const made = asOperator(service.context, tenant_id, adjustScore, adjustment)
  await made.catch(error => expect(error.message).toMatch(/inactive/))
}

export async function get(tenant: Tenant, url: string): Promise<Answer['body']> {
  const answer = await tenant.call('GET', url)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}

export type Listed = { id: string; department: string; score: number; band: string }

/** Everyone active, as the employee list has them. */
export async function listActive(tenant: Tenant): Promise<Listed[]> {
  const all: Listed[] = []
  for (let page = 1; ; page++) {
    const { data, pagination } = await get(
      tenant,
      `/v1/employees?status=active&per_page=100&page=${page}`,
    )
    all.push(...data)
    if (page >= pagination.total_pages) return all
  }
}

export type Recorded = HistoryRow & {
  employee_id: string
  department: string
  version: number
  reason: string
}
export type Stand = { status: string; department: string; score: number }

/** The whole record of a tenant, and what it says of anyone at any instant. */
export async function readRecord({ context }: Service, { tenant_id }: Tenant) {
  return context.db.inTenant(tenant_id, async tx => {
    const basis = await readScoringBasis(tx, tenant_id)
    const rows = await tx<Recorded[]>`
      SELECT employee_id, version, at, score, band, risk, recovery, status, department, settings_version,
        edges_version, reason
      FROM score_history WHERE tenant_id = ${tenant_id} ORDER BY employee_id, version`
    const byEmployee = Map.groupBy(rows, row => row.employee_id)
    const standOf = (employee_id: string, at: Instant): Stand | null => {
      const row = byEmployee.get(employee_id)!.findLast(one => one.at.getTime() <= at)
      if (!row) return null
      const { status, department, risk, recovery } = row
      if (status === 'inactive') return { status, department, score: row.score }
      const state = { risk, recovery, as_of: row.at.getTime() }
      return {
        status,
        department,
        score: scoreAt(state, basis.settingsOf(row.settings_version), at),
      }
    }
    const scoresAt = (at: Instant, department: string | null = null): number[] =>
      [...byEmployee.keys()]
        .map(id => standOf(id, at))
        .filter(one => one?.status === 'active')
        .filter(one => department === null || one!.department === department)
        .map(one => one!.score)
    return { rows, byEmployee, standOf, scoresAt }
  })
}

export const round1 = (value: number) => Math.round(value * 10) / 10 + 0

/** Average and median by the book, from a plain list of scores. */
export function describeScores(scores: readonly number[]) {
  const sorted = scores.toSorted((a, b) => a - b)
  const n = sorted.length
  if (n === 0) return { average_score: 0, median_score: 0, employee_count: 0 }
  const middle = [sorted[Math.ceil(n / 2) - 1]!, sorted[Math.floor(n / 2)]!]
  const sum = sorted.reduce((a, b) => a + b, 0)
  return {
    average_score: round1(sum / n),
    median_score: (middle[0]! + middle[1]!) / 2,
    employee_count: n,
  }
}
