// A person's rights: the export holds everything, and after erasure no table holds the person.
import { beforeAll, describe, expect, test } from 'vitest'
import { seeBlocked } from '../../test/locks.ts'
import { type Service, startService, type Tenant } from '../../test/service.ts'
import { hire, openDesk, type Person } from '../actions/actions.fixture.ts'
import { verifyAudit } from '../audit/verify-audit.ts'
import { lockStandings } from '../employees/standings.queries.ts'
import type { Tx } from '../platform/database.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { listTables } from '../platform/tables.ts'
import { replayJobsJob } from '../replays/run-replay-jobs.job.ts'
import { recoverDeliveriesJob } from '../webhooks/recover-deliveries.job.ts'

const EMAIL = 'Zelda.Quirk@Example.com'
const NAMES = { first_name: 'Zeldacanary', last_name: "O'Quirkcanary" }
const PROFILE = {
  title: 'Canary keeper',
  location: 'Canary Wharf',
  manager_email: 'b@canary.example',
}
const BODY = { email: EMAIL, ...NAMES, ...PROFILE, department: 'Sales' }
/** Everything of the person that may stand anywhere, in lower case. */
const TRACES = ['zelda.quirk', 'canary']

let service: Service
let tenant: Tenant
let desk: Person
let id: string
let report: { id: string }
let hook: string

let events = 0
const once = (key: string) => ({ 'idempotency-key': key })

async function submit(details: object, more: object = {}) {
  const body = { type: 'custom.seen', employee_email: EMAIL, details, ...more }
  const answer = await tenant.call('POST', '/v1/events', body, once(`event-${++events}`))
  expect(answer.status).toBe(201)
  return answer.body.id as string
}

/** Fills every table that can hold a trace of a person. */
async function live(): Promise<void> {
  // Before anything is told: a message about somebody else holds their manager's address as long as it is kept.
  report = await hire(tenant, { manager_email: EMAIL.toLowerCase() })
  const url = 'https://hooks.example.com/all'
  const events = ['event.ingested', 'score.updated', 'employee.created', 'action.triggered']
  hook = (await tenant.call('POST', '/v1/webhooks', { url, events })).body.id
  const early = { source: 'hr', event_type: 'hr.early', employee: { email: EMAIL.toUpperCase() } }
  const lost = await tenant.call('POST', '/v1/events/webhook', {
    ...early,
    details: { text: 'canary that came too early' },
  })
  expect(lost.status).toBe(404)
  const body = { email: EMAIL, ...NAMES, ...PROFILE, department: 'Sales' }
  const made = await tenant.call('POST', '/v1/employees', body, once('make'))
  expect(made.status).toBe(201)
  await tenant.call(
    'POST',
    '/v1/employees',
    { ...BODY, email: 'other@example.com', ...ordinary },
    once('two'),
  )
  id = made.body.id
  await tenant.call('PATCH', `/v1/employees/${id}`, { title: 'Canary chief' })
  await tenant.call('POST', '/v1/rules', {
    name: 'Seen',
    event_type: 'custom.seen',
    category: 'custom',
    impact: -20,
    conditions: { loud: true },
  })
  await submit({ loud: true, text: 'canary at work' }, { external_id: 'canary-1' })
  const wrong = await submit({ loud: true, nested: { list: ['canary'] } }, { external_id: 'x2' })
  const path = `/v1/events/${wrong}/retract`
  await tenant.call('POST', path, { reason: 'the canary was asleep' }, once('retract'))
  const adjustment = { impact: -5, reason: 'the canary was loud again' }
  await desk.call('POST', `/admin/employees/${id}/adjustments`, adjustment)
  const action = {
    employee_id: id,
    type: 'open_ticket',
    parameters: { about: 'canary' },
    note: 'canary',
  }
  const opened = await tenant.call('POST', '/v1/actions', action, once('ticket'))
  const done = { outcome: 'canary fed', note: 'canary' }
  await tenant.call('POST', `/v1/actions/${opened.body.id}/complete`, done)
  await tenant.call('POST', '/v1/actions', action, once('another ticket'.replace(' ', '-')))
  await tenant.call('POST', '/v1/actions', { ...action, type: 'restrict_access' })
  const filter = { employee_id: id, type: 'custom.none', conditions: { user: EMAIL } }
  await tenant.call('POST', '/v1/events/retract', { filter, reason: `test of ${EMAIL}` })
  await runDueJobs(service.context, [replayJobsJob()])
}

