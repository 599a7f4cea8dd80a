// /v1/actions: lists, asking, reporting back, approving, expiring, and who may do which.
import { describe, expect, test } from 'vitest'
import { addApp } from '../../test/oauth.ts'
import { PASSWORD } from '../../test/people.ts'
import { caller, startService } from '../../test/service.ts'
import { DAY } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { SCOPE_NAMES } from '../tenants/scopes.ts'
import { addPolicy, happen, hire, openDesk } from './actions.fixture.ts'
import { expireActionsJob } from './expire-actions.job.ts'

const service = await startService()
const tenant = await service.tenant()
const desk = await openDesk(service, tenant)
const ada = await hire(tenant)

const ask = (type: string, more: object = {}, call = tenant.call) =>
  call('POST', '/v1/actions', { employee_id: ada.id, type, ...more })

async function pending() {
  const { body } = await ask('restrict_access')
  expect(body.status).toBe('awaiting_approval')
  return body.id as string
}

/** Kinds of message told about the action, in order. */
async function toldOf(action_id: string): Promise<string[]> {
  const { db } = service.context
  const rows = await db.inTenant(
    tenant.tenant_id,
    tx => tx<{ body: string }[]>`
      SELECT body FROM webhook_messages WHERE tenant_id = ${tenant.tenant_id} ORDER BY message_id`,
  )
  const told = rows.map(row => JSON.parse(row.body))
  return told.filter(one => one.data.id === action_id).map(one => `${one.event} ${one.data.status}`)
}

describe('POST /v1/actions', () => {
  test('201 triggers at once, with Location, and a repeat under one key gives the first', async () => {
    const body = {
      employee_id: ada.id,
      type: 'open_ticket',
      parameters: { queue: 'sec' },
      note: 'n',
    }
    const key = { 'idempotency-key': 'one-ticket' }
    const first = await tenant.call('POST', '/v1/actions', body, key)
    expect(first).toMatchObject({
      status: 201,
      headers: { location: `/v1/actions/${first.body.id}` },
      body: {
        type: 'open_ticket',
        status: 'triggered',
        employee_id: ada.id,
        employee_email: ada.email,
        policy_id: null,
        reason: 'manual',
        note: 'n',
        parameters: { queue: 'sec' },
        requested_by: `key:${tenant.key_id}`,
      },
    })
    expect((await tenant.call('POST', '/v1/actions', body, key)).body.id).toBe(first.body.id)
    const { body: read } = await tenant.call('GET', `/v1/actions/${first.body.id}`)
    expect(read).toEqual(first.body)
  })

  test('201 waits for approval where the type asks first', async () => {
    const waiting = await ask('require_mfa_reset')
    expect(waiting.body).toMatchObject({ status: 'awaiting_approval', triggered_at: null })
    const days = (Date.parse(waiting.body.expires_at) - service.clock.now()) / DAY
    expect(days).toBe(7)
  })

  test('400 and 404 for what cannot be', async () => {
    expect((await ask('assign_training')).body.error.details[0].path).toBe('parameters.course')
    expect((await ask('dance')).status).toBe(400)
    expect((await ask('open_ticket', { score: 1 })).status).toBe(400)
    expect((await ask('open_ticket', { parameters: { text: 'x'.repeat(5000) } })).status).toBe(400)
    expect((await ask('open_ticket', { employee_id: 'emp_none' })).status).toBe(404)
  })

  test('parameters have at most 4 levels and 4096 bytes, a course at most 200 characters', async () => {
    const give = async (type: string, parameters: object) =>
      (await ask(type, { parameters })).status
    const text = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) })
    const course = (length: number) => ({ course: 'x'.repeat(length) })
    expect(await give('open_ticket', { a: { b: { c: { d: 1 } } } })).toBe(201)
    expect(await give('open_ticket', { a: { b: { c: { d: {} } } } })).toBe(400)
    expect(await give('open_ticket', { a: [[[1]]] })).toBe(201)
    expect(await give('open_ticket', { a: [[[[]]]] })).toBe(400)
    expect(await give('open_ticket', text(4096))).toBe(201)
    expect(await give('open_ticket', text(4097))).toBe(400)
    expect(await give('open_ticket', { as_stored: Array(14).fill(1e-300) })).toBe(400)
    expect(await give('assign_training', course(200))).toBe(201)
    for (const wrong of [course(201), { course: ' ' }, { course: 7 }]) {
      expect(await give('assign_training', wrong)).toBe(400)
    }
  })
})

