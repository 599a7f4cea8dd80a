// Verification: clean after a busy life, and every kind of wrong number is found.
import { describe, expect, it } from 'vitest'
import { startService } from '../../test/service.ts'
import { applyDueChangesJob } from '../events/apply-due-changes.job.ts'
import { closeEventsJob } from '../events/close-events.job.ts'
import { WAIT_MS } from '../events/close-events.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { verifyTenant } from './verify-tenant.ts'

const service = await startService()
const { context, clock } = service
const DAY = 86_400_000

/** Twelve people, events of all kinds, late ones, a retraction, a deactivation, and time passing. */
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
  clock.advance(45 * DAY)
  await runDueJobs(context, [applyDueChangesJob(), closeEventsJob({ least: 1 })])
  clock.advance(WAIT_MS)
  await runDueJobs(context, [applyDueChangesJob(), closeEventsJob({ least: 1 })])
  return { tenant_id: tenant.tenant_id, ids }
}

describe('verify', () => {
  it('is clean after a busy life', async () => {
    const { tenant_id } = await busyTenant()
    expect(await verifyTenant(context, tenant_id)).toEqual({
      tenant_id,
      employees: 12,
      clean: true,
      faults: [],
    })
  })

  it.each([
    [
      'a state',
      (tx: any, t: string) => tx`UPDATE employee_states SET risk = risk - 1 WHERE tenant_id = ${t}`,
    ],
    [
      'a score',
      (tx: any, t: string) => tx`UPDATE employee_states SET score = 1 WHERE tenant_id = ${t}`,
    ],
    [
      'a band',
      (tx: any, t: string) => tx`UPDATE employee_states SET band = 'green' WHERE tenant_id = ${t}`,
    ],
    [
      'a next change',
      (tx: any, t: string) =>
        tx`UPDATE employee_states SET next_change_at = null WHERE tenant_id = ${t}`,
    ],
    [
      'what is due next',
      (tx: any, t: string) =>
        tx`UPDATE employee_states SET next_due_at = null WHERE tenant_id = ${t}`,
    ],
    [
      'a sum of the last history row',
      (tx: any, t: string) => tx`UPDATE score_history SET risk = risk - 1 WHERE tenant_id = ${t}`,
    ],
    [
      'the instant of the last history row',
      (tx: any, t: string) =>
        tx`UPDATE score_history SET at = at - interval '1 day' WHERE tenant_id = ${t}`,
    ],
    [
      'the department of the last history row',
      (tx: any, t: string) => tx`UPDATE score_history SET department = 'X' WHERE tenant_id = ${t}`,
    ],
    ['a missing share', (tx: any, t: string) => tx`DELETE FROM shares WHERE tenant_id = ${t}`],
    ['a missing event', (tx: any, t: string) => tx`DELETE FROM events WHERE tenant_id = ${t}`],
    [
      'a missing history row',
      (tx: any, t: string) => tx`DELETE FROM score_history WHERE tenant_id = ${t} AND version > 2`,
    ],
    [
      'an impact',
      (tx: any, t: string) => tx`UPDATE events SET impact = impact - 1 WHERE tenant_id = ${t}`,
    ],
    [
      'the rule of a share',
      (tx: any, t: string) => tx`UPDATE shares SET rule_id = rule_id || 'x' WHERE tenant_id = ${t}`,
    ],
    [
      'a count of people',
      (tx: any, t: string) =>
        tx`UPDATE score_counts SET people = people + 1 WHERE tenant_id = ${t}`,
    ],
    [
      'a count of events',
      (tx: any, t: string) =>
        tx`UPDATE event_counts SET events = events + 1 WHERE tenant_id = ${t}`,
    ],
    [
      'a kept day',
      (tx: any, t: string) => tx`UPDATE event_days SET events = events + 1 WHERE tenant_id = ${t}`,
    ],
    [
      'a list of people',
      (tx: any, t: string) => tx`DELETE FROM event_people WHERE tenant_id = ${t} AND level = 2`,
    ],
    [
      'a sum of an hour',
      (tx: any, t: string) => tx`UPDATE event_sums SET impact = impact + 1 WHERE tenant_id = ${t}`,
    ],
    [
      'an audit entry',
      (tx: any, t: string) =>
        tx`UPDATE audit_entries SET action = 'x' WHERE tenant_id = ${t} AND seq = 2`,
    ],
  ])('finds %s that is wrong', async (_name, spoil) => {
    const { tenant_id } = await busyTenant()
    await context.db.inTenant(tenant_id, tx => spoil(tx, tenant_id))
    const finding = await verifyTenant(context, tenant_id)
    expect(finding.clean).toBe(false)
    expect(finding.faults.length).toBeGreaterThan(0)
  })
})
