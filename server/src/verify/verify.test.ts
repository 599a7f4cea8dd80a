// Verification: clean after a busy life, and every kind of wrong number is found.
import { describe, expect, it } from 'vitest'
import { START, startService } from '../../test/service.ts'
import { applyDueChangesJob } from '../events/apply-due-changes.job.ts'
import { closeEventsJob } from '../events/close-events.job.ts'
import { WAIT_MS } from '../events/close-events.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { addUpCountsJob } from '../scores/add-up-counts.job.ts'
import { agePastJob } from '../scores/age-past.job.ts'
import { closeDaysJob } from '../scores/close-days.job.ts'
import { verifyTenant } from './verify-tenant.ts'

const service = await startService()
const { context, clock } = service
const DAY = 86_400_000
const JOBS = [
  addUpCountsJob(),
  applyDueChangesJob(),
  closeEventsJob({ least: 1 }),
  closeDaysJob(),
  agePastJob(),
]

/** Twelve people, events of all kinds, late ones, a retraction, a deactivation and a move. */
async function busyTenant() {
  const tenant = await service.tenant()
  const ids: string[] = []
  for (let i = 0; i < 12; i++) {
    const { body } = await tenant.call('POST', '/v1/employees', {
      email: `p${i}@example.com`,
      first_name: 'P',
      last_name: String(i),
      department: i % 2 ? 'Sales' : 'Research',
    })
    ids.push(body.id)
  }
  const types = ['sim.link_clicked', 'sim.reported', 'auth.mfa_disabled', 'training.completed']
  const events: string[] = []
  for (let i = 0; i < 40; i++) {
    const { body } = await tenant.call('POST', '/v1/events/webhook', {
      source: 'siem',
      event_type: types[i % 4],
      employee: { email: `p${(i * 5) % 12}@example.com` },
      timestamp: new Date(clock.now() - (i % 7) * 9 * DAY).toISOString(),
    })
    events.push(body.id)
  }
  await tenant.call('POST', `/v1/events/${events[0]}/retract`, { reason: 'a mail scanner clicked' })
  await tenant.call('PATCH', `/v1/employees/${ids[3]}`, { status: 'inactive' })
  await tenant.call('PATCH', `/v1/employees/${ids[4]}`, { department: 'Support' })
  return tenant.tenant_id
}

/** Many tenants, for which the same time then passes. */
async function busyTenants(count: number) {
  const ids: string[] = []
  while (ids.length < count) ids.push(await busyTenant())
  clock.advance(45 * DAY)
  await runDueJobs(context, JOBS)
  clock.advance(WAIT_MS)
  await runDueJobs(context, JOBS)
  return ids
}

type Spoil = (tx: any, tenant_id: string) => Promise<unknown>

