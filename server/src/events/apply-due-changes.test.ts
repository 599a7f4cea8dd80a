// Scores move with time: what falls due is applied in order, at its own instant, once, by worker or event alike.
import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../scoring/settings.ts'
import { scoreAt } from '../../../scoring/state.ts'
import {
  checkBooks,
  days,
  hire,
  ingest,
  readHistory,
  readLog,
  readStandings,
  runJobs,
} from '../../test/scenario.ts'
import { START, startService, type Tenant } from '../../test/service.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { applyDueChangesJob } from './apply-due-changes.job.ts'

const service = await startService()
let tenant: Tenant

/** A tenant of its own on the first day. */
async function open(emails: readonly string[] = ['a@x.com']) {
  service.clock.set(START)
  tenant = await service.tenant()
  return hire(service, tenant, emails)
}

const click = (email = 'a@x.com', at: number | null = null) =>
  ingest(service, tenant, [{ email, type: 'sim.link_clicked', at }])

const apply = () => runDueJobs(service.context, [applyDueChangesJob()])

async function standing(email = 'a@x.com') {
  return (await readStandings(service, tenant)).find(one => one.email === email)!
}

it('is looked for more than once in the two seconds that it may be late', () => {
  expect(applyDueChangesJob().every_ms).toBeLessThan(1000)
})

/** What changed and when, without what only differs by name. */
async function story(email = 'a@x.com') {
  const rows = await readHistory(service, tenant, email)
  return rows.map(({ version, at, score, band, reason, trigger_event, risk, recovery }) => ({
    version,
    at: at.getTime(),
    score,
    band,
    reason,
    trigger_event,
    risk: risk.toFixed(6),
    recovery: recovery.toFixed(6),
  }))
}

async function streaks() {
  const log = await readLog(service, tenant)
  return log
    .filter(one => one.email === 'a@x.com' && one.type === 'recovery.clean_streak')
    .map(one => (one.timestamp.getTime() - START) / days(1))
}

