// Policies at work: which changes set off which actions, and which do not.
import { describe, expect, test } from 'vitest'
import { setSettings } from '../../test/scenario.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { applyDueChangesJob } from '../events/apply-due-changes.job.ts'
import { DAY, HOUR } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { replayJobsJob } from '../replays/run-replay-jobs.job.ts'
import { actionsOf, addPolicy, happen, hire, openDesk, type Person } from './actions.fixture.ts'
import { MOST_POLICIES } from './change-policies.ts'
import { DEFAULT_POLICIES } from './default-policies.ts'

const service = await startService()
let tenant: Tenant
let desk: Person

/** Every test has a tenant of its own: a policy is on for all of it. */
async function open(): Promise<void> {
  tenant = await service.tenant()
  desk = await openDesk(service, tenant)
}

const off = (id: string) =>
  desk.call('PATCH', `/admin/action-policies/${id}`, { status: 'inactive' })

async function changeRule(event_type: string, change: object): Promise<void> {
  const { body } = await tenant.call('GET', '/v1/rules?per_page=100')
  const rule = body.data.find((one: { event_type: string }) => one.event_type === event_type)
  expect((await tenant.call('PATCH', `/v1/rules/${rule.id}`, change)).status).toBe(200)
}

describe('entering a band', () => {
  test('acts once on the way down, with the event and the numbers, and not on the way up', async () => {
    await open()
    const policy = await addPolicy(desk, { kind: 'band_entered', bands: ['orange', 'yellow'] })
    const ada = await hire(tenant)
    const { id } = await happen(tenant, ada, 'sim.link_clicked')
    const [action, ...more] = await actionsOf(tenant, ada)
    expect(more).toEqual([])
    expect(action).toMatchObject({
      policy_id: policy.id,
      type: 'webhook_only',
      status: 'triggered',
      reason: 'event',
      trigger_event: 'sim.link_clicked',
      event_id: id,
      previous_score: 75,
      new_score: 50,
      previous_band: 'yellow',
      new_band: 'orange',
    })
    await happen(tenant, ada, 'training.completed')
    expect(await actionsOf(tenant, ada)).toHaveLength(1)
  })

  test('a policy that is off, and every default one, does nothing', async () => {
    await open()
    const { body } = await desk.call('GET', '/admin/action-policies')
    expect(body.data.map((one: { name: string }) => one.name)).toEqual(
      DEFAULT_POLICIES.map(one => one.name),
    )
    expect(body.data.every((one: { status: string }) => one.status === 'inactive')).toBe(true)
    const { id } = await addPolicy(desk, { kind: 'band_entered', bands: ['orange'] })
    expect((await off(id)).status).toBe(200)
    const ada = await hire(tenant)
    await happen(tenant, ada, 'sim.link_clicked')
    await happen(tenant, ada, 'sim.credential_submitted')
    await happen(tenant, ada, 'auth.mfa_push_approved_unexpected')
    expect(await actionsOf(tenant)).toEqual([])
  })

  test('a band that is jumped over is not entered', async () => {
    await open()
    await addPolicy(desk, { kind: 'band_entered', bands: ['orange', 'red'] })
    const ada = await hire(tenant)
    await happen(tenant, ada, 'sim.link_clicked', { timestamp: '2026-03-02T09:00:00Z' })
    const both = { type: 'custom.both', employee_email: ada.email }
    await tenant.call('POST', '/v1/rules', {
      name: 'Both',
      event_type: 'custom.both',
      category: 'custom',
      impact: -45,
    })
    await tenant.call('POST', '/v1/events', both)
    expect((await actionsOf(tenant, ada)).map(one => one.new_band)).toEqual(['orange'])
  })

  test('only people of the department are meant', async () => {
    await open()
    await addPolicy(desk, { kind: 'band_entered', bands: ['orange'] }, { department: 'Sales' })
    const ada = await hire(tenant, { department: 'Sales' })
    const eve = await hire(tenant, { department: 'Legal' })
    await happen(tenant, ada, 'sim.link_clicked')
    await happen(tenant, eve, 'sim.link_clicked')
    expect(await actionsOf(tenant, ada)).toHaveLength(1)
    expect(await actionsOf(tenant, eve)).toEqual([])
  })

  test('inactive people are not acted on', async () => {
    await open()
    await addPolicy(desk, { kind: 'event', event_type: 'sim.*' })
    const ada = await hire(tenant)
    await tenant.call('PATCH', `/v1/employees/${ada.id}`, { status: 'inactive' })
    await happen(tenant, ada, 'sim.link_clicked')
    expect(await actionsOf(tenant, ada)).toEqual([])
  })
})

