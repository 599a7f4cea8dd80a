// Jobs over HTTP and behind it: limits, one at a time, previews, cancelling, taking over from a dead worker.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  checkBooks,
  days,
  hire,
  ingest,
  openChanged,
  readHistory,
  readStandings,
  recalculate,
  runJobs,
  setSettings,
} from '../../test/scenario.ts'
import { type Service, START, startService, type Tenant } from '../../test/service.ts'
import { DAY, HOUR, MINUTE } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { forgetJobsJob } from './forget-jobs.job.ts'
import { claimJob, findJob, listOpenJobs, lockHeldJob } from './jobs.queries.ts'
import { mendFarJobsJob } from './mend-far-jobs.job.ts'
import { LEASE_MS } from './run-pieces.ts'
import { replayJobsJob } from './run-replay-jobs.job.ts'

const service = await startService()

const ask = (tenant: Tenant, scope: unknown = 'all', query = '') =>
  tenant.call('POST', `/v1/rules/recalculate${query}`, { scope })

const EMAILS = Array.from({ length: 9 }, (_, i) => `p${i}@x.com`)
const SLOW = { pieces: 1, events: 1, most_employees: 1, first_employees: 1 }

/** Nine people whom a recalculation changes. */
async function openNine(plan: 'starter' | 'professional' | 'enterprise' = 'enterprise') {
  await runDueJobs(service.context, [replayJobsJob()])
  service.clock.set(START)
  return openChanged(service, await service.tenant({ plan, limits: {} }), EMAILS)
}

const scores = async (tenant: Tenant) =>
  (await readStandings(service, tenant)).map(standing => standing.score)

const inTenant: Service['context']['db']['inTenant'] = (tenant_id, work) =>
  service.context.db.inTenant(tenant_id, work)

