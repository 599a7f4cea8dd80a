// Erasure of people with much about them: the request answers at once, and a job that survives a kill does the rest.
import { beforeEach, describe, expect, test } from 'vitest'
import { interleave, type Side } from '../../test/interleave.ts'
import { loseTransaction } from '../../test/lose-transaction.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { happen, hire } from '../actions/actions.fixture.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { verifyAudit } from '../audit/verify-audit.ts'
import { aliasOf } from '../employees/email-address.ts'
import { ingestTogether } from '../events/ingest-events.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { DAY, MINUTE } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { EMPTY, listTables, TABLES } from '../platform/tables.ts'
import { forgetJobsJob } from '../replays/forget-jobs.job.ts'
import { LEASE_MS, PACE } from '../replays/run-pieces.ts'
import { replayJobsJob } from '../replays/run-replay-jobs.job.ts'
import { tenantsWithDueDeliveries } from '../webhooks/claims.queries.ts'
import { runDueDeliveries } from '../webhooks/deliver-webhooks.job.ts'
import { LOOPBACK, startReceiver } from '../webhooks/receiver.fixture.ts'
import { DEADLINES } from '../webhooks/send-request.ts'
import { type Bounds, eraseEmployee } from './erase-employee.ts'
import { eraseRowsWork } from './erase-rows.ts'

const service = await startService({ ...LOOPBACK, pool: 12 })
const { context, clock } = service
const { db } = context

/** One page of three rows, and not a moment longer. */
const SMALL: Bounds = { page: 3, at_once_ms: 0 }
const EMAIL = 'Zelda.Zebrafinch@example.com'

let tenant: Tenant
let id: string

const worker = () => replayJobsJob(PACE, { erasure: eraseRowsWork })
const erase = (bounds?: Bounds) =>
  eraseEmployee(context, tenant.tenant_id, operatorOrigin(), id, bounds)
const read = async (path: string) => (await tenant.call('GET', path)).body

const seen = (n: number) => ({
  type: 'custom.seen',
  employee_email: EMAIL,
  details: { text: `zebrafinch ${n}`, severity: 'high' },
  external_id: `zebrafinch-${n}`,
})

/** Somebody with more of everything than a page holds. */
beforeEach(async () => {
  tenant = await service.tenant()
  const { call } = tenant
  const events = ['event.ingested', 'score.updated', 'employee.deactivated']
  await call('POST', '/v1/webhooks', { url: 'https://hooks.example.com/x', events })
  const early = { source: 'hr', event_type: 'hr.early', employee: { email: EMAIL } }
  for (let n = 0; n < 10; n++) {
    const details = { text: `zebrafinch ${n}` }
    expect((await call('POST', '/v1/events/webhook', { ...early, details })).status).toBe(404)
    await hire(tenant, { manager_email: EMAIL.toUpperCase() })
  }
  const profile = { last_name: 'Zebrafinch', title: 'Zebrafinch', location: 'Zebrafinch' }
  id = (await hire(tenant, { email: EMAIL, department: 'Sales', ...profile })).id
  const about = Array.from({ length: 10 }, (_, n) => seen(n))
  expect((await call('POST', '/v1/events/batch', { events: about })).status).toBe(207)
  for (let n = 0; n < 5; n++) {
    const action = { employee_id: id, type: 'open_ticket', note: `zebrafinch ${n}` }
    const key = { 'idempotency-key': `a-${n}` }
    expect((await call('POST', '/v1/actions', action, key)).status).toBe(201)
  }
})

/** Tables that hold anything of the person's, in any column. */
async function tablesWith(trace: string): Promise<string[]> {
  const found: string[] = []
  for (const table of listTables()) {
    const rows = await db.sql`SELECT 1 FROM ${db.sql(table)} t
      WHERE t.tenant_id = ${tenant.tenant_id} AND lower(t::text) LIKE ${`%${trace}%`} LIMIT 1`
    if (rows.length > 0) found.push(table)
  }
  return found
}

const FULL = [
  'actions',
  'audit_values',
  'employees',
  'events',
  'external_ids',
  'idempotent_answers',
]