describe('resting', () => {
  test('rests 24 hours for the same employee and band, then acts again', async () => {
    await open()
    await addPolicy(desk, { kind: 'band_entered', bands: ['orange'] })
    const ada = await hire(tenant)
    const swing = async () => {
      const { id } = await happen(tenant, ada, 'sim.link_clicked')
      await tenant.call('POST', `/v1/events/${id}/retract`, { reason: 'test' })
    }
    await swing()
    service.clock.advance(24 * HOUR - 1)
    await swing()
    expect(await actionsOf(tenant, ada)).toHaveLength(1)
    service.clock.advance(1)
    await swing()
    expect(await actionsOf(tenant, ada)).toHaveLength(2)
    const eve = await hire(tenant)
    await happen(tenant, eve, 'sim.link_clicked')
    expect(await actionsOf(tenant, eve)).toHaveLength(1)
  })

  test('the rest can be set, to none too', async () => {
    await open()
    await addPolicy(desk, { kind: 'event', event_type: 'sim.replied' }, { quiet_for: '1h' })
    await addPolicy(desk, { kind: 'event', event_type: 'sim.reported' }, { quiet_for: '0h' })
    const ada = await hire(tenant)
    for (const type of ['sim.replied', 'sim.reported']) {
      for (let i = 0; i < 3; i++) await happen(tenant, ada, type)
    }
    const types = (await actionsOf(tenant, ada)).map(one => one.trigger_event)
    expect(types.filter(type => type === 'sim.replied')).toHaveLength(1)
    expect(types.filter(type => type === 'sim.reported')).toHaveLength(3)
    service.clock.advance(HOUR)
    await happen(tenant, ada, 'sim.replied')
    expect(await actionsOf(tenant, ada)).toHaveLength(5)
  })

  test('entering critical always acts, and is one unread line for the people', async () => {
    await open()
    await addPolicy(desk, { kind: 'band_entered', bands: ['critical'] })
    const ada = await hire(tenant)
    for (let i = 0; i < 3; i++) {
      const { id } = await happen(tenant, ada, 'endpoint.malware_detected')
      const other = await happen(tenant, ada, 'auth.mfa_disabled')
      await tenant.call('POST', `/v1/events/${id}/retract`, { reason: 'test' })
      await tenant.call('POST', `/v1/events/${other.id}/retract`, { reason: 'test' })
    }
    expect(await actionsOf(tenant, ada)).toHaveLength(3)
    const { body } = await desk.call('GET', '/admin/notifications')
    expect(body.data).toMatchObject([
      { kind: 'employee.critical', count: 3, data: { employee_id: ada.id }, read: false },
    ])
  })

  test('nobody is told of inactive people whom new edges place in critical', async () => {
    await open()
    const [gone, here] = [await hire(tenant), await hire(tenant)]
    await tenant.call('PATCH', `/v1/employees/${gone.id}`, { status: 'inactive' })
    await setSettings(service, tenant, { green: 99, yellow: 98, orange: 97, red: 96 })
    await runDueJobs(service.context, [replayJobsJob()])
    for (const { id } of [gone, here]) {
      const { body } = await tenant.call('GET', `/v1/employees/${id}`)
      expect(body).toMatchObject({ score: 75, band: 'critical' })
    }
    const { body } = await desk.call('GET', '/admin/notifications')
    expect(body.data).toMatchObject([
      { kind: 'employee.critical', count: 1, data: { employee_id: here.id } },
    ])
  })

  test('two events of one batch that enter the same band act once', async () => {
    await open()
    await addPolicy(desk, { kind: 'event', event_type: 'custom.twice' })
    const ada = await hire(tenant)
    const event = { type: 'custom.twice', employee_email: ada.email }
    await tenant.call('POST', '/v1/events/batch', { events: [event, event, event] })
    expect(await actionsOf(tenant, ada)).toHaveLength(1)
  })
})