describe('POST /v1/rules/recalculate', () => {
  it('202 gives the job, its place, and how it goes on', async () => {
    const { tenant } = await openNine()
    const asked = await ask(tenant)
    expect(asked.status).toBe(202)
    const { job_id } = asked.body
    expect(asked.body).toEqual({ job_id, status: 'queued' })
    expect(asked.headers.location).toBe(`/v1/rules/recalculate/${job_id}`)
    const queued = await tenant.call('GET', asked.headers.location as string)
    const at = new Date(START).toISOString()
    expect(queued.body).toEqual({
      job_id,
      status: 'queued',
      scope: 'all',
      dry_run: false,
      employees_total: 0,
      employees_processed: 0,
      scores_changed: 0,
      created_at: at,
      started_at: null,
      finished_at: null,
      error: null,
    })
    await replayJobsJob({ ...SLOW, first_employees: 2 }).run(service.context)
    const running = await tenant.call('GET', asked.headers.location as string)
    expect(running.body).toMatchObject({
      status: 'running',
      employees_total: 9,
      employees_processed: 2,
      scores_changed: 2,
      started_at: at,
      finished_at: null,
    })
    expect(await scores(tenant)).toEqual([35, 35, 65, 65, 65, 65, 65, 65, 65])
    service.clock.advance(MINUTE)
    await runJobs(service)
    const done = await tenant.call('GET', asked.headers.location as string)
    expect(done.body).toMatchObject({
      status: 'completed',
      employees_total: 9,
      employees_processed: 9,
      scores_changed: 9,
      finished_at: new Date(START + MINUTE).toISOString(),
    })
    await checkBooks(service, tenant)
  })

  it.each([
    ['all', 'all'],
    [{ department: 'Sales' }, { department: 'Sales' }],
    ['department:Sales', { department: 'Sales' }],
    ['department:', 404],
    [{ department: 'Nowhere' }, 404],
    ['sales', 400],
    ['department', 400],
    [{ team: 'Sales' }, 400],
    [7, 400],
    [null, 400],
  ])('reads the scope %j', async (scope, expected) => {
    const { tenant } = await openNine()
    const asked = await ask(tenant, scope)
    if (typeof expected === 'number') {
      expect(asked.status).toBe(expected)
      if (expected === 400) expect(asked.body.error.details[0].path).toMatch(/^scope/)
      return
    }
    const { body } = await tenant.call('GET', asked.headers.location as string)
    expect(body.scope).toEqual(expected)
  })

  it.each([
    [{}, ['scope.department: is required']],
    [{ department: 7 }, ['scope.department: must be string']],
    [{ department: 'Sales', team: 1 }, ['scope.team: is not a known field']],
    ['x'.repeat(301), ['scope: must have at most 300 characters']],
    [null, ['scope: must be string or object']],
  ])('400 tells what is wrong with the form that the scope has (%#)', async (scope, told) => {
    const { body } = await ask(await service.tenant(), scope)
    const faults = body.error.details as { path: string; message: string }[]
    expect(faults.map(({ path, message }) => `${path}: ${message}`)).toEqual(told)
  })

  it('202 reads the department beside the scope, and 400 refuses it beside another', async () => {
    const { tenant } = await openNine()
    const beside = { scope: 'all', department: 'Sales' }
    const refused = await tenant.call('POST', '/v1/rules/recalculate', beside)
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'department'])
    const body = { scope: 'department', department: 'Sales' }
    expect((await tenant.call('POST', '/v1/rules/recalculate', body)).status).toBe(202)
  })

  it('409 JOB_RUNNING while one is not finished; a preview may run beside, but one at a time', async () => {
    const { tenant } = await openNine()
    const first = await ask(tenant)
    const second = await ask(tenant)
    expect([second.status, second.body.error.code]).toEqual([409, 'JOB_RUNNING'])
    expect(second.body.error.message).toMatch(/^the job job_\w+ is not .* or cancel it$/)
    expect((await ask(tenant, 'all', '?dry_run=true')).status).toBe(202)
    expect((await ask(tenant, 'all', '?dry_run=true')).body.error.code).toBe('JOB_RUNNING')
    await runJobs(service)
    expect((await tenant.call('GET', first.headers.location as string)).body.status).toBe(
      'completed',
    )
    expect((await ask(tenant)).status).toBe(202)
  })

  it('409 for all but one of several at once', async () => {
    const { tenant } = await openNine()
    const all = await Promise.all(Array.from({ length: 6 }, () => ask(tenant)))
    expect(all.map(one => one.status).sort()).toEqual([202, 409, 409, 409, 409, 409])
  })

  it.each([
    ['starter', 1, 24 * HOUR],
    ['professional', 1, HOUR],
    ['enterprise', 4, HOUR],
  ] as const)('429 on %s after %d', async (plan, most, window) => {
    const { tenant } = await openNine(plan)
    for (let i = 0; i < most; i++) {
      await recalculate(service, tenant)
      service.clock.advance(5 * MINUTE)
    }
    const since = (most - 1) * 5 * MINUTE
    const now = service.clock.now()
    const refused = await ask(tenant)
    expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMITED'])
    expect(refused.headers['retry-after']).toBe(String((START + window - now) / 1000))
    expect(refused.headers['x-ratelimit-limit']).toBe(String(most))
    expect(refused.headers['x-ratelimit-remaining']).toBe('0')
    expect(refused.headers['x-ratelimit-reset']).toBe(String((START + since + window) / 1000))
    for (let i = 0; i < 3; i++) {
      expect((await ask(tenant, 'all', '?dry_run=true')).status).toBe(202)
      await runDueJobs(service.context, [replayJobsJob()])
    }
    service.clock.set(START + window - 1)
    expect((await ask(tenant)).status).toBe(429)
    service.clock.set(START + window)
    expect((await ask(tenant)).status).toBe(202)
  })

  it('202 for a tenant whose last one was asked for under a clock that ran a day ahead', async () => {
    const { tenant } = await openNine('professional')
    service.clock.set(START + DAY)
    await recalculate(service, tenant)
    service.clock.set(START)
    expect((await ask(tenant)).status).toBe(202)
    await runJobs(service)
    expect((await ask(tenant)).status).toBe(429)
  })

  it('does not count refused calls', async () => {
    const { tenant } = await openNine('professional')
    for (let i = 0; i < 3; i++) {
      expect((await ask(tenant, { department: 'Nowhere' })).status).toBe(404)
      expect((await ask(tenant, 'sales')).status).toBe(400)
    }
    expect((await ask(tenant)).status).toBe(202)
  })

  it('202 gives the same job to a repeated Idempotency-Key, and does not count it', async () => {
    const { tenant } = await openNine('professional')
    const headers = { 'idempotency-key': 'k1' }
    const body = { scope: 'all' }
    const first = await tenant.call('POST', '/v1/rules/recalculate', body, headers)
    const again = await tenant.call('POST', '/v1/rules/recalculate', body, headers)
    expect(again.body).toEqual(first.body)
    expect(again.headers.location).toBe(first.headers.location)
  })

  it('409 a preview and the deed under one Idempotency-Key are not the same request', async () => {
    const { tenant } = await openNine('professional')
    const [headers, body] = [{ 'idempotency-key': 'k1' }, { scope: 'all' }]
    const path = '/v1/rules/recalculate'
    const preview = await tenant.call('POST', `${path}?dry_run=true`, body, headers)
    const deed = await tenant.call('POST', path, body, headers)
    expect([preview.status, deed.status]).toEqual([202, 409])
  })

  it('202 with dry_run says what would change, exactly, and changes nothing', async () => {
    const allAt = (score: number) => Array.from({ length: 101 }, (_, i) => (i === score ? 9 : 0))
    const { tenant, people } = await openNine()
    const asked = await ask(tenant, 'all', '?dry_run=true')
    await runDueJobs(service.context, [replayJobsJob({ ...SLOW, most_employees: 2 })])
    const { body } = await tenant.call('GET', asked.headers.location as string)
    expect(body).toMatchObject({ status: 'completed', dry_run: true, scores_changed: 9 })
    expect(body.result).toEqual({
      bands_before: { green: 0, yellow: 9, orange: 0, red: 0, critical: 0 },
      bands_after: { green: 0, yellow: 0, orange: 0, red: 9, critical: 0 },
      scores_before: allAt(65),
      scores_after: allAt(35),
      score_changes: people.map(employee_id => {
        return { employee_id, current_score: 65, projected_score: 35 }
      }),
    })
    expect(await scores(tenant)).toEqual(Array(9).fill(65))
    await recalculate(service, tenant)
    expect(await scores(tenant)).toEqual(Array(9).fill(35))
    const after = await ask(tenant, 'all', '?dry_run=true')
    await runJobs(service)
    const settled = await tenant.call('GET', after.headers.location as string)
    expect(settled.body.result.score_changes).toEqual([])
  })

  it('202 for a tenant without employees, with zeros', async () => {
    const tenant = await service.tenant()
    const asked = await ask(tenant, 'all', '?dry_run=true')
    await runJobs(service)
    const { body } = await tenant.call('GET', asked.headers.location as string)
    expect(body).toMatchObject({ status: 'completed', employees_total: 0, scores_changed: 0 })
    expect(body.result.score_changes).toEqual([])
  })
})