describe('GET /v1/actions', () => {
  test('200 filters by employee, type, status and time, newest first', async () => {
    service.clock.advance(1)
    const from = new Date(service.clock.now()).toISOString()
    const eve = await hire(tenant)
    const one = await ask('open_ticket', { employee_id: eve.id })
    const two = await ask('restrict_access', { employee_id: eve.id })
    const list = async (query: string) => {
      const { status, body } = await tenant.call('GET', `/v1/actions?${query}`)
      expect(status).toBe(200)
      expect(body.pagination.total).toBe(body.data.length)
      return body.data.map((action: { id: string }) => action.id)
    }
    const both = [two.body.id, one.body.id]
    expect(await list(`employee_id=${eve.id}`)).toEqual(both)
    expect(await list(`from=${from}`)).toEqual(both)
    expect(await list(`to=2020-01-01`)).toEqual([])
    const before = new Date(service.clock.now() - 1).toISOString()
    const of = `employee_id=${eve.id}`
    expect(await list(`${of}&from=${from}&to=${from}`)).toEqual(both)
    expect(await list(`${of}&to=${before}`)).toEqual([])
    expect(await list(`${of}&from=0001-01-01&to=9999-12-31`)).toEqual(both)
    expect(await list(`from=${from}&type=open_ticket`)).toEqual([one.body.id])
    expect(await list(`from=${from}&status=awaiting_approval`)).toEqual([two.body.id])
    expect((await tenant.call('GET', '/v1/actions?status=lost')).status).toBe(400)
  })

  test('404 for an action of somebody else', async () => {
    const stranger = await service.tenant()
    const { body } = await ask('open_ticket')
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/complete'],
      ['POST', '/fail'],
    ] as const) {
      expect((await stranger.call(method, `/v1/actions/${body.id}${path}`)).status).toBe(404)
    }
    const boss = await openDesk(service, stranger)
    expect((await boss.call('POST', `/v1/actions/${body.id}/approve`, {})).status).toBe(404)
  })

  test('403 without the scope', async () => {
    const reader = await tenant.as('actions:read')
    const doer = await tenant.as('actions:execute')
    expect((await ask('open_ticket', {}, reader)).status).toBe(403)
    expect((await doer('GET', '/v1/actions')).status).toBe(403)
    expect((await ask('open_ticket', {}, doer)).status).toBe(201)
  })
})

describe('reporting back', () => {
  test('200 completed and failed, with or without a body, and told to subscribers', async () => {
    const url = 'https://hooks.example.com/x'
    const kinds = ['action.triggered', 'action.completed']
    await tenant.call('POST', '/v1/webhooks', { url, events: kinds })
    const [one, two] = [(await ask('open_ticket')).body.id, (await ask('open_ticket')).body.id]
    const report = { outcome: 'SEC-42', note: 'see there' }
    const done = await tenant.call('POST', `/v1/actions/${one}/complete`, report)
    expect(done).toMatchObject({
      status: 200,
      body: { status: 'completed', outcome: 'SEC-42', outcome_note: 'see there', expires_at: null },
    })
    expect(done.body.finished_by).toBe(`key:${tenant.key_id}`)
    const failed = await tenant.call('POST', `/v1/actions/${two}/fail`)
    expect(failed).toMatchObject({ status: 200, body: { status: 'failed', outcome: '' } })
    expect(await toldOf(one)).toEqual(['action.triggered triggered', 'action.completed completed'])
    expect(await toldOf(two)).toEqual(['action.triggered triggered'])
  })

  test('400 for a body that is null, which is not one that is left out', async () => {
    const { id } = (await ask('open_ticket')).body
    for (const verb of ['complete', 'fail']) {
      const answer = await tenant.call('POST', `/v1/actions/${id}/${verb}`, 'null')
      expect(answer.body.error).toMatchObject({ details: [{ message: 'must be object' }] })
    }
    expect((await tenant.call('GET', `/v1/actions/${id}`)).body.status).toBe('triggered')
  })

  test('409 for every transition that is none', async () => {
    const waiting = await pending()
    const { body } = await ask('open_ticket')
    const move = (id: string, verb: string) => `/v1/actions/${id}/${verb}`
    expect((await tenant.call('POST', move(waiting, 'complete'))).status).toBe(409)
    expect((await tenant.call('POST', move(waiting, 'fail'))).status).toBe(409)
    expect((await desk.call('POST', move(body.id, 'approve'), {})).status).toBe(409)
    expect((await desk.call('POST', move(body.id, 'reject'), {})).status).toBe(409)
    expect((await tenant.call('POST', move(body.id, 'complete'))).status).toBe(200)
    expect((await tenant.call('POST', move(body.id, 'complete'))).status).toBe(409)
    expect((await tenant.call('POST', move(body.id, 'fail'))).status).toBe(409)
    const mail = (await ask('notify_admins')).body.id
    expect((await tenant.call('POST', move(mail, 'complete'))).status).toBe(409)
  })

  test('200 for a report whose answer was lost, sent again under its Idempotency-Key', async () => {
    for (const verb of ['complete', 'fail']) {
      const path = `/v1/actions/${(await ask('open_ticket')).body.id}/${verb}`
      const report = () =>
        tenant.call('POST', path, { outcome: 'SEC-42' }, { 'idempotency-key': 'lost' })
      const first = await report()
      const again = await report()
      expect([first.status, again.status, again.body]).toEqual([200, 200, first.body])
      expect((await tenant.call('POST', path)).status).toBe(409)
    }
  })

  test('one of 20 parallel reports wins', async () => {
    const { id } = (await ask('open_ticket')).body
    const verbs = Array.from({ length: 20 }, (_, i) => (i % 2 ? 'complete' : 'fail'))
    const answers = await Promise.all(
      verbs.map(verb => tenant.call('POST', `/v1/actions/${id}/${verb}`)),
    )
    expect(answers.filter(one => one.status === 200)).toHaveLength(1)
    expect(answers.filter(one => one.status === 409)).toHaveLength(19)
  })
})