describe('events', () => {
  test('by type or prefix, where the conditions hold, also without any effect on the score', async () => {
    await open()
    const conditions = { severity: ['high', 'critical'], 'metadata.attempts': { gte: 3 } }
    const one = await addPolicy(desk, { kind: 'event', event_type: 'vpn.blocked', conditions })
    const all = await addPolicy(desk, { kind: 'event', event_type: 'vpn.*' })
    const ada = await hire(tenant)
    const details = { severity: 'high', metadata: { attempts: 3 } }
    await happen(tenant, ada, 'vpn.blocked', { details: { ...details, severity: 'low' } })
    await happen(tenant, ada, 'vpn.blocked', { details })
    await happen(tenant, ada, 'vpn.opened', { details })
    const made = (await actionsOf(tenant, ada)).map(a => [a.policy_id, a.trigger_event])
    expect(made).toHaveLength(3)
    expect(made).toContainEqual([one.id, 'vpn.blocked'])
    expect(made).toContainEqual([all.id, 'vpn.blocked'])
    expect(made).toContainEqual([all.id, 'vpn.opened'])
  })
})

describe('a drop within a time', () => {
  test('counts from the highest score that held in the time, its beginning included', async () => {
    await open()
    await addPolicy(desk, { kind: 'score_drop', points: 30, within: '1d' }, { quiet_for: '0h' })
    const ada = await hire(tenant)
    service.clock.advance(HOUR)
    await happen(tenant, ada, 'sim.link_clicked')
    service.clock.advance(DAY - 1)
    // A day ago, to the millisecond, 75 still held: the first fall and these are one drop.
    await happen(tenant, ada, 'auth.login_failure')
    expect(await actionsOf(tenant, ada)).toEqual([])
    await happen(tenant, ada, 'auth.account_locked')
    const drops = await actionsOf(tenant, ada)
    expect(drops.map(one => one.trigger_event)).toEqual(['auth.account_locked'])
    const eve = await hire(tenant)
    service.clock.advance(HOUR)
    await happen(tenant, eve, 'sim.link_clicked')
    service.clock.advance(DAY)
    await happen(tenant, eve, 'auth.login_failure')
    await happen(tenant, eve, 'auth.account_locked')
    expect(await actionsOf(tenant, eve)).toEqual([])
  })

  test('several falls of one batch add up', async () => {
    await open()
    await addPolicy(desk, { kind: 'score_drop', points: 30, within: '7d' })
    const ada = await hire(tenant)
    const rule = { name: 'Ten', event_type: 'custom.ten', category: 'custom', impact: -10 }
    await tenant.call('POST', '/v1/rules', rule)
    const event = { type: 'custom.ten', employee_email: ada.email }
    await tenant.call('POST', '/v1/events/batch', { events: [event, event] })
    expect(await actionsOf(tenant, ada)).toEqual([])
    await tenant.call('POST', '/v1/events/batch', { events: [event, event] })
    expect(await actionsOf(tenant, ada)).toMatchObject([{ previous_score: 55, new_score: 45 }])
  })
})