describe('decay', () => {
  it('goes on at once where the clock is set forward while it works', {
    timeout: 60_000,
  }, async () => {
    const emails = Array.from({ length: 64 }, (_, i) => `p${i}@x.com`)
    await open(emails)
    await ingest(
      service,
      tenant,
      emails.map(email => ({ email, type: 'sim.link_clicked', at: null })),
    )
    service.clock.advance(days(20))
    const clock = {
      now: () => {
        service.clock.advance(days(1))
        return service.clock.now()
      },
    }
    expect(await applyDueChangesJob().run({ ...service.context, clock })).toBe(true)
    expect((await story('p63@x.com')).some(({ reason }) => reason === 'decay')).toBe(true)
  })

  it('dates every change at the first millisecond of its score, however late it is applied', async () => {
    await open()
    await click()
    service.clock.advance(days(200))
    await apply()
    const rows = await readHistory(service, tenant, 'a@x.com')
    expect(rows.filter(row => row.reason === 'decay').length).toBeGreaterThan(10)
    for (const [i, row] of rows.entries()) {
      const before = rows[i - 1]
      if (!before) continue
      expect(row.at.getTime()).toBeGreaterThanOrEqual(before.at.getTime())
      const state = { risk: before.risk, recovery: before.recovery, as_of: before.at.getTime() }
      const at = row.at.getTime()
      if (row.reason !== 'decay') continue
      expect(scoreAt(state, DEFAULT_SETTINGS, at - 1)).toBe(before.score)
      expect(scoreAt(state, DEFAULT_SETTINGS, at)).toBe(row.score)
      expect(row.score).not.toBe(before.score)
    }
    const { state, score, next_change_at } = await standing()
    expect(scoreAt(state, DEFAULT_SETTINGS, service.clock.now())).toBe(score)
    expect(next_change_at ?? Infinity).toBeGreaterThan(service.clock.now())
    await checkBooks(service, tenant)
  })

  it('comes to the same whether the worker runs daily, once, or an event catches up', async () => {
    const stories = []
    for (const way of ['daily', 'once', 'event'] as const) {
      await open()
      await click()
      for (let day = 0; day < 100; day++) {
        service.clock.advance(days(1))
        if (way === 'daily') await apply()
      }
      if (way === 'once') await apply()
      await click()
      stories.push(await story())
      await checkBooks(service, tenant)
    }
    expect(stories[1]).toEqual(stories[0])
    expect(stories[2]).toEqual(stories[0])
    expect(stories[0]!.length).toBeGreaterThan(10)
  })

  it('applies each change once with several workers, in more than one chunk', async () => {
    const emails = Array.from({ length: 300 }, (_, i) => `p${i}@x.com`)
    await open(emails)
    await ingest(
      service,
      tenant,
      emails.map(email => ({ email, type: 'sim.link_clicked' })),
    )
    service.clock.advance(days(10))
    const workers = [1, 2, 3].map(() => applyDueChangesJob())
    for (let more = true; more; ) {
      const runs = await Promise.all(workers.map(worker => worker.run(service.context)))
      more = runs.some(worked => worked)
    }
    const rows = await service.context.db.inTenant(
      tenant.tenant_id,
      tx => tx`SELECT employee_id, count(*) AS n FROM score_history
        WHERE tenant_id = ${tenant.tenant_id} AND reason = 'decay' GROUP BY employee_id`,
    )
    expect(rows).toHaveLength(300)
    expect(new Set(rows.map(row => row.n)).size).toBe(1)
    await checkBooks(service, tenant)
  })

  it('leaves to the next turn whom another writer holds', async () => {
    await open(['a@x.com', 'b@x.com'])
    await click('a@x.com')
    await click('b@x.com')
    service.clock.advance(days(5))
    const { employee_id } = await standing('a@x.com')
    const before = await standing('a@x.com')
    await service.context.db.inTenant(tenant.tenant_id, async tx => {
      await tx`SELECT 1 FROM employee_states WHERE tenant_id = ${tenant.tenant_id}
        AND employee_id = ${employee_id} FOR UPDATE`
      await applyDueChangesJob().run(service.context)
      expect((await standing('b@x.com')).score).toBeGreaterThan(before.score)
    })
    expect(await standing('a@x.com')).toEqual(before)
    await apply()
    expect((await standing('a@x.com')).score).toBe((await standing('b@x.com')).score)
  })

  it('has nothing to do before the first due instant, and then exactly at it', async () => {
    await open()
    await click()
    await apply()
    const { next_change_at, score } = await standing()
    service.clock.set(next_change_at! - 1)
    expect(await applyDueChangesJob().run(service.context)).toBe(false)
    expect((await standing()).score).toBe(score)
    service.clock.set(next_change_at!)
    expect(await applyDueChangesJob().run(service.context)).toBe(true)
    expect((await standing()).score).toBe(score + 1)
  })
})