const ordinary = {
  first_name: 'Ann',
  last_name: 'Plain',
  title: '',
  location: '',
  manager_email: '',
}

/** As if the first delivery had been tried and the receiver had echoed it. */
async function answerEchoed(tx: Tx) {
  const { tenant_id } = tenant
  await tx`INSERT INTO webhook_attempts (tenant_id, webhook_id, delivery_id, attempt, url, signature,
      standard_signature, started_at, ended_at, total_ms, error, response_status, response_headers, response_body,
      response_encoding, response_truncated)
    SELECT d.tenant_id, d.webhook_id, d.delivery_id, 1, '', '', '', d.created_at, d.created_at, 1,
      'status 500: canary', 500, '{"x-echo": "canary"}', 'you said canary', 'utf8', false
    FROM webhook_deliveries d WHERE d.tenant_id = ${tenant_id} AND d.employee_id = ${id}`
  await tx`UPDATE webhook_deliveries SET last_error = 'canary', attempts = 1, status = 'failed',
      next_attempt_at = NULL
    WHERE tenant_id = ${tenant_id} AND employee_id = ${id} AND event = 'score.updated'`
}

/** Tables that hold a trace in any column; bytes are looked through as well. */
async function tablesWith(traces: readonly string[]): Promise<string[]> {
  const { db } = service.context
  const found: string[] = []
  for (const table of listTables()) {
    for (const trace of traces) {
      const hex = Buffer.from(trace).toString('hex')
      const [row] = await db.inTenant(
        tenant.tenant_id,
        tx => tx`SELECT count(*) AS n FROM ${tx(table)} t WHERE t.tenant_id = ${tenant.tenant_id}
          AND (lower(t::text) LIKE ${`%${trace}%`} OR t::text LIKE ${`%${hex}%`})`,
      )
      if (row!.n > 0) found.push(table)
    }
  }
  return [...new Set(found)]
}

beforeAll(async () => {
  service = await startService()
  tenant = await service.tenant()
  desk = await openDesk(service, tenant)
  await live()
  await service.context.db.inTenant(tenant.tenant_id, answerEchoed)
})

const read = async (path: string) => (await tenant.call('GET', path)).body

describe('GET /v1/employees/:id/export', () => {
  test('200 everything that is stored, of one moment', async () => {
    const { status, body } = await tenant.call('GET', `/v1/employees/${id}/export`)
    expect(status).toBe(200)
    expect(body.employee).toMatchObject({
      id,
      email: EMAIL,
      ...NAMES,
      title: 'Canary chief',
      score: 50,
    })
    expect(body.score_history).toHaveLength(5)
    const types = body.events.map((event: { type: string }) => event.type)
    expect(types).toEqual(['custom.seen', 'custom.seen', 'manual.adjustment'])
    expect(body.events[0]).toMatchObject({
      details: { text: 'canary at work' },
      external_id: 'canary-1',
    })
    expect(body.shares).toHaveLength(3)
    expect(body.actions).toHaveLength(3)
    expect(body.unmatched_events).toMatchObject([
      { details: { text: 'canary that came too early' } },
    ])
    expect(body.messages.length).toBeGreaterThan(5)
    const actions = body.audit.map((entry: { action: string }) => entry.action)
    expect(actions).toEqual(
      expect.arrayContaining([
        'employee.created',
        'event.retracted',
        'action.completed',
        'retraction.requested',
      ]),
    )
    const log = await read(`/v1/audit?subject_id=${id}&action=employee.exported`)
    expect(log.data).toHaveLength(1)
  })

  test('403 without any of the scopes it needs, 404 for nobody', async () => {
    const path = `/v1/employees/${id}/export`
    expect((await (await tenant.as('employees:read'))('GET', path)).status).toBe(403)
    const partly = await tenant.as('employees:read,events:read')
    const answer = await partly('GET', path)
    expect(answer.status).toBe(403)
    expect(answer.body.error.message).toContain('actions:read')
    expect((await tenant.call('GET', '/v1/employees/emp_none/export')).status).toBe(404)
  })
})