describe('other causes', () => {
  test('decay: recovery that fades takes somebody below an edge', async () => {
    await open()
    await addPolicy(desk, { kind: 'band_entered', bands: ['yellow'] })
    await changeRule('recovery.clean_streak', { status: 'inactive' })
    const ada = await hire(tenant)
    await happen(tenant, ada, 'sim.reported')
    expect((await tenant.call('GET', `/v1/employees/${ada.id}`)).body.band).toBe('green')
    service.clock.advance(120 * DAY)
    await runDueJobs(service.context, [applyDueChangesJob()])
    expect(await actionsOf(tenant, ada)).toMatchObject([
      {
        reason: 'decay',
        trigger_event: 'decay',
        event_id: null,
        new_score: 79,
        new_band: 'yellow',
      },
    ])
  })

  test('nothing acts on somebody erased, whatever had fallen due by then', async () => {
    await open()
    await addPolicy(desk, { kind: 'band_entered', bands: ['yellow'] })
    await addPolicy(desk, { kind: 'score_drop', points: 1, within: '7d' })
    await changeRule('recovery.clean_streak', { status: 'inactive' })
    const ada = await hire(tenant)
    await happen(tenant, ada, 'sim.reported')
    service.clock.advance(120 * DAY)
    const erased = await tenant.call('POST', `/v1/employees/${ada.id}/erase`, { confirm: 'erase' })
    expect(erased.status).toBe(200)
    await runDueJobs(service.context, [applyDueChangesJob()])
    const { body } = await tenant.call('GET', `/v1/employees/${ada.id}`)
    expect(body).toMatchObject({ band: 'yellow', status: 'inactive' })
    expect(await actionsOf(tenant, ada)).toEqual([])
  })

  test('adjustment by hand', async () => {
    await open()
    await addPolicy(desk, { kind: 'band_entered', bands: ['red'] })
    const ada = await hire(tenant)
    const body = { impact: -50, reason: 'found in a breach report' }
    const answer = await desk.call('POST', `/admin/employees/${ada.id}/adjustments`, body)
    expect(answer.status).toBe(201)
    expect(await actionsOf(tenant, ada)).toMatchObject([
      { reason: 'adjustment', trigger_event: 'manual.adjustment', new_band: 'red' },
    ])
  })

  test('retraction of something good', async () => {
    await open()
    await addPolicy(desk, { kind: 'band_entered', bands: ['yellow'] })
    const ada = await hire(tenant)
    const { id } = await happen(tenant, ada, 'sim.reported')
    await tenant.call('POST', `/v1/events/${id}/retract`, { reason: 'counted twice' })
    expect(await actionsOf(tenant, ada)).toMatchObject([
      { reason: 'retraction', status: 'triggered', previous_band: 'green', new_band: 'yellow' },
    ])
  })

  test('recalculation: whatever the policy says, it waits for approval', async () => {
    await open()
    await addPolicy(desk, { kind: 'band_entered', bands: ['critical'] })
    const ada = await hire(tenant)
    await happen(tenant, ada, 'sim.link_clicked')
    await changeRule('sim.link_clicked', { impact: -70 })
    const job = await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })
    expect(job.status).toBe(202)
    await runDueJobs(service.context, [replayJobsJob()])
    expect(await actionsOf(tenant, ada)).toMatchObject([
      { reason: 'recalculation', status: 'awaiting_approval', new_score: 5, new_band: 'critical' },
    ])
    const { body } = await desk.call('GET', '/admin/notifications')
    const kinds = body.data.map((one: { kind: string }) => one.kind).sort()
    expect(kinds).toEqual(['action.awaiting_approval', 'employee.critical'])
  })

  test('new band edges: likewise, it waits for approval', async () => {
    await open()
    await addPolicy(desk, { kind: 'band_entered', bands: ['orange'] })
    const ada = await hire(tenant)
    await setSettings(service, tenant, { green: 90, yellow: 76 })
    await runDueJobs(service.context, [replayJobsJob()])
    expect(await actionsOf(tenant, ada)).toMatchObject([
      { reason: 'settings', status: 'awaiting_approval', previous_band: 'yellow', new_score: 75 },
    ])
  })
})