describe('somebody with more about them than is done at once', () => {
  test('is nobody once it is answered, and the worker empties the rest', async () => {
    expect(await tablesWith('zebrafinch')).toEqual([
      ...FULL,
      ...['unmatched_events', 'webhook_messages'],
    ])
    expect(await erase(SMALL)).toMatchObject({ status: 'running', email: aliasOf(id) })
    expect(await tablesWith('zebrafinch')).toContain('events')
    expect(await read(`/v1/employees/${id}`)).toMatchObject({
      ...{ email: aliasOf(id), first_name: '', last_name: '', title: '', location: '' },
      ...{ status: 'inactive', department: 'Sales' },
    })
    expect(await erase(SMALL), 'asked again').toMatchObject({ status: 'running' })
    await runDueJobs(context, [worker()])
    expect(await erase(SMALL), 'asked again after it').toMatchObject({ status: 'completed' })
    expect(await tablesWith('zebrafinch')).toEqual([])
    const { data } = await read(`/v1/audit?subject_id=${id}&action=employee.erased`)
    expect(data).toHaveLength(1)
    expect(await verifyAudit(context, tenant.tenant_id, null)).toMatchObject({ valid: true })
  })

  test('nobody is shown or sent what is not emptied yet', async () => {
    const [{ id: event_id }] = (await read(`/v1/events?employee_id=${id}`)).data
    const [{ id: hook }] = (await read('/v1/webhooks')).data
    const receiver = await startReceiver(response => response.end('ok'))
    await tenant.call('PATCH', `/v1/webhooks/${hook}`, { url: receiver.url })
    await erase(SMALL)
    expect(await tablesWith('zebrafinch')).toEqual(expect.arrayContaining(['webhook_messages']))
    expect((await read(`/v1/events/${event_id}`)).details).toEqual({})
    const events = (await read(`/v1/events?employee_id=${id}`)).data
    expect(new Set(events.map((one: { details: object }) => JSON.stringify(one.details)))).toEqual(
      new Set(['{}']),
    )
    const { data } = await read(`/v1/webhooks/${hook}/deliveries?per_page=100&event=event.ingested`)
    expect(data).toHaveLength(10)
    expect((await read(`/v1/webhooks/deliveries/${data[0].id}`)).request.body).toBe('')
    const path = `/v1/webhooks/deliveries/${data[0].id}/redeliver`
    expect((await tenant.call('POST', path)).status).toBe(409)
    await runDueDeliveries(context, { deadlines: DEADLINES })
    const sent = receiver.got.map(({ body }) => JSON.parse(body))
    expect(sent).toMatchObject([{ event: 'employee.deactivated', data: { email: aliasOf(id) } }])
    expect(sent[0].data).toMatchObject({ id, first_name: '', last_name: '', status: 'inactive' })
    const due = await db.acrossTenants(tx =>
      tenantsWithDueDeliveries(tx, new Date(clock.now()), '', 100),
    )
    expect(due.map(one => one.tenant_id)).not.toContain(tenant.tenant_id)
  })

  test('is erased to the end wherever it is cut off', async () => {
    // Before the fourth nobody is erased yet: their account is looked for, and then they are taken out.
    for (let nth = 4; ; nth++) {
      const loss = await loseTransaction(service, nth)
      await erase({ page: 7, at_once_ms: MINUTE }).catch(() => {})
      loss.end()
      expect(await read(`/v1/employees/${id}`)).toMatchObject({ email: aliasOf(id) })
      // Whoever held it is gone, and is not waited for any longer.
      clock.advance(LEASE_MS + 1)
      await runDueJobs(context, [worker()])
      expect(await tablesWith('zebrafinch'), `cut off before transaction ${nth}`).toEqual([])
      if (loss.begun() < nth) return
      const again = { email: EMAIL, first_name: 'Zelda', last_name: 'Zebrafinch' }
      id = (await hire(tenant, again)).id
      await tenant.call('POST', '/v1/events/batch', { events: [1, 2, 3, 4].map(seen) })
    }
  })

  test('every registered column of theirs is left as the registry says', async () => {
    await erase()
    for (const [table, { personal, subject }] of Object.entries(TABLES)) {
      if (personal === null || subject !== 'employee_id') continue
      const rows = await db.sql`SELECT * FROM ${db.sql(table)} t
        WHERE t.tenant_id = ${tenant.tenant_id} AND t.employee_id = ${id}`
      expect(rows.length, table).toBeGreaterThan(0)
      for (const [column, left] of Object.entries(personal)) {
        if (column === 'scope') continue
        const said = left === EMPTY ? {} : column.startsWith('email') ? aliasOf(id) : left
        for (const row of rows)
          expect([said, null], `${table}.${column}`).toContainEqual(row[column])
      }
    }
  })

  test('values of the audit log go by the person of an entry, and none that came after', async () => {
    await erase(SMALL)
    const origin = operatorOrigin()
    const later = { action: 'employee.exported', subject_kind: 'employee', subject_id: id }
    await db.inTenant(tenant.tenant_id, tx =>
      recordAudit(tx, tenant.tenant_id, clock.now(), origin, [{ ...later, employee_id: id }]),
    )
    await runDueJobs(context, [worker()])
    const { data } = await read('/v1/audit?per_page=100')
    type Entry = { action: string; erased: boolean; subject: { id: string } }
    const kept = (data as Entry[]).filter(one => one.subject.id === id && !one.erased)
    expect(kept.map(one => one.action)).toEqual(['employee.exported', 'employee.erased'])
  })
})