describe('approving', () => {
  test('200 triggers what waited, names who decided, and is told only then', async () => {
    const id = await pending()
    expect(await toldOf(id)).toEqual([])
    const answer = await desk.call('POST', `/v1/actions/${id}/approve`, { note: 'agreed' })
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'triggered', decided_by: `user:${desk.user_id}` },
    })
    const days = (Date.parse(answer.body.expires_at) - service.clock.now()) / DAY
    expect(days).toBe(30)
    expect(await toldOf(id)).toEqual(['action.triggered triggered'])
    const audit = await tenant.call('GET', `/v1/audit?subject_id=${id}`)
    const actions = audit.body.data.map((one: { action: string }) => one.action)
    expect(actions).toEqual(['action.approved', 'action.requested'])
  })

  test('200 rejects for good', async () => {
    const id = await pending()
    const answer = await desk.call('POST', `/v1/actions/${id}/reject`)
    expect(answer).toMatchObject({ status: 200, body: { status: 'rejected' } })
    expect((await desk.call('POST', `/v1/actions/${id}/approve`)).status).toBe(409)
    expect(await toldOf(id)).toEqual([])
  })

  test('who decided and what they said stays with the action and stands in the audit log', async () => {
    const asked = { parameters: { until: 'Friday' }, note: 'two alarms' }
    const decide = async (verb: string) => {
      const { id } = (await ask('restrict_access', asked)).body
      const note = `said at ${verb}`
      const { body } = await desk.call('POST', `/v1/actions/${id}/${verb}`, { note })
      expect(body).toMatchObject({ decided_by: `user:${desk.user_id}`, outcome_note: note })
      const audit = await tenant.call('GET', `/v1/audit?subject_id=${id}`)
      return { action: body, entries: audit.body.data }
    }
    const before = { status: 'awaiting_approval' }
    const yes = await decide('approve')
    expect(yes.entries).toMatchObject([
      { before, after: { status: 'triggered', note: 'said at approve' } },
      { after: { employee_id: ada.id, type: 'restrict_access', ...asked, ...before } },
    ])
    const done = await tenant.call('POST', `/v1/actions/${yes.action.id}/complete`)
    expect(done.body).toMatchObject({ status: 'completed', outcome_note: 'said at approve' })
    const no = await decide('reject')
    expect(no.action).toMatchObject({ status: 'rejected', outcome: 'rejected' })
    expect(no.entries[0]).toMatchObject({
      before,
      after: { status: 'rejected', note: 'said at reject' },
    })
  })

  test('200 for a verdict whose answer was lost, sent again under its Idempotency-Key', async () => {
    for (const verb of ['approve', 'reject']) {
      const path = `/v1/actions/${await pending()}/${verb}`
      const decide = () => desk.call('POST', path, undefined, { 'idempotency-key': 'lost' })
      const first = await decide()
      const again = await decide()
      expect([first.status, again.status, again.body]).toEqual([200, 200, first.body])
      expect((await desk.call('POST', path)).status).toBe(409)
    }
  })

  test('403 for keys whatever their scopes, for apps, analysts, and for what one asked for', async () => {
    const id = await pending()
    const path = `/v1/actions/${id}/approve`
    expect((await tenant.call('POST', path)).status).toBe(403)
    expect((await tenant.call('POST', path, { bad: 1 })).status).toBe(403)
    const app = await addApp(service, tenant.tenant_id, [...SCOPE_NAMES])
    const { tokens } = await app.connect(desk, SCOPE_NAMES.join(' '))
    const token = caller(service.app, tokens.access_token)
    expect((await token('GET', `/v1/actions/${id}`)).status).toBe(200)
    expect((await token('POST', path)).status).toBe(403)
    const adjustment = { impact: 5, reason: 'asked for by an app' }
    const adjusted = await token('POST', `/admin/employees/${ada.id}/adjustments`, adjustment)
    expect(adjusted.status).toBe(401)
    const analyst = await openDesk(service, tenant, 'analyst')
    expect((await analyst.call('POST', path, {})).status).toBe(403)
    const own = await desk.call('POST', '/v1/actions', {
      employee_id: ada.id,
      type: 'restrict_access',
    })
    expect(own.status).toBe(201)
    const mine = `/v1/actions/${own.body.id}/approve`
    expect((await desk.call('POST', mine, {})).status).toBe(403)
    const admin = await openDesk(service, tenant, 'admin')
    expect((await admin.call('POST', mine, {})).status).toBe(200)
    await desk.call('POST', '/session/proof', { password: PASSWORD })
    const made = await desk.call('POST', '/admin/keys', {
      name: 'playbooks',
      scopes: ['actions:execute'],
    })
    const key = caller(service.app, made.body.key)
    for (const call of [key, token]) {
      const wanted = { employee_id: ada.id, type: 'restrict_access' }
      const asked = `/v1/actions/${(await call('POST', '/v1/actions', wanted)).body.id}/approve`
      expect((await desk.call('POST', asked, {})).status).toBe(403)
      expect((await admin.call('POST', asked, {})).status).toBe(200)
    }
    const { body } = await tenant.call('GET', `/v1/actions/${id}`)
    expect(body.status).toBe('awaiting_approval')
  })

  test('one of 50 parallel approvals and rejections wins', async () => {
    const id = await pending()
    const verbs = Array.from({ length: 50 }, (_, i) => (i % 2 ? 'approve' : 'reject'))
    const answers = await Promise.all(
      verbs.map(verb => desk.call('POST', `/v1/actions/${id}/${verb}`, {})),
    )
    const won = answers.filter(one => one.status === 200)
    expect(won).toHaveLength(1)
    // Where the machine is slow, some are turned away before they are judged.
    const lost = answers.filter(one => one.status !== 200 && one.status !== 503)
    expect(lost.map(one => one.status)).toEqual(Array(lost.length).fill(409))
    const told = won[0]!.body.status === 'triggered' ? ['action.triggered triggered'] : []
    expect(await toldOf(id)).toEqual(told)
  })
})