describe('/admin/action-policies', () => {
  const trigger = { kind: 'band_entered', bands: ['red'] }

  test('201 with what was not given: approval where the type asks for it', async () => {
    await open()
    const make = (type: string) =>
      desk.call('POST', '/admin/action-policies', { name: 'x', trigger, type })
    const { body } = await make('restrict_access')
    expect(body).toMatchObject({ requires_approval: true, quiet_for: '24h', status: 'active' })
    const { body: plain } = await make('notify_manager')
    expect(plain).toMatchObject({ requires_approval: false })
    const path = `/admin/action-policies/${plain.id}`
    const change = (given: object) => desk.call('PATCH', path, given)
    const { body: changed } = await change({ type: 'restrict_access' })
    expect(changed).toMatchObject({ type: 'restrict_access', requires_approval: true })
    const said = { type: 'require_mfa_reset', requires_approval: false }
    expect((await change(said)).body).toMatchObject(said)
  })

  test('200 PATCH: whatever is changed is kept', async () => {
    await open()
    const first = { name: 'x', trigger, type: 'notify_manager' }
    const { body: made } = await desk.call('POST', '/admin/action-policies', first)
    const change = {
      name: 'y',
      status: 'inactive',
      trigger: { kind: 'score_drop', points: 20, within: '7d' },
      department: 'Sales',
      type: 'assign_training',
      parameters: { course: 'Phishing' },
      requires_approval: true,
      quiet_for: '3d',
    }
    service.clock.advance(1000)
    const { body: told } = await desk.call('PATCH', `/admin/action-policies/${made.id}`, change)
    expect(told).toMatchObject(change)
    expect(told.updated_at).not.toBe(made.updated_at)
    const { body: list } = await desk.call('GET', '/admin/action-policies')
    expect(list.data).toContainEqual(told)
    service.clock.advance(1000)
    const again = await desk.call('PATCH', `/admin/action-policies/${made.id}`, change)
    expect([again.status, again.body], 'the same once more is no change').toEqual([200, told])
    const audit = await tenant.call('GET', `/v1/audit?subject_id=${made.id}`)
    const actions = audit.body.data.map((one: { action: string }) => one.action)
    expect(actions).toEqual(['policy.updated', 'policy.created'])
  })

  test('400 for conditions of more than 16 KiB, so that the list of all of them stays small', async () => {
    await open()
    const post = (texts: number) => {
      const conditions = { tool: Array.from({ length: texts }, (_, i) => 'é'.repeat(100 + i)) }
      const trigger = { kind: 'event', event_type: 'sim.*', conditions }
      return desk.call('POST', '/admin/action-policies', {
        name: 'Large',
        trigger,
        type: 'webhook_only',
      })
    }
    const refused = await post(64)
    expect(refused.status).toBe(400)
    expect(refused.body.error.details).toEqual([
      { path: 'trigger.conditions', message: 'must not be larger than 16384 bytes' },
    ])
    expect((await post(60)).status).toBe(201)
  })

  test('400 for a trigger, time or parameter that means nothing', async () => {
    const bad = [
      { trigger: { kind: 'band_entered', bands: [] } },
      { trigger: { kind: 'band_entered', bands: ['green'] } },
      { trigger: { kind: 'event', event_type: 'nodots' } },
      { trigger: { kind: 'event', event_type: 'a.b', conditions: { x: { near: 1 } } } },
      { trigger: { kind: 'score_drop', points: 0, within: '1d' } },
      { trigger: { kind: 'score_drop', points: 5, within: '1 day' } },
      { trigger: { kind: 'score_drop', points: 5, within: '0h' } },
      { trigger, quiet_for: 'long' },
      { trigger, type: 'assign_training' },
      { trigger, unknown: true },
    ]
    for (const one of bad) {
      const body = { name: 'x', type: 'webhook_only', ...one }
      const answer = await desk.call('POST', '/admin/action-policies', body)
      expect(answer.status, JSON.stringify(one)).toBe(400)
    }
  })

  test('200 and 204: a changed and a removed policy act so from the next event on', async () => {
    await open()
    const { id } = await addPolicy(desk, { kind: 'event', event_type: 'a.b' }, { quiet_for: '0h' })
    const ada = await hire(tenant)
    await happen(tenant, ada, 'a.b')
    const path = `/admin/action-policies/${id}`
    const change = { trigger: { kind: 'event', event_type: 'a.c' } }
    expect((await desk.call('PATCH', path, change)).status).toBe(200)
    await happen(tenant, ada, 'a.b')
    await happen(tenant, ada, 'a.c')
    expect((await desk.call('DELETE', path)).status).toBe(204)
    await happen(tenant, ada, 'a.c')
    expect(await actionsOf(tenant, ada)).toHaveLength(2)
    expect((await desk.call('DELETE', path)).status).toBe(404)
    const audit = await tenant.call('GET', `/v1/audit?subject_id=${id}`)
    expect(audit.body.data.map((one: { action: string }) => one.action)).toEqual([
      'policy.deleted',
      'policy.updated',
      'policy.created',
    ])
  })

  test('401 for a key and 403 for an analyst', async () => {
    expect((await tenant.call('GET', '/admin/action-policies')).status).toBe(401)
    const analyst = await openDesk(service, tenant, 'analyst')
    expect((await analyst.call('GET', '/admin/action-policies')).status).toBe(200)
    const body = { name: 'x', trigger, type: 'webhook_only' }
    expect((await analyst.call('POST', '/admin/action-policies', body)).status).toBe(403)
  })
})

describe('POST /admin/action-policies', () => {
  test('409 beyond the most a tenant can have, also of several at once', async () => {
    await open()
    const { body } = await desk.call('GET', '/admin/action-policies')
    const trigger = { kind: 'event', event_type: 'x.y' }
    for (let n = body.data.length; n < MOST_POLICIES - 1; n++) await addPolicy(desk, trigger)
    const last = { name: 'Last', trigger, type: 'webhook_only' }
    const ask = () => desk.call('POST', '/admin/action-policies', last)
    const answers = await Promise.all([ask(), ask(), ask()])
    expect(answers.map(one => one.status).sort()).toEqual([201, 409, 409])
  })
})