describe('DELETE /v1/rules/recalculate/:job_id', () => {
  it('204 stops between pieces; what is done stays', async () => {
    const { tenant } = await openNine()
    const asked = await ask(tenant)
    const path = asked.headers.location as string
    const worker = replayJobsJob(SLOW)
    await worker.run(service.context)
    await worker.run(service.context)
    expect((await tenant.call('DELETE', path)).status).toBe(204)
    expect(await worker.run(service.context)).toBe(false)
    const { body } = await tenant.call('GET', path)
    expect(body).toMatchObject({ status: 'cancelled', employees_processed: 2, scores_changed: 2 })
    expect(await scores(tenant)).toEqual([35, 35, 65, 65, 65, 65, 65, 65, 65])
    expect((await tenant.call('DELETE', path)).status).toBe(204)
    await checkBooks(service, tenant)
    expect((await ask(tenant)).status).toBe(202)
  })

  it('409 for one that is finished or follows a change of settings', async () => {
    const { tenant } = await openNine()
    const { job_id } = await recalculate(service, tenant)
    const done = await tenant.call('DELETE', `/v1/rules/recalculate/${job_id}`)
    expect([done.status, done.body.error.code]).toEqual([409, 'CONFLICT'])
    const settings = await setSettings(service, tenant, { starting_score: 70 })
    const refused = await tenant.call('DELETE', `/v1/rules/recalculate/${settings}`)
    expect(refused.status).toBe(409)
  })

  it("404 for an unknown job, another tenant's, and one of another kind", async () => {
    const { tenant } = await openNine()
    const other = await openNine()
    const asked = await ask(other.tenant)
    const body = { reason: 'x', filter: { type: 'custom.a' } }
    const retraction = await tenant.call('POST', '/v1/events/retract', body)
    for (const id of ['job_none', asked.body.job_id, retraction.body.job_id]) {
      const path = `/v1/rules/recalculate/${id}`
      expect((await tenant.call('GET', path)).status).toBe(404)
      expect((await tenant.call('DELETE', path)).status).toBe(404)
    }
  })
})

