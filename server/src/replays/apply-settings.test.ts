// Changes of scoring settings: when they act, on whom, and that nobody is left behind.
import { describe, expect, it } from 'vitest'
import {
  checkBooks,
  days,
  hire,
  ingest,
  readHistory,
  readLog,
  readStandings,
  runJobs,
  setSettings,
} from '../../test/scenario.ts'
import { START, startService, type Tenant } from '../../test/service.ts'
import { askAsOperator } from '../accounts/identity.ts'
import { addEmployees } from '../employees/create-employee.ts'
import { applyDueChangesJob } from '../events/apply-due-changes.job.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { changeScoringSettings, readScoringSettings } from './change-scoring-settings.ts'
import { replayJobsJob } from './run-replay-jobs.job.ts'

const service = await startService()
let tenant: Tenant

async function open(emails: readonly string[] = ['a@x.com', 'b@x.com']) {
  await runDueJobs(service.context, [replayJobsJob()])
  service.clock.set(START)
  tenant = await service.tenant()
  return hire(service, tenant, emails)
}

const click = (email = 'a@x.com') => ingest(service, tenant, [{ email, type: 'sim.link_clicked' }])

const change = (settings: object) => setSettings(service, tenant, settings)

async function standing(email = 'a@x.com') {
  return (await readStandings(service, tenant)).find(one => one.email === email)!
}

const job = async (job_id: string) =>
  (await tenant.call('GET', `/v1/rules/recalculate/${job_id}`)).body

const apply = () => runDueJobs(service.context, [applyDueChangesJob()])

describe('band edges', () => {
  it('re-place everyone, the inactive too, with a step where the band changes', async () => {
    const [a, b] = await open(['a@x.com', 'b@x.com', 'c@x.com'])
    await click('c@x.com')
    await tenant.call('PATCH', `/v1/employees/${b}`, { status: 'inactive' })
    service.clock.advance(days(1))
    await change({ green: 75 })
    await runJobs(service)
    expect((await readStandings(service, tenant)).map(one => one.band)).toEqual([
      ...['green', 'green', 'orange'],
    ])
    for (const email of ['a@x.com', 'b@x.com']) {
      expect((await readHistory(service, tenant, email)).at(-1)).toMatchObject({
        reason: 'settings',
        trigger_event: 'settings',
        band: 'green',
        score: 75,
        edges_version: 2,
        actor: 'operator:operator',
        at: new Date(START + days(1)),
      })
    }
    const rows = await readHistory(service, tenant, 'c@x.com')
    expect(rows.map(row => row.reason)).not.toContain('settings')
    const { body } = await tenant.call('GET', `/v1/employees/${a}`)
    expect(body.band).toBe('green')
    await checkBooks(service, tenant)
  })

  it('hold for every scoring from the change on, before the job has come by', async () => {
    await open()
    await change({ orange: 55 })
    await click()
    expect(await standing()).toMatchObject({ score: 50, band: 'red', edges_version: 2 })
  })
})

describe('somebody who is being added', () => {
  it('is waited for by a change of settings, so that nobody new keeps the old ones', async () => {
    await open([])
    const { tenant_id } = tenant
    const asked = askAsOperator(tenant_id, service.clock.now())
    const inTenant = service.context.db.inTenant
    await inTenant(tenant_id, async tx => {
      const people = [{ email: 'a@x.com', first_name: 'Ada', last_name: 'Moss' }]
      await addEmployees(tx, asked, people)
      const meanwhile = inTenant(tenant_id, async other => {
        await other`SET LOCAL lock_timeout = '1ms'`
        return changeScoringSettings(other, asked, { starting_score: 60 })
      })
      await expect(meanwhile).rejects.toThrow()
    })
    await change({ starting_score: 60 })
    await runJobs(service)
    expect(await standing()).toMatchObject({ score: 60, settings_version: 2 })
  })
})

describe('a move between departments', () => {
  it('brings nobody to new settings: those that the job reaches wait for it, the inactive for their return', async () => {
    const [a, b] = await open()
    await click('a@x.com')
    await click('b@x.com')
    await tenant.call('PATCH', `/v1/employees/${b}`, { status: 'inactive' })
    await change({ starting_score: 60 })
    for (const id of [a, b]) await tenant.call('PATCH', `/v1/employees/${id}`, { department: 'IT' })
    const versions = async () =>
      (await readStandings(service, tenant)).map(one => one.settings_version)
    expect(await versions()).toEqual([1, 1])
    await runJobs(service)
    expect(await versions()).toEqual([2, 1])
    await tenant.call('PATCH', `/v1/employees/${b}`, { department: 'Legal' })
    expect(await versions()).toEqual([2, 1])
    await checkBooks(service, tenant)
  })
})