describe('expiry', () => {
  test('approvals after 7 days, what was triggered after 30; at that instant it is 409 already', async () => {
    const waiting = await pending()
    const { id } = (await ask('open_ticket')).body
    const read = async (action: string) => (await tenant.call('GET', `/v1/actions/${action}`)).body
    const status = async (action: string) => (await read(action)).status
    service.clock.advance(7 * DAY - 1)
    await runDueJobs(service.context, [expireActionsJob()])
    expect(await status(waiting)).toBe('awaiting_approval')
    service.clock.advance(1)
    const late = await openDesk(service, tenant, 'admin')
    expect((await late.call('POST', `/v1/actions/${waiting}/approve`, {})).status).toBe(409)
    await runDueJobs(service.context, [expireActionsJob()])
    expect([await status(waiting), await status(id)]).toEqual(['expired', 'triggered'])
    service.clock.advance(23 * DAY)
    expect((await tenant.call('POST', `/v1/actions/${id}/complete`)).status).toBe(409)
    await runDueJobs(service.context, [expireActionsJob()])
    const over = { status: 'expired', expires_at: null }
    expect(await read(waiting)).toMatchObject({
      ...over,
      outcome: 'nobody approved or rejected it in time',
    })
    expect(await read(id)).toMatchObject({
      ...over,
      outcome: 'nobody reported how it went in time',
      finished_at: new Date(service.clock.now()).toISOString(),
    })
  })
})

test('the order of messages about one employee: the change first, then the action', async () => {
  const boss = await openDesk(service, tenant, 'admin')
  await addPolicy(boss, { kind: 'event', event_type: 'order.tested' })
  const url = 'https://hooks.example.com/order'
  const events = ['event.ingested', 'action.triggered']
  const hook = (await tenant.call('POST', '/v1/webhooks', { url, events })).body.id
  await happen(tenant, await hire(tenant), 'order.tested')
  const { body } = await tenant.call('GET', `/v1/webhooks/${hook}/deliveries`)
  const kinds = body.data.map((one: { event: string }) => one.event)
  expect(kinds).toEqual(['action.triggered', 'event.ingested'])
})