describe('POST /v1/employees/:id/erase', () => {
  test('400 without confirmation, 403 without the scope, 404 for another tenant; nothing is lost', async () => {
    const path = `/v1/employees/${id}/erase`
    const refused = await tenant.call('POST', path)
    expect(refused.status).toBe(400)
    expect(refused.body.error.details[0].path).toBe('confirm')
    expect((await tenant.call('POST', path, { confirm: 'yes' })).status).toBe(400)
    const admin = await openDesk(service, tenant, 'admin')
    expect((await admin.call('POST', path, {})).status).toBe(400)
    const reader = await tenant.as('employees:read')
    expect((await reader('POST', path, { confirm: 'erase' })).status).toBe(403)
    const stranger = await service.tenant()
    expect((await stranger.call('POST', path, { confirm: 'erase' })).status).toBe(404)
    expect((await read(`/v1/employees/${id}`)).email).toBe(EMAIL)
  })

  test('200 and no table holds the person any more, while the numbers stay', async () => {
    const full = [
      ...['actions', 'audit_values', 'employees', 'events', 'external_ids', 'idempotent_answers'],
      ...['jobs', 'unmatched_events', 'webhook_attempts', 'webhook_deliveries', 'webhook_messages'],
    ]
    expect((await tablesWith(TRACES)).sort()).toEqual(full)
    const counted = (await read('/v1/scores/summary')).total_employees
    const before = await Promise.all([
      read('/v1/events/statistics'),
      read(`/v1/employees/${id}/score-history`),
      read('/v1/events'),
    ])
    const answer = await tenant.call('POST', `/v1/employees/${id}/erase`, { confirm: 'erase' })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        id,
        email: `erased-${id}@invalid`,
        erased_at: new Date(service.clock.now()).toISOString(),
        status: 'completed',
      },
    })
    expect(await tablesWith(TRACES)).toEqual([])
    const after = await Promise.all([
      read('/v1/events/statistics'),
      read(`/v1/employees/${id}/score-history`),
      read('/v1/events'),
    ])
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
    expect(after[2].pagination).toEqual(before[2].pagination)
    expect((await read('/v1/scores/summary')).total_employees).toBe(counted - 1)
    expect(await read(`/v1/employees/${id}`)).toMatchObject({
      email: `erased-${id}@invalid`,
      first_name: '',
      last_name: '',
      title: '',
      location: '',
      manager_email: '',
      department: 'Sales',
      score: 50,
      status: 'inactive',
    })
    expect((await read(`/v1/employees/${report.id}`)).manager_email).toBe('')
  })

  test('the audit log is still valid, and says who erased', async () => {
    const { context } = service
    expect(await verifyAudit(context, tenant.tenant_id, null)).toMatchObject({ valid: true })
    const { data } = await read(`/v1/audit?subject_id=${id}`)
    expect(data[0]).toMatchObject({ action: 'employee.erased', erased: false })
    expect(data.slice(1).every((entry: { erased: boolean }) => entry.erased)).toBe(true)
    expect(data.length).toBeGreaterThan(3)
  })

  test('undelivered messages are skipped; redelivery is 409 and recovery leaves them out', async () => {
    const { data } = await read(`/v1/webhooks/${hook}/deliveries?per_page=100`)
    const { db } = service.context
    const rows = await db.inTenant(
      tenant.tenant_id,
      tx => tx<{ delivery_id: string; status: string }[]>`
        SELECT delivery_id, status FROM webhook_deliveries
        WHERE tenant_id = ${tenant.tenant_id} AND employee_id = ${id}`,
    )
    const statuses = new Set(rows.map(row => row.status))
    expect(statuses).toEqual(new Set(['failed', 'skipped']))
    for (const { delivery_id } of rows) {
      const again = await tenant.call('POST', `/v1/webhooks/deliveries/${delivery_id}/redeliver`)
      expect(again.status).toBe(409)
    }
    const since = '2026-01-01T00:00:00Z'
    const recovery = await tenant.call('POST', `/v1/webhooks/${hook}/recover`, { since })
    expect(recovery.body.total).toBe(0)
    await runDueJobs(service.context, [recoverDeliveriesJob()])
    const now = await read(`/v1/webhooks/${hook}/deliveries?per_page=100`)
    expect(now.data).toEqual(data)
    expect(data.some((one: { status: string }) => one.status === 'pending')).toBe(true)
  })

  test('actions that were open have ended, and none can be asked for', async () => {
    const { data } = await read(`/v1/actions?employee_id=${id}`)
    const statuses = data.map((one: { status: string }) => one.status)
    expect(statuses).toEqual(['rejected', 'failed', 'completed'])
    const ask = { employee_id: id, type: 'open_ticket' }
    expect((await tenant.call('POST', '/v1/actions', ask)).status).toBe(409)
    const change = { department: 'Legal' }
    expect((await tenant.call('PATCH', `/v1/employees/${id}`, change)).status).toBe(409)
  })

  test('a repeat of the request that made the person makes nobody, and the address is free', async () => {
    const again = await tenant.call('POST', '/v1/employees', BODY, once('make'))
    expect(again).toMatchObject({ status: 201, body: undefined })
    expect((await tenant.call('GET', `/v1/employees/by-email/${EMAIL}`)).status).toBe(404)
    const early = await tenant.call('POST', '/v1/events', {
      type: 'custom.seen',
      employee_email: EMAIL,
    })
    expect(early.status).toBe(404)
    expect((await tenant.call('POST', '/v1/employees', BODY)).status).toBe(201)
  })

  test('recalculation and dry run leave an erased person alone', async () => {
    const rules = (await read('/v1/rules?per_page=100')).data
    const rule = rules.find((one: { event_type: string }) => one.event_type === 'custom.seen')
    await tenant.call('PATCH', `/v1/rules/${rule.id}`, { impact: -90, conditions: {} })
    const dry = await tenant.call('POST', `/v1/rules/${rule.id}/test`)
    expect(dry.body).toMatchObject({ employees_affected: 0, score_changes: [] })
    const job = await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })
    expect(job.status).toBe(202)
    await runDueJobs(service.context, [replayJobsJob()])
    expect((await read(`/v1/employees/${id}`)).score).toBe(50)
  })

  test('200 for an owner without the field, and again, with the first instant', async () => {
    const { id: other } = await hire(tenant)
    const first = await desk.call('POST', `/v1/employees/${other}/erase`)
    expect(first.status).toBe(200)
    service.clock.advance(1000)
    const second = await desk.call('POST', `/v1/employees/${other}/erase`)
    expect(second.body).toEqual(first.body)
  })

  test('200 leaves what others wrote about the person as it is', async () => {
    const short = await hire(tenant, { email: 'ann@example.com' })
    const long = await hire(tenant, { email: 'joann@example.com' })
    const details = { text: 'seen\nAnn@example.com. Told\tann@example.com' }
    const seen = { type: 'custom.seen', employee_email: long.email, details }
    const { body: event } = await tenant.call('POST', '/v1/events', seen)
    const report = await hire(tenant, { manager_email: 'Ann@Example.com' })
    const other = await hire(tenant, { manager_email: 'joann@example.com' })
    await tenant.call('POST', `/v1/employees/${short.id}/erase`, { confirm: 'erase' })
    expect((await read(`/v1/events/${event.id}`)).details).toEqual(details)
    expect((await read(`/v1/employees/${report.id}`)).manager_email).toBe('')
    expect((await read(`/v1/employees/${other.id}`)).manager_email).toBe('joann@example.com')
    const { data } = await read(`/v1/audit?subject_id=${long.id}&action=employee.created`)
    expect(data).toMatchObject([{ erased: false, after: { email: 'joann@example.com' } }])
  })

  test('events on their way are erased with the rest or find nobody', async () => {
    for (let round = 0; round < 3; round++) {
      const email = `race${round}.zebrafinch@example.com`
      const person = await hire(tenant, { email })
      const send = (i: number) =>
        tenant.call('POST', '/v1/events', {
          type: 'custom.race',
          employee_email: email,
          details: { text: `zebrafinch ${i}` },
        })
      const erase = () =>
        tenant.call('POST', `/v1/employees/${person.id}/erase`, { confirm: 'erase' })
      const calls = [...Array.from({ length: 10 }, (_, i) => send(i)), erase()]
      const rest = Array.from({ length: 10 }, (_, i) => send(i))
      const answers = await Promise.all([...calls, ...rest])
      expect(answers[10]!.status).toBe(200)
      for (const { status } of answers) expect([200, 201, 404]).toContain(status)
      expect(await tablesWith(['zebrafinch'])).toEqual([])
    }
  })

  test('what waited for an erasure tells nothing of the person', async () => {
    const { tenant_id } = tenant
    const email = 'waited.zebrafinch@example.com'
    const person = await hire(tenant, { email })
    const seen = { type: 'custom.seen', employee_email: email }
    const event = (await tenant.call('POST', '/v1/events', seen)).body
    expect(event.impact).not.toBe(0)
    const calls: Promise<{ status: number }>[] = []
    await service.context.db.inTenant(tenant_id, async tx => {
      await lockStandings(tx, tenant_id, [person.id])
      const path = `/v1/employees/${person.id}/erase`
      calls.push(tenant.call('POST', path, { confirm: 'erase' }))
      await seeBlocked(tx)
      calls.push(tenant.call('POST', `/v1/events/${event.id}/retract`, { reason: 'a mistake' }))
    })
    expect((await Promise.all(calls)).map(one => one.status)).toEqual([200, 200])
    expect(await tablesWith(['zebrafinch'])).toEqual([])
  })

  test('whoever else is there stays as they were', async () => {
    const own = await service.tenant()
    const url = 'https://hooks.example.com/all'
    const kinds = ['event.ingested', 'employee.created', 'action.triggered']
    await own.call('POST', '/v1/webhooks', { url, events: kinds })
    const [one, other] = [await hire(own), await hire(own, { last_name: 'Plain' })]
    for (const { id: employee_id, email } of [one, other]) {
      const event = { type: 'custom.seen', employee_email: email, details: { text: 'at work' } }
      await own.call('POST', '/v1/events', { ...event, external_id: `seen-${email}` }, once(email))
      await own.call('POST', '/v1/actions', { employee_id, type: 'open_ticket', note: 'a note' })
    }
    const restrict = (employee_id: string) => {
      const body = { employee_id, type: 'restrict_access', note: 'a note' }
      return own.call('POST', '/v1/actions', body, once(`restrict-${employee_id}`))
    }
    const [, answer] = [await restrict(one.id), await restrict(other.id)]
    const recordOf = async ({ id: employee_id }: { id: string }) => {
      const { sql } = service.context.db
      const tables = await sql<{ name: string }[]>`SELECT table_name AS name
        FROM information_schema.columns
        WHERE table_schema = current_schema() AND column_name = 'employee_id' ORDER BY 1`
      const rows = await Promise.all(
        tables.map(
          ({ name }) => sql`SELECT to_jsonb(t) AS row FROM ${sql(name)} t
            WHERE employee_id = ${employee_id} ORDER BY t::text`,
        ),
      )
      return Object.fromEntries(tables.map(({ name }, i) => [name, rows[i]!.map(one => one.row)]))
    }
    const before = await recordOf(other)
    expect(before).toMatchObject({ actions: [{}, {}], events: [{}], webhook_deliveries: {} })
    service.clock.advance(1000)
    const path = `/v1/employees/${one.id}/erase`
    expect((await own.call('POST', path, { confirm: 'erase' })).status).toBe(200)
    expect(await recordOf(other)).toEqual(before)
    expect((await restrict(other.id)).body).toEqual(answer.body)
    expect((await restrict(one.id)).body).toBeUndefined()
    const { actions } = await recordOf(one)
    expect(actions!.map(({ status }) => status).sort()).toEqual(['failed', 'rejected'])
  })
})