describe('clean streaks', () => {
  it('fall due 30 days after creation, and again after each other', async () => {
    await open()
    service.clock.set(START + days(30) - 1)
    await apply()
    expect(await streaks()).toEqual([])
    service.clock.advance(1)
    await apply()
    expect(await streaks()).toEqual([30])
    expect((await story()).at(-1)).toMatchObject({
      reason: 'event',
      trigger_event: 'recovery.clean_streak',
      score: 80,
      band: 'green',
      at: START + days(30),
    })
    service.clock.set(START + days(125))
    await apply()
    expect(await streaks()).toEqual([30, 60, 90, 120])
    await checkBooks(service, tenant)
  })

  it('are shown as events of ours, and no sooner than due', async () => {
    await open()
    service.clock.set(START + days(40))
    await apply()
    const { body } = await tenant.call('GET', '/v1/events')
    expect(body.data).toHaveLength(1)
    expect(body.data[0]).toMatchObject({
      type: 'recovery.clean_streak',
      source: 'engine',
      impact: 5,
      timestamp: new Date(START + days(30)).toISOString(),
    })
  })

  it('count from the last negative event, by its timestamp; a late one undoes none', async () => {
    await open()
    service.clock.set(START + days(35))
    await apply()
    expect(await streaks()).toEqual([30])
    await click('a@x.com', START + days(20))
    expect((await standing()).streak_due_at).toBe(START + days(60))
    await click('a@x.com', START + days(33))
    expect((await standing()).streak_due_at).toBe(START + days(63))
    service.clock.set(START + days(64))
    await apply()
    expect(await streaks()).toEqual([30, 63])
    await checkBooks(service, tenant)
  })

  it('keep to a cooldown also where the clock of the process is behind the one before', async () => {
    await open()
    const rule = { name: 'Half', event_type: 'recovery.clean_streak', category: 'training' }
    await tenant.call('POST', '/v1/rules', { ...rule, impact: 3, cooldown: '40d' })
    service.clock.set(START + days(31))
    const [clicked] = await click()
    // Without the click the second streak is due at day 60; whoever takes it back is ahead by then.
    service.clock.set(START + days(60) + 20_000)
    const { id } = (clicked as { event: { id: string } }).event
    await tenant.call('POST', `/v1/events/${id}/retract`, { reason: 'a scanner' })
    service.clock.set(START + days(60) - 5_000)
    await ingest(service, tenant, [{ email: 'a@x.com', type: 'custom.nothing' }])
    expect(await streaks()).toEqual([30, 60])
    const made = (await readLog(service, tenant)).filter(one => one.source === 'engine')
    expect(made.map(one => one.impact)).toEqual([8, 5])
    await checkBooks(service, tenant)
  })

  it('are not put off by good or silenced events', async () => {
    await open()
    service.clock.set(START + days(10))
    await ingest(service, tenant, [
      { email: 'a@x.com', type: 'email.phishing_reported' },
      { email: 'a@x.com', type: 'custom.nothing' },
    ])
    expect((await standing()).streak_due_at).toBe(START + days(30))
  })

  it('are recorded, without a share, where no rule scores them', async () => {
    await open()
    const { body } = await tenant.call('GET', '/v1/rules?per_page=100')
    const rule = body.data.find((one: any) => one.event_type === 'recovery.clean_streak')
    await tenant.call('PATCH', `/v1/rules/${rule.id}`, { status: 'inactive' })
    service.clock.set(START + days(65))
    await apply()
    expect(await streaks()).toEqual([30, 60])
    expect(await story()).toHaveLength(1)
    expect((await standing()).score).toBe(75)
  })
})

describe('inactive employees', () => {
  it('keep a frozen score without streaks, and are computed anew on return', async () => {
    const [id] = await open()
    await click()
    service.clock.advance(days(10))
    await tenant.call('PATCH', `/v1/employees/${id}`, { status: 'inactive' })
    const frozen = await standing()
    expect(frozen).toMatchObject({ next_change_at: null, streak_due_at: null })
    service.clock.advance(days(90))
    await apply()
    await click()
    expect((await standing()).score).toBe(frozen.score)
    expect(await streaks()).toEqual([])
    await tenant.call('PATCH', `/v1/employees/${id}`, { status: 'active' })
    // 25 · 2^(-100/90) = 11.57
    expect(await standing()).toMatchObject({ score: 63, streak_due_at: START + days(130) })
    service.clock.set(START + days(131))
    await runJobs(service)
    expect(await streaks()).toEqual([130])
    await checkBooks(service, tenant)
  })

  it('are brought up to date before they are frozen', async () => {
    const [id] = await open()
    await click()
    service.clock.advance(days(31))
    await tenant.call('PATCH', `/v1/employees/${id}`, { status: 'inactive' })
    expect(await streaks()).toEqual([30])
    const rows = await story()
    expect(rows.at(-1)).toMatchObject({ reason: 'deactivation', at: START + days(31) })
    expect(rows.filter(row => row.reason === 'decay').length).toBeGreaterThan(3)
    await checkBooks(service, tenant)
  })
})