describe('lists of a band by score', () => {
  it('follow the recorded band while the job has not come by', async () => {
    await open()
    const list = async (band: string) => {
      const { body } = await tenant.call('GET', `/v1/employees?band=${band}&sort=score`)
      expect(body.data).toHaveLength(body.pagination.total)
      return body.pagination.total
    }
    // 75 is yellow by the old edges and green by the new ones.
    await setSettings(service, tenant, { green: 70 })
    expect([await list('yellow'), await list('green')]).toEqual([2, 0])
    await runJobs(service)
    expect([await list('yellow'), await list('green')]).toEqual([0, 2])
  })
})

describe('start, half-life and cap', () => {
  it('act on people when the job comes to them, and on newcomers at once', async () => {
    await open()
    await click()
    service.clock.advance(days(30))
    await apply()
    const before = await readStandings(service, tenant)
    const job_id = await change({ half_life_days: 10, starting_score: 70 })
    await hire(service, tenant, ['n@x.com'])
    expect((await standing('n@x.com')).score).toBe(70)
    expect((await readStandings(service, tenant)).slice(0, 2)).toEqual(before)
    await runDueJobs(service.context, [replayJobsJob()])
    // Both have the streak of day 30; a's click is down to 25 · 2^(-30/10) = 3.1.
    expect((await readStandings(service, tenant)).map(one => one.score)).toEqual([72, 75, 70])
    expect(await job(job_id)).toMatchObject({ status: 'completed', scope: 'all' })
    const last = (await readHistory(service, tenant, 'a@x.com')).at(-1)
    expect(last).toMatchObject({ reason: 'recalculation', settings_version: 2 })
    await checkBooks(service, tenant)
  })

  it('lose nothing to events that come in while the job runs', async () => {
    const emails = Array.from({ length: 12 }, (_, i) => `p${i}@x.com`)
    await open(emails)
    const burst = () =>
      ingest(
        service,
        tenant,
        emails.map(email => ({ email, type: 'sim.link_clicked' })),
      )
    await burst()
    service.clock.advance(days(2))
    await change({ half_life_days: 20 })
    const slow = { pieces: 1, events: 1, most_employees: 2, first_employees: 2 }
    const worker = replayJobsJob(slow)
    for (let more = true; more; ) {
      service.clock.advance(days(1.1))
      const [worked] = await Promise.all([worker.run(service.context), burst(), apply()])
      more = worked
    }
    await apply()
    for (const one of await readStandings(service, tenant)) expect(one.settings_version).toBe(2)
    await checkBooks(service, tenant)
  })

  it('reach who was inactive in the transaction of the return', async () => {
    const [id] = await open()
    await click()
    await tenant.call('PATCH', `/v1/employees/${id}`, { status: 'inactive' })
    const frozen = (await standing()).score
    await change({ half_life_days: 10 })
    service.clock.advance(days(10))
    await runJobs(service)
    expect(await standing()).toMatchObject({ score: frozen, settings_version: 1 })
    await tenant.call('PATCH', `/v1/employees/${id}`, { status: 'active' })
    // 25 · 2^(-10/10) = 12.5, and 62.5 is rounded up.
    expect(await standing()).toMatchObject({ score: 63, settings_version: 2, status: 'active' })
    const rows = await readHistory(service, tenant, 'a@x.com')
    expect(rows.slice(-2).map(row => [row.reason, row.status, row.score])).toEqual([
      ['recalculation', 'inactive', frozen],
      ['reactivation', 'active', 63],
    ])
    await checkBooks(service, tenant)
  })
})

describe('the streak period', () => {
  const streaks = async () =>
    (await readLog(service, tenant))
      .filter(one => one.email === 'a@x.com' && one.type === 'recovery.clean_streak')
      .map(one => (one.timestamp.getTime() - START) / days(1))

  it('made shorter: overdue ones fall due at the change, none before it', async () => {
    await open()
    service.clock.set(START + days(20))
    await change({ clean_streak_days: 10 })
    await runJobs(service)
    expect(await streaks()).toEqual([20])
    service.clock.set(START + days(41))
    await runJobs(service)
    expect(await streaks()).toEqual([20, 30, 40])
    await checkBooks(service, tenant)
  })

  it('made longer: holds at once, even where the job has not come by', async () => {
    await open()
    service.clock.set(START + days(20))
    await change({ clean_streak_days: 50 })
    service.clock.set(START + days(40))
    await apply()
    expect(await streaks()).toEqual([])
    expect((await standing()).streak_due_at).toBe(START + days(50))
    service.clock.set(START + days(51))
    await click()
    expect(await streaks()).toEqual([50])
  })

  it('leaves a streak that had fallen due before the change, applied or not', async () => {
    await open()
    service.clock.set(START + days(35))
    await change({ clean_streak_days: 60 })
    await runJobs(service)
    expect(await streaks()).toEqual([30])
    expect((await standing()).streak_due_at).toBe(START + days(90))
    await checkBooks(service, tenant)
  })
})