const CASES: [string, Spoil][] = [
  ['a state', (tx, t) => tx`UPDATE employee_states SET risk = risk - 1 WHERE tenant_id = ${t}`],
  ['a score', (tx, t) => tx`UPDATE employee_states SET score = 1 WHERE tenant_id = ${t}`],
  ['a band', (tx, t) => tx`UPDATE employee_states SET band = 'green' WHERE tenant_id = ${t}`],
  [
    'a next change',
    (tx, t) => tx`UPDATE employee_states SET next_change_at = null WHERE tenant_id = ${t}`,
  ],
  [
    'what is due next',
    (tx, t) => tx`UPDATE employee_states SET next_due_at = null WHERE tenant_id = ${t}`,
  ],
  [
    'a sum of the last history row',
    (tx, t) => tx`UPDATE score_history SET risk = risk - 1 WHERE tenant_id = ${t}`,
  ],
  [
    'the instant of the last history row',
    (tx, t) => tx`UPDATE score_history SET at = at - interval '1 day' WHERE tenant_id = ${t}`,
  ],
  [
    'the department of the last history row',
    (tx, t) => tx`UPDATE score_history SET department = 'X' WHERE tenant_id = ${t}`,
  ],
  ['a missing share', (tx, t) => tx`DELETE FROM shares WHERE tenant_id = ${t}`],
  ['a missing event', (tx, t) => tx`DELETE FROM events WHERE tenant_id = ${t}`],
  [
    'a missing history row',
    (tx, t) => tx`DELETE FROM score_history WHERE tenant_id = ${t} AND version > 2`,
  ],
  ['an impact', (tx, t) => tx`UPDATE events SET impact = impact - 1 WHERE tenant_id = ${t}`],
  [
    'the rule of a share',
    (tx, t) => tx`UPDATE shares SET rule_id = rule_id || 'x' WHERE tenant_id = ${t}`,
  ],
  [
    'a count of people',
    (tx, t) => tx`UPDATE score_counts SET people = people + 1 WHERE tenant_id = ${t}`,
  ],
  [
    'a count of events',
    (tx, t) => tx`UPDATE event_counts SET events = events + 1 WHERE tenant_id = ${t}`,
  ],
  ['a kept day', (tx, t) => tx`UPDATE event_days SET events = events + 1 WHERE tenant_id = ${t}`],
  [
    'a list of people',
    (tx, t) => tx`DELETE FROM event_people WHERE tenant_id = ${t} AND level = 2`,
  ],
  [
    'a sum of an hour',
    (tx, t) => tx`UPDATE event_sums SET impact = impact + 1 WHERE tenant_id = ${t}`,
  ],
  [
    'a sum of an hour of a source',
    (tx, t) =>
      tx`UPDATE event_sums SET impact = impact + 1 WHERE tenant_id = ${t} AND grouped_by = 'source'`,
  ],
  [
    'a sum of an hour of a department',
    (tx, t) =>
      tx`UPDATE event_sums SET counted = counted + 1 WHERE tenant_id = ${t} AND grouped_by = 'department'`,
  ],
  [
    'a count of events that count',
    (tx, t) => tx`UPDATE event_counts SET counted = counted + 1 WHERE tenant_id = ${t}`,
  ],
  [
    'a kept day of scores',
    (tx, t) => tx`UPDATE score_days SET counts[76] = counts[76] + 1 WHERE tenant_id = ${t}`,
  ],
  [
    'a kept day of a department',
    (tx, t) =>
      tx`UPDATE department_days SET counts[76] = counts[76] + 1 WHERE tenant_id = ${t}
        AND department = 'Sales'`,
  ],
  ['a missing day of scores', (tx, t) => tx`DELETE FROM score_days WHERE tenant_id = ${t}`],
  [
    'a score of an earlier history row',
    (tx, t) =>
      tx`UPDATE score_history SET score = score - 1 WHERE tenant_id = ${t} AND version = 1`,
  ],
  [
    'a department of earlier history rows',
    (tx, t) =>
      tx`UPDATE score_history SET department = 'X' WHERE tenant_id = ${t} AND status = 'active'
        AND at = ${new Date(START)}`,
  ],
  [
    'a sum of an earlier history row',
    (tx, t) => tx`UPDATE score_history SET risk = risk - 1 WHERE tenant_id = ${t} AND version = 1`,
  ],
  [
    'a score 30 days ago',
    (tx, t) => tx`UPDATE employee_states SET past_score = past_score - 1 WHERE tenant_id = ${t}`,
  ],
  [
    'a sum of scores 30 days ago',
    (tx, t) => tx`UPDATE score_marks SET past_points = past_points + 1 WHERE tenant_id = ${t}`,
  ],
  [
    'a due streak',
    (tx, t) =>
      tx`UPDATE employee_states SET streak_due_at = streak_due_at - interval '1 day',
        next_due_at = least(next_change_at, streak_due_at - interval '1 day') WHERE tenant_id = ${t}`,
  ],
  [
    'the last negative event',
    (tx, t) =>
      tx`UPDATE employee_states SET last_negative_at = last_negative_at - interval '1 day'
        WHERE tenant_id = ${t}`,
  ],
  [
    'the last event',
    (tx, t) =>
      tx`UPDATE employee_states SET last_event_at = last_event_at - interval '1 day'
        WHERE tenant_id = ${t}`,
  ],
  [
    'an audit entry',
    (tx, t) => tx`UPDATE audit_entries SET action = 'x' WHERE tenant_id = ${t} AND seq = 2`,
  ],
]

const tenants = await busyTenants(CASES.length + 1)

describe('verify', () => {
  it('is clean after a busy life', async () => {
    const tenant_id = tenants.at(-1)!
    expect(await verifyTenant(context, tenant_id)).toEqual({
      tenant_id,
      employees: 12,
      clean: true,
      faults: [],
    })
  })

  it.each(CASES)('finds %s that is wrong', async (name, spoil) => {
    const tenant_id = tenants[CASES.findIndex(one => one[0] === name)]!
    await context.db.inTenant(tenant_id, tx => spoil(tx, tenant_id))
    const finding = await verifyTenant(context, tenant_id)
    expect(finding.clean).toBe(false)
    expect(finding.faults.length).toBeGreaterThan(0)
  })
})