describe('the worker', () => {
  it('takes a job over once the lease of a dead one has run out, and shuts that one out', async () => {
    const { tenant } = await openNine()
    const { tenant_id } = tenant
    const { body } = await ask(tenant)
    await replayJobsJob(SLOW).run(service.context)
    const now = service.clock.now()
    const dead = await inTenant(tenant_id, async tx => {
      const [job] = await listOpenJobs(tx, tenant_id)
      return claimJob(tx, tenant_id, job!, new Date(now), new Date(now + MINUTE))
    })
    expect(await replayJobsJob().run(service.context)).toBe(false)
    service.clock.advance(MINUTE)
    const other = replayJobsJob(SLOW)
    expect(await other.run(service.context)).toBe(true)
    const held = await inTenant(tenant_id, tx =>
      lockHeldJob(tx, tenant_id, body.job_id, dead!.fence),
    )
    expect(held).toBeUndefined()
    await runDueJobs(service.context, [other])
    const job = await inTenant(tenant_id, tx => findJob(tx, tenant_id, body.job_id))
    expect(job).toMatchObject({ status: 'completed', processed: 9, changed: 9 })
    await checkBooks(service, tenant)
  })

  it('takes a job over a lease after one whose clock was far ahead has died', async () => {
    const { tenant } = await openNine()
    const { tenant_id } = tenant
    await ask(tenant)
    const claim = (ahead_ms: number) =>
      inTenant(tenant_id, async tx => {
        const [job] = await listOpenJobs(tx, tenant_id)
        const at = service.clock.now() + ahead_ms
        await claimJob(tx, tenant_id, job!, new Date(at), new Date(at + LEASE_MS))
      })
    const mend = () => runDueJobs(service.context, [mendFarJobsJob()])
    const run = () => replayJobsJob().run(service.context)
    await claim(DAY)
    await mend()
    expect(await run(), 'who holds it may be alive').toBe(false)
    service.clock.advance(LEASE_MS - 1)
    expect(await run()).toBe(false)
    service.clock.advance(1)
    expect(await run()).toBe(true)
    await ask(tenant)
    await claim(MINUTE)
    await mend()
    service.clock.advance(LEASE_MS)
    expect(await run(), 'a clock a minute ahead is borne with').toBe(false)
    service.clock.advance(MINUTE)
    expect(await run()).toBe(true)
    await checkBooks(service, tenant)
  })

  it('never does a piece twice with several of them at once', async () => {
    const { tenant } = await openNine()
    const { body } = await ask(tenant)
    const workers = Array.from({ length: 3 }, () => replayJobsJob(SLOW))
    for (let more = true; more; ) {
      const runs = await Promise.all(workers.map(worker => worker.run(service.context)))
      more = runs.some(worked => worked)
    }
    const { tenant_id } = tenant
    const job = await inTenant(tenant_id, tx => findJob(tx, tenant_id, body.job_id))
    expect(job).toMatchObject({ status: 'completed', processed: 9, changed: 9, events: 9 })
    await checkBooks(service, tenant)
  })

  it('goes on where it was after kill -9', async () => {
    const { tenant } = await openNine()
    const { tenant_id } = tenant
    const { body } = await ask(tenant)
    const script = fileURLToPath(new URL('../../test/replay-worker.ts', import.meta.url))
    const input = JSON.stringify({ address: service.address, now: service.clock.now() })
    const child = spawn(process.execPath, [script, input], { stdio: 'inherit' })
    const [, signal] = await once(child, 'exit')
    expect(signal).toBe('SIGKILL')
    const left = await inTenant(tenant_id, tx => findJob(tx, tenant_id, body.job_id))
    expect(left!.status).toBe('running')
    expect(left!.processed).toBeGreaterThanOrEqual(3)
    expect(left!.processed).toBeLessThan(9)
    service.clock.advance(MINUTE)
    await runDueJobs(service.context, [replayJobsJob()])
    const job = await inTenant(tenant_id, tx => findJob(tx, tenant_id, body.job_id))
    expect(job).toMatchObject({ status: 'completed', processed: 9, changed: 9, events: 9 })
    expect(await scores(tenant)).toEqual(Array(9).fill(35))
    await checkBooks(service, tenant)
  })

  it('gives a job up after five failures, keeping what was done', async () => {
    const { tenant } = await openNine()
    const { tenant_id } = tenant
    const { body } = await ask(tenant)
    const worker = replayJobsJob(SLOW)
    await worker.run(service.context)
    // A share that no replay can have written: its key clashes with the next one.
    await inTenant(
      tenant_id,
      tx => tx`INSERT INTO shares (tenant_id, employee_id, rule_id, timestamp, event_id, from_version, impact,
          dated_at, to_version, folded)
        SELECT s.tenant_id, s.employee_id, s.rule_id, s.timestamp, s.event_id, 3, 0, s.dated_at, 3, false
        FROM shares s WHERE s.tenant_id = ${tenant_id} AND s.from_version = 2 AND s.to_version IS NULL`,
    )
    for (let i = 0; i < 5; i++) {
      const job = await inTenant(tenant_id, tx => findJob(tx, tenant_id, body.job_id))
      expect(job!.status).toBe('running')
      await worker.run(service.context)
      service.clock.advance(MINUTE)
    }
    const { body: failed } = await tenant.call('GET', `/v1/rules/recalculate/${body.job_id}`)
    expect(failed).toMatchObject({
      status: 'failed',
      employees_processed: 1,
      scores_changed: 1,
      error: 'an internal error stopped the job; what was done before it stays',
    })
    expect(await scores(tenant)).toEqual([35, ...Array(8).fill(65)])
  })
})