describe('the job behind a change', () => {
  it('waits behind a running one; of several waiting only the last is run', async () => {
    await open()
    const asked = await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })
    const first = await change({ starting_score: 60 })
    const second = await change({ starting_score: 50 })
    const third = await change({ green: 90 })
    expect(await job(first)).toMatchObject({
      status: 'cancelled',
      error: `superseded by ${second}`,
    })
    expect(await job(second)).toMatchObject({ status: 'cancelled' })
    const slow = { pieces: 1, events: 1, most_employees: 1, first_employees: 1 }
    await replayJobsJob(slow).run(service.context)
    expect((await job(asked.body.job_id)).status).toBe('running')
    expect((await job(third)).status).toBe('queued')
    const refused = await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })
    expect(refused.body.error.code).toBe('JOB_RUNNING')
    await runJobs(service)
    expect((await job(third)).status).toBe('completed')
    expect((await readStandings(service, tenant)).map(one => one.score)).toEqual([50, 50])
    await checkBooks(service, tenant)
  })

  it('is named where a recalculation is refused for it: it cannot be cancelled', async () => {
    await open()
    const job_id = await change({ starting_score: 60 })
    const refused = await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })
    const said = `the job ${job_id}, which follows a change of settings, is not finished yet; wait for it`
    expect([refused.status, refused.body.error.message]).toEqual([409, said])
    await runJobs(service)
  })

  it('is none where nothing changes, and does not count against the plan', async () => {
    await open()
    const { tenant_id } = tenant
    const asked = askAsOperator(tenant_id, START)
    const same = await service.context.db.inTenant(tenant_id, tx =>
      changeScoringSettings(tx, asked, { green: 80, recovery_cap: 25 }),
    )
    expect(same).toBeNull()
    for (const starting_score of [60, 61, 62, 63, 64, 65]) {
      await change({ starting_score })
      await runJobs(service)
    }
    expect((await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })).status).toBe(202)
  })

  it('is shown with its progress beside the settings in force, and audited', async () => {
    await open()
    const job_id = await change({ starting_score: 60, red: 10 })
    const { tenant_id } = tenant
    const { db } = service.context
    expect(await db.inTenant(tenant_id, tx => readScoringSettings(tx, tenant_id))).toEqual({
      tenant_id,
      starting_score: 60,
      half_life_days: 90,
      recovery_cap: 25,
      clean_streak_days: 30,
      green: 80,
      yellow: 60,
      orange: 40,
      red: 10,
      revoke_keys_of_leavers: false,
      jobs: [
        { job_id, kind: 'settings', status: 'queued', employees_total: 0, employees_processed: 0 },
      ],
    })
    const [entry] = await db.inTenant(
      tenant_id,
      tx => tx`SELECT e.action, e.actor_kind, v.content FROM audit_entries e
        JOIN audit_values v ON v.tenant_id = e.tenant_id AND v.seq = e.seq
        WHERE e.tenant_id = ${tenant_id} AND v.tenant_id = ${tenant_id} ORDER BY e.seq DESC LIMIT 1`,
    )
    expect(entry).toMatchObject({ action: 'tenant.settings_changed', actor_kind: 'operator' })
    expect(JSON.parse(entry!.content)).toMatchObject({
      before: { starting_score: 75, red: 20 },
      after: { starting_score: 60, red: 10 },
    })
  })

  it.each([
    [{ starting_score: 101 }, 'starting_score'],
    [{ starting_score: 80 }, 'recovery_cap'],
    [{ half_life_days: 0 }, 'half_life_days'],
    [{ clean_streak_days: 366 }, 'clean_streak_days'],
    [{ yellow: 85 }, 'yellow'],
    [{ red: 0 }, 'red'],
  ])('refuses %j by name and changes nothing', async (settings, path) => {
    await open()
    const { tenant_id } = tenant
    const { db } = service.context
    const read = () => db.inTenant(tenant_id, tx => readScoringSettings(tx, tenant_id))
    const before = await read()
    await expect(change(settings)).rejects.toMatchObject({ details: [{ path }] })
    expect(await read()).toEqual(before)
  })
})