describe('an event for the address of somebody who is being erased', () => {
  const inbound = { source: 'hr', event_type: 'hr.late', employee: { email: EMAIL } }
  const late = () =>
    tenant.call('POST', '/v1/events/webhook', { ...inbound, details: { text: 'too late' } })
  const kept = async () => (await read('/v1/events/unmatched')).data.length

  test('is 404 and kept nowhere; later it is any address again', async () => {
    await erase(SMALL)
    const refused = await late()
    expect(refused.status).toBe(404)
    expect(refused.body.error.message).not.toContain('kept')
    await runDueJobs(context, [worker()])
    expect((await late()).status, 'for whoever waited until now').toBe(404)
    expect(await kept()).toBe(0)
    clock.advance(11 * MINUTE)
    await runDueJobs(context, [forgetJobsJob()])
    expect((await late()).body.error.message).toContain('kept for 30 days')
    expect(await kept()).toBe(1)
  })

  test('counts for whoever has the address next, who is there at once', async () => {
    await erase(SMALL)
    const next = await hire(tenant, { email: EMAIL })
    expect((await late()).status).toBe(201)
    await runDueJobs(context, [worker()])
    expect((await read(`/v1/events?employee_id=${next.id}`)).data).toMatchObject([
      { details: { text: 'too late' } },
    ])
    expect(await read(`/v1/employees/${next.id}`)).toMatchObject({ email: EMAIL, status: 'active' })
  })

  test('is erased with the rest or kept nowhere, whichever comes first', async () => {
    const input = {
      type: 'hr.race',
      source: 'hr',
      employee_email: EMAIL,
      timestamp: clock.now(),
      details: { text: 'zebrafinch' },
      external_id: null,
      keep_unmatched: true,
    }
    const answer = () => ({ status: 201, body: null })
    const submission = { inputs: [input], actor: 'test', repeatable: null, answer }
    const sent: Side<unknown> = own => ingestTogether(own, tenant.tenant_id, [submission])
    for (const first of [0, 4, 8, 12, 16, 20, 24]) {
      const now: Side<unknown> = own =>
        eraseEmployee(own, tenant.tenant_id, operatorOrigin(), id, {
          page: 100,
          at_once_ms: MINUTE,
        })
      await interleave(service, now, sent, { first, second: 100 })
      expect(await tablesWith('zebrafinch'), `after ${first} statements`).toEqual([])
      id = (await hire(tenant, { email: EMAIL })).id
    }
  })
})

describe('views of somebody erased', () => {
  test('no longer count them now, and the past stays as it was', async () => {
    await happen(tenant, { email: EMAIL }, 'sim.link_clicked')
    clock.advance(2 * DAY)
    const day = new Date(clock.now() - DAY).toISOString().slice(0, 10)
    const past = async () =>
      (await read(`/v1/scores/trends?from=${day}&to=${day}&department=Sales`)).data
    const before = { past: await past(), summary: await read('/v1/scores/summary') }
    expect(before.past).toMatchObject([{ employee_count: 1 }])
    await erase()
    expect(await past()).toEqual(before.past)
    const summary = await read('/v1/scores/summary')
    expect(summary.total_employees).toBe(before.summary.total_employees - 1)
    const { data } = await read('/v1/scores/top-risks?limit=100')
    expect(data.map((one: { employee_id: string }) => one.employee_id)).not.toContain(id)
  })

  test('a retraction that runs for them alone ends, and takes nothing more back', async () => {
    const filter = { employee_id: id, conditions: { severity: 'high' } }
    const asked = { filter, reason: 'about a zebrafinch' }
    const { body } = await tenant.call('POST', '/v1/events/retract', asked)
    await erase()
    await runDueJobs(context, [worker()])
    expect(await read(`/v1/events/retract/${body.job_id}`)).toMatchObject({
      ...{ status: 'cancelled', reason: '', filter: {}, events_matched: 0 },
    })
    expect(await tablesWith('zebrafinch')).toEqual([])
  })
})