it('jobs that ended are kept for 90 days, others for as long as they last', async () => {
  const { tenant } = await openNine()
  const done = await recalculate(service, tenant)
  const open = await ask(tenant)
  const status = async (job_id: string) =>
    (await tenant.call('GET', `/v1/rules/recalculate/${job_id}`)).status
  service.clock.set(START + days(90))
  await runDueJobs(service.context, [forgetJobsJob()])
  expect(await status(done.job_id)).toBe(200)
  service.clock.advance(1)
  await runDueJobs(service.context, [forgetJobsJob()])
  expect([await status(done.job_id), await status(open.body.job_id)]).toEqual([404, 200])
})

describe('POST /v1/events/retract', () => {
  const retract = (tenant: Tenant, filter: object, query = '') =>
    tenant.call('POST', `/v1/events/retract${query}`, { reason: 'a mail scanner', filter })

  async function openClicks() {
    await runDueJobs(service.context, [replayJobsJob()])
    service.clock.set(START)
    const tenant = await service.tenant()
    const people = await hire(service, tenant, ['a@x.com', 'b@x.com', 'c@x.com'])
    const click = (email: string, campaign: string, at = START) => {
      return { email, type: 'sim.link_clicked', at, details: { campaign } }
    }
    await ingest(service, tenant, [
      click('a@x.com', 'spring'),
      click('b@x.com', 'spring'),
      click('b@x.com', 'autumn', START - days(40)),
      click('c@x.com', 'autumn'),
      { email: 'a@x.com', type: 'sim.credentials_entered', details: { campaign: 'spring' } },
    ])
    await tenant.call('PATCH', `/v1/employees/${people[1]}`, { status: 'inactive' })
    return { tenant, people }
  }

  const SPRING = { type: 'sim.link_clicked', conditions: { campaign: 'spring' } }

  it('202 previews without a change, then retracts what the preview showed', async () => {
    const { tenant, people } = await openClicks()
    const before = await readStandings(service, tenant)
    const preview = await retract(tenant, SPRING, '?dry_run=true')
    expect(preview.status).toBe(202)
    await runJobs(service)
    const seen = await tenant.call('GET', preview.headers.location as string)
    expect(seen.body).toMatchObject({
      status: 'completed',
      dry_run: true,
      reason: 'a mail scanner',
      filter: SPRING,
      events_matched: 2,
      employees_affected: 2,
      scores_changed: 1,
    })
    const [change] = seen.body.result.score_changes
    expect(change).toMatchObject({ employee_id: people[0], current_score: before[0]!.score })
    expect(await readStandings(service, tenant)).toEqual(before)
    const asked = await retract(tenant, SPRING)
    await runJobs(service)
    const done = await tenant.call('GET', asked.headers.location as string)
    expect(done.body).toMatchObject({
      status: 'completed',
      dry_run: false,
      employees_total: 3,
      employees_processed: 3,
      events_matched: 2,
      employees_affected: 2,
      scores_changed: 1,
    })
    expect(done.body.result).toBeUndefined()
    const after = await readStandings(service, tenant)
    expect(after[0]!.score).toBe(change.projected_score)
    expect(after[1]!.score).toBe(before[1]!.score)
    expect(after[2]).toEqual(before[2])
    const { body } = await tenant.call('GET', '/v1/events?type=sim.link_clicked')
    const retracted = body.data.filter((event: any) => event.retracted_at)
    expect(retracted.map((event: any) => event.details.campaign)).toEqual(['spring', 'spring'])
    await checkBooks(service, tenant)
  })

  it('202 takes several of one person back in one step, which names none of them', async () => {
    const { tenant, people } = await openClicks()
    await ingest(service, tenant, [{ email: 'a@x.com', type: 'sim.replied', at: START - days(3) }])
    const asked = await retract(tenant, { employee_id: people[0] })
    await runJobs(service)
    const { body } = await tenant.call('GET', asked.headers.location as string)
    expect(body).toMatchObject({ events_matched: 3, employees_affected: 1, scores_changed: 1 })
    const history = await readHistory(service, tenant, 'a@x.com')
    expect(history.filter(row => row.reason === 'retraction')).toMatchObject([
      { trigger_event: 'sim.replied', event_id: null, risk: 0, score: 75 },
    ])
    expect((await readStandings(service, tenant))[0]!.last_negative_at).toBeNull()
    await checkBooks(service, tenant)
  })

  it('202 narrows by source, employee and window, and leaves later and own events alone', async () => {
    const { tenant, people } = await openClicks()
    const to = new Date(START - days(1)).toISOString()
    const asked = await retract(tenant, { source: 'simulator', employee_id: people[1], to })
    service.clock.advance(1)
    await ingest(service, tenant, [
      { email: 'b@x.com', type: 'sim.link_clicked', at: START - days(2) },
    ])
    await runJobs(service)
    const { body } = await tenant.call('GET', asked.headers.location as string)
    expect(body).toMatchObject({ events_matched: 1, filter: { to, employee_id: people[1] } })
    await checkBooks(service, tenant)
  })

  it('202 leaves whoever was erased alone where conditions look at details, which are gone', async () => {
    const { tenant, people } = await openClicks()
    const erase = { confirm: 'erase' }
    expect((await tenant.call('POST', `/v1/employees/${people[2]}/erase`, erase)).status).toBe(200)
    const others = { type: 'sim.link_clicked', conditions: { campaign: { ne: 'autumn' } } }
    const asked = await retract(tenant, others)
    await runJobs(service)
    const { body } = await tenant.call('GET', asked.headers.location as string)
    expect(body).toMatchObject({ status: 'completed', events_matched: 2, employees_affected: 2 })
    const plain = await retract(tenant, {
      type: 'sim.link_clicked',
      conditions: { source: 'simulator' },
    })
    await runJobs(service)
    const rest = await tenant.call('GET', plain.headers.location as string)
    expect(rest.body).toMatchObject({
      status: 'completed',
      events_matched: 2,
      employees_affected: 2,
    })
    await checkBooks(service, tenant)
  })

  it('204 cancels between pieces', async () => {
    const { tenant } = await openClicks()
    const asked = await retract(tenant, { type: 'sim.link_clicked' })
    const worker = replayJobsJob(SLOW)
    await worker.run(service.context)
    const path = asked.headers.location as string
    expect((await tenant.call('DELETE', path)).status).toBe(204)
    await runJobs(service)
    const { body } = await tenant.call('GET', path)
    expect(body).toMatchObject({ status: 'cancelled', events_matched: 1 })
    await checkBooks(service, tenant)
  })

  it('409 JOB_RUNNING for a second one', async () => {
    const { tenant } = await openClicks()
    await retract(tenant, SPRING)
    expect((await retract(tenant, SPRING)).body.error.code).toBe('JOB_RUNNING')
  })

  it.each([
    [{ reason: 'x' }, 'filter'],
    [{ reason: 'x', filter: {} }, 'filter'],
    [{ reason: 'x', filter: { from: '2026-01-01' } }, 'filter'],
    [{ reason: 'x', filter: { type: 'a.b', from: 'soon' } }, 'filter.from'],
    [{ reason: 'x', filter: { type: 'a.b', colour: 'red' } }, 'filter.colour'],
    [{ reason: 'x', filter: { conditions: { a: { near: 1 } } } }, 'filter.conditions.a'],
    [{ reason: ' ', filter: { type: 'a.b' } }, 'reason'],
    [{ filter: { type: 'a.b' } }, 'reason'],
  ])('400 refuses %j by name', async (body, path) => {
    const tenant = await service.tenant()
    const answer = await tenant.call('POST', '/v1/events/retract', body)
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path])
  })
})
