// Erasure is literal: whatever column of whatever table names the person, after it none does.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pino from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import { startService, type Tenant } from '../../test/service.ts'
import { addPolicy, happen, hire, openDesk, type Person } from '../actions/actions.fixture.ts'
import { verifyAudit } from '../audit/verify-audit.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { SECOND } from '../platform/clock.ts'
import { RESERVED_TENANT } from '../platform/database.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { createSecrets, keyFromSetting } from '../platform/secrets.ts'
import { replayJobsJob } from '../replays/run-replay-jobs.job.ts'
import { erasePerson } from './erase-person.ts'
import { findErasure, listColumns, listOpenErasures } from './erasures.queries.ts'
import { sweepErasedJob } from './sweep-erased.job.ts'
import { sealTraces, sweepPerson } from './sweep-person.ts'
import { type Column, isSearched } from './sweep-plan.ts'

const EMAIL = 'Zelda.Quirk@Example.com'
const NAME = { first_name: 'Zelda', last_name: "O'Quirk" }
const EXTERNAL = 'badge-4711'
const TRACES = [EMAIL, "Zelda O'Quirk", "O'Quirk, Zelda", EXTERNAL]
/** Every way in which they may stand, in one text. */
const PLANTED = `seen ${EMAIL.toUpperCase()}; ${TRACES.join(' | ')}\nZELDA.O'QUIRK at ${encodeURIComponent(EMAIL)}`

const service = await startService()
const columns = await service.context.db.acrossTenants(listColumns)
let tenant: Tenant
let desk: Person

beforeEach(async () => {
  tenant = await service.tenant()
  desk = await openDesk(service, tenant)
})

async function inTenant(work: (tx: any) => Promise<any>): Promise<any> {
  return service.context.db.inTenant(tenant.tenant_id, work)
}

async function zelda() {
  const person = await hire(tenant, { email: EMAIL, ...NAME })
  await happen(tenant, person, 'door.opened', { external_id: EXTERNAL })
  return person
}

const erase = (id: string) => tenant.call('POST', `/v1/employees/${id}/erase`, { confirm: 'erase' })

/** At least one row of somebody else in every table that people can write words into. */
async function fillTables() {
  const other = await hire(tenant, { email: 'ann@example.com', title: 'Chief' })
  const url = 'https://hooks.example.com/all'
  const events = ['event.ingested', 'employee.created', 'action.triggered', 'score.updated']
  const once = { 'idempotency-key': 'secret-1' }
  await tenant.call('POST', '/v1/webhooks', { url, events }, once)
  await addPolicy(desk, { kind: 'event', event_type: 'door.*', conditions: {} })
  const { id } = await happen(tenant, other, 'door.opened', { external_id: 'other-1' })
  await tenant.call('POST', `/v1/events/${id}/retract`, { reason: 'a test' }, once)
  const lost = { source: 's', event_type: 'a.b', employee: { email: 'nobody@example.com' } }
  await tenant.call('POST', '/v1/events/webhook', { ...lost, external_id: 'x-1' })
  await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })
  await runDueJobs(service.context, [replayJobsJob()])
  await inTenant(async tx => {
    const { tenant_id } = tenant
    await tx`INSERT INTO webhook_attempts (tenant_id, webhook_id, delivery_id, attempt, url, signature,
        standard_signature, started_at, ended_at, total_ms, error, response_status, response_headers, response_body,
        response_encoding, response_truncated)
      SELECT d.tenant_id, d.webhook_id, d.delivery_id, 1, '', '', '', d.created_at, d.created_at, 1, '', 500,
        '{}', '', 'utf8', false FROM webhook_deliveries d WHERE d.tenant_id = ${tenant_id} LIMIT 1`
    await tx`INSERT INTO webhook_recoveries (tenant_id, recovery_id, webhook_id, status, since, total, processed,
        done_to, ends_at, created_by, created_at, finished_at)
      SELECT tenant_id, 'rcv_1', webhook_id, 'completed', created_at, 0, 0, '', '', '', created_at, created_at
      FROM webhooks WHERE tenant_id = ${tenant_id} LIMIT 1`
    await tx`INSERT INTO oauth_apps (tenant_id, client_id, name, redirect_uris, scopes, secret_hash, created_by,
        created_at)
      VALUES (${tenant_id}, 'c1', 'x', '{https://a.example}', '{}', '\\x00', '', ${new Date(0)})`
    await tx`INSERT INTO oauth_codes (tenant_id, code_hash, grant_id, client_id, redirect_uri, code_challenge,
        expires_at) VALUES (${tenant_id}, '\\x01', 'g', 'c1', 'https://a.example', '', ${new Date(0)})`
    await tx`INSERT INTO notifications (tenant_id, notification_id, kind, subject_kind, subject_id, count, data,
        first_at, last_at, raised_at)
      VALUES (${tenant_id}, 'n1', 'webhook.failing', 'webhook', 'w', 1, '{}', ${new Date(0)}, ${new Date(0)},
        ${new Date(0)})`
    await tx`INSERT INTO idempotent_answers (tenant_id, request, body_hash, status, answer, encrypted, created_at)
      VALUES (${tenant_id}, 'POST /a b', '\\x00', 201, '{}', false, ${new Date(service.clock.now())})`
  })
  return other
}

function valueFor({ type }: Column, text: string): string {
  if (type === '_text') return `{"${text}","other"}`
  if (type === 'text') return text
  return JSON.stringify({ text, list: [{ [text]: EMAIL }, 'kept'] })
}

/** Plants a text in every such column of every row that is not the person's own. */
async function plantEverywhere(text: string): Promise<string[]> {
  const planted: string[] = []
  for (const one of columns.filter(isSearched)) {
    const { table, column, type } = one
    const rows = await inTenant(
      tx => tx`UPDATE ${tx(table)} SET ${tx(column)} = ${valueFor(one, text)}::text::${tx(type)}
        WHERE tenant_id = ${tenant.tenant_id} AND ctid = (SELECT ctid FROM ${tx(table)}
          WHERE tenant_id = ${tenant.tenant_id} LIMIT 1) RETURNING 1`,
    )
    if (rows.length > 0) planted.push(`${table}.${column}`)
  }
  return planted
}

/** Tables that hold any of the traces in any column, whatever the case. */
async function tablesWith(traces: readonly string[]): Promise<string[]> {
  const found = new Set<string>()
  for (const table of new Set(columns.map(one => one.table))) {
    // What was done to other things is told of them, not of the person.
    if (table === 'audit_values') continue
    for (const trace of traces) {
      const rows = await inTenant(
        tx => tx`SELECT 1 FROM ${tx(table)} t WHERE t.tenant_id = ${tenant.tenant_id}
          AND strpos(lower(t::text), ${trace.toLowerCase()}) > 0 LIMIT 1`,
      )
      if (rows.length > 0) found.add(table)
    }
  }
  return [...found].sort()
}

describe('POST /v1/employees/:id/erase', () => {
  test('200 no row of the tenant names the person any more, in whichever column', async () => {
    await fillTables()
    const person = await zelda()
    const named = {
      name: PLANTED.replace('\n', ' '),
      event_type: 'custom.x',
      category: 'custom',
      impact: -1,
    }
    const rule = await tenant.call('POST', '/v1/rules', named)
    expect(rule.status).toBe(201)
    const url = 'https://hooks.example.com/named'
    const secret = { url, events: ['score.updated'], description: `for ${EMAIL}` }
    const key = { 'idempotency-key': 'secret-2' }
    expect((await tenant.call('POST', '/v1/webhooks', secret, key)).status).toBe(201)
    const planted = await plantEverywhere(PLANTED)
    const searched = columns.filter(isSearched).map(one => `${one.table}.${one.column}`)
    expect(planted.sort()).toEqual(searched.sort())
    const before = await tablesWith(TRACES)
    expect(before).toEqual(expect.arrayContaining(['events', 'rules', 'jobs']))

    const answer = await erase(person.id)

    expect(answer.status).toBe(200)
    expect(answer.body.search).toMatchObject({ status: 'completed' })
    expect(answer.body.search.rows_changed).toBeGreaterThan(10)
    expect(await tablesWith([...TRACES, 'zelda', 'quirk', encodeURIComponent(EMAIL)])).toEqual([])
    expect(await verifyAudit(service.context, tenant.tenant_id, null)).toMatchObject({
      valid: true,
    })
    const again = await tenant.call('POST', '/v1/webhooks', secret, key)
    expect(again).toMatchObject({ status: 201, body: undefined })
    const same = await tenant.call(
      'POST',
      '/v1/webhooks',
      {
        url: 'https://hooks.example.com/all',
        events: ['event.ingested', 'employee.created', 'action.triggered', 'score.updated'],
      },
      { 'idempotency-key': 'secret-1' },
    )
    expect(same.body.secret, 'an answer that names nobody is kept').toMatch(/^whsec_/)
  })

  test.each([
    ["O'Quirk, Zelda", true],
    [`https://x.example/?to=${encodeURIComponent(EMAIL)}`, true],
    [`not${EMAIL}`, false],
  ])(
    '200 a saved answer under seal that says %j is emptied: %j',
    async (description, isEmptied) => {
      const person = await zelda()
      const url = 'https://hooks.example.com/x'
      const asked = { url, events: ['score.updated'], description }
      const key = { 'idempotency-key': 'sealed' }
      await tenant.call('POST', '/v1/webhooks', asked, key)
      await erase(person.id)
      const again = await tenant.call('POST', '/v1/webhooks', asked, key)
      expect(again.status).toBe(201)
      expect(again.body?.description).toBe(isEmptied ? undefined : description)
    },
  )

  test('200 what stands around the name stays, and a rule that named the person no longer means them', async () => {
    const person = await zelda()
    const other = await hire(tenant, { email: 'kim@example.com' })
    const conditions = { reporter: EMAIL.toLowerCase() }
    const body = { name: 'By Zelda', event_type: 'custom.told', category: 'custom', impact: -5 }
    await tenant.call('POST', '/v1/rules', { ...body, conditions })
    const tell = () =>
      tenant.call('POST', '/v1/events', {
        type: 'custom.told',
        employee_email: other.email,
        details: {
          reporter: EMAIL.toLowerCase(),
          text: `${EMAIL} and xzelda.quirk@example.com; Zelda O'Quirk said "${EXTERNAL}", not ${EXTERNAL}2`,
          count: 3,
        },
      })
    const { body: told } = await tell()
    expect(told.impact).toBe(-5)
    const { body: erased } = await erase(person.id)
    const { body: event } = await tenant.call('GET', `/v1/events/${told.id}`)
    expect(event.details).toEqual({
      reporter: erased.email,
      text: `${erased.email} and xzelda.quirk@example.com; erased said "erased", not ${EXTERNAL}2`,
      count: 3,
    })
    expect((await tell()).body.impact).toBe(0)
  })

  test.each([
    ['İbrahim', 'Yılmaz', 'İbrahim Yılmaz'],
    ['ΝΙΚΟΣ', 'ΔΕΛΤΑ', 'ΔΕΛΤΑ, ΝΙΚΟΣ'],
    ['Νικολαος', 'Δελτα', 'ΝΙΚΟΛΑΟΣ ΔΕΛΤΑ'],
    // An accent apart from its letter, as files made on a Mac hold it, and the other way round.
    ['Zoë', 'Müller', 'Zoë Müller'.normalize('NFD')],
    ['Zoë'.normalize('NFD'), 'Müller'.normalize('NFD'), 'MÜLLER, Zoë'],
  ])('200 letters that are spelt in several ways: %s %s', async (first, last, told) => {
    const person = await hire(tenant, {
      email: 'x@example.com',
      first_name: first,
      last_name: last,
    })
    const other = await hire(tenant, { email: 'kim@example.com' })
    const { id } = await happen(tenant, other, 'door.opened', { details: { told } })
    expect((await erase(person.id)).status).toBe(200)
    const { body } = await tenant.call('GET', `/v1/events/${id}`)
    expect(body.details.told).toMatch(/^erased/)
  })

  test('200 a name that somebody else bears is left alone, the address is not', async () => {
    const person = await zelda()
    const namesake = await hire(tenant, { email: 'other.zelda@example.com', ...NAME })
    const { id } = await happen(tenant, namesake, 'door.opened', {
      details: { text: `Zelda O'Quirk, ${EMAIL}` },
    })
    const { body: erased } = await erase(person.id)
    const { body: event } = await tenant.call('GET', `/v1/events/${id}`)
    expect(event.details.text).toBe(`Zelda O'Quirk, ${erased.email}`)
    await erase(namesake.id)
  })

  test.each([
    ['Zoë', 'Müller', 'Zoë'.normalize('NFD'), 'Müller'.normalize('NFD')],
    // A sigma at the end is another letter than the one of a name in capitals.
    ['Μαριος', 'Δελτας', 'ΜΑΡΙΟΣ', 'ΔΕΛΤΑΣ'],
    ['Groß', 'Ida', 'GROẞ', 'IDA'],
    ['Thomas', 'Martin', 'Martin', 'Thomas'],
    ['Anna', 'Maria  Lopez', 'Anna Maria', 'Lopez'],
  ])(
    '200 a name that somebody else bears in another way is left alone too: %s %s, %s %s',
    async (first_name, last_name, first, last) => {
      const person = await hire(tenant, { email: 'one@example.com', first_name, last_name })
      await hire(tenant, { email: 'two@example.com', first_name: first, last_name: last })
      const other = await hire(tenant, { email: 'kim@example.com' })
      const told = `${first} ${last}, ${first_name} ${last_name}`
      const { id } = await happen(tenant, other, 'door.opened', { details: { told } })
      await erase(person.id)
      expect((await tenant.call('GET', `/v1/events/${id}`)).body.details.told).toBe(told)
    },
  )

  test('409 while the person has an account for the dashboard', async () => {
    const admin = await openDesk(service, tenant, 'admin')
    const person = await hire(tenant, { email: admin.email.toUpperCase() })
    const refused = await erase(person.id)
    expect(refused.status).toBe(409)
    const email = 'zo\u00eb@example.com'
    await desk.call('POST', '/admin/users', { email, role: 'viewer' })
    const spelled = await hire(tenant, { email: email.normalize('NFD') })
    expect(
      (await erase(spelled.id)).status,
      'the same address, spelled with a combining mark',
    ).toBe(409)
    expect(refused.body.error.message).toContain('account')
    const path = `/admin/users/${admin.user_id}`
    expect((await desk.call('DELETE', path)).status).toBe(204)
    const { db } = service.context
    const left = () =>
      db.inTenant(
        RESERVED_TENANT,
        tx => tx`SELECT 1 FROM users u WHERE u.tenant_id = ${RESERVED_TENANT}
          AND strpos(lower(u::text), ${admin.email.toLowerCase()}) > 0`,
      )
    expect(await left()).toHaveLength(1)
    expect((await erase(person.id)).status).toBe(200)
    expect(await left(), 'an account of no tenant').toHaveLength(0)
    const [stranger, invited] = [await service.tenant(), await hire(tenant, {})]
    const far = await openDesk(service, stranger, 'owner')
    const offer = { email: invited.email, role: 'viewer' }
    const { body } = await far.call('POST', '/admin/users', offer)
    expect((await erase(invited.id)).status).toBe(200)
    const token = new URL(body.setup_url).searchParams.get('token')
    const opened = await far.call('POST', '/session/link', { token })
    expect(opened.status, 'an invitation of another tenant').toBe(200)
  })

  test('200 while a job names the person the search waits, and ends after it', async () => {
    const person = await zelda()
    const filter = { type: 'custom.none', conditions: { user: EMAIL } }
    const asked = { filter, reason: `asked by Zelda O'Quirk` }
    const job = await tenant.call('POST', '/v1/events/retract', asked)
    expect((await erase(person.id)).body.search).toMatchObject({ status: 'running', rows_read: 0 })
    await runDueJobs(service.context, [replayJobsJob(), sweepErasedJob()])
    expect((await erase(person.id)).body.search).toMatchObject({ status: 'completed' })
    expect(await tablesWith(TRACES)).toEqual([])
    const seen = await tenant.call('GET', `/v1/events/retract/${job.body.job_id}`)
    expect(seen).toMatchObject({ status: 200, body: { reason: 'asked by erased' } })
  })
})

describe('the search', () => {
  test('goes on where it was after kill -9', async () => {
    const person = await zelda()
    const other = await hire(tenant, { email: 'max@example.com' })
    for (let i = 0; i < 20; i++) {
      await happen(tenant, other, 'door.opened', { details: { text: `${i}: ${EMAIL}` } })
    }
    const asked = { filter: { type: 'x.y', conditions: { user: EMAIL } }, reason: 'later' }
    await tenant.call('POST', '/v1/events/retract', asked)
    expect((await erase(person.id)).body.search.status).toBe('running')
    await runDueJobs(service.context, [replayJobsJob()])
    const script = fileURLToPath(new URL('../../test/sweep-worker.ts', import.meta.url))
    const { tenant_id } = tenant
    const place = { address: service.address, now: service.clock.now() }
    const key = 'a key for tests only, long enough'
    const input = JSON.stringify({ ...place, tenant_id, employee_id: person.id, key })
    const child = spawn(process.execPath, [script, input], { stdio: 'inherit' })
    const [, signal] = await once(child, 'exit')
    expect(signal).toBe('SIGKILL')
    const left = await inTenant(tx => findErasure(tx, tenant_id, person.id))
    expect(left).toMatchObject({ finished_at: null, traces: expect.stringMatching(/^v1\./) })
    expect(left.rows_read).toBeGreaterThanOrEqual(5)
    await runDueJobs(service.context, [sweepErasedJob()])
    const after = await inTenant(tx => findErasure(tx, tenant_id, person.id))
    expect(after).toMatchObject({ traces: null, finished_at: new Date(service.clock.now()) })
    expect(after.rows_read).toBeGreaterThan(left.rows_read)
    expect(await tablesWith(TRACES)).toEqual([])
  })

  test('is left to the worker after a while, however few rows it came to', async () => {
    const person = await zelda()
    const at = service.clock.now()
    let asked = 0
    const slow = { ...service.context, clock: { now: () => at + 4 * SECOND * asked++ } }
    const { search } = await erasePerson(slow, tenant.tenant_id, operatorOrigin(), person.id)
    expect(search.status).toBe('running')
    await runDueJobs(service.context, [sweepErasedJob()])
    const after = await inTenant(tx => findErasure(tx, tenant.tenant_id, person.id))
    expect(after).toMatchObject({ traces: null, finished_at: expect.any(Date) })
    expect(await tablesWith(TRACES)).toEqual([])
  })

  test('of one person that cannot go on holds up nobody else', async () => {
    const stuck = await zelda()
    const next = await hire(tenant, { email: 'lou.next@example.com' })
    for (const [person, user] of [
      [stuck, EMAIL],
      [next, 'lou.next@example.com'],
    ] as const) {
      const asked = { filter: { type: 'x.y', conditions: { user } }, reason: 'later' }
      await tenant.call('POST', '/v1/events/retract', asked)
      expect((await erase(person.id)).body.search.status).toBe('running')
      await runDueJobs(service.context, [replayJobsJob()])
    }
    await inTenant(
      tx => tx`UPDATE erasures SET cursor = 'no key'
        WHERE tenant_id = ${tenant.tenant_id} AND employee_id = ${stuck.id}`,
    )
    await expect(runDueJobs(service.context, [sweepErasedJob()])).rejects.toThrow('JSON')
    const left = async (id: string) => inTenant(tx => findErasure(tx, tenant.tenant_id, id))
    expect(await left(stuck.id)).toMatchObject({ finished_at: null })
    expect(await left(next.id)).toMatchObject({ traces: null, finished_at: expect.any(Date) })
    await inTenant(tx => tx`DELETE FROM erasures WHERE tenant_id = ${tenant.tenant_id}`)
  })

  test('waits where the key that sealed its note is gone, and goes on once it is back', async () => {
    const person = await zelda()
    const asked = { filter: { type: 'x.y', conditions: { user: EMAIL } }, reason: 'later' }
    await tenant.call('POST', '/v1/events/retract', asked)
    expect((await erase(person.id)).body.search.status).toBe('running')
    await runDueJobs(service.context, [replayJobsJob()])
    const lines: string[] = []
    const log = pino({}, { write: line => lines.push(line) })
    const secrets = createSecrets(keyFromSetting('the key of another installation'))
    const restored = { ...service.context, secrets, log }
    const job = sweepErasedJob()
    for (let run = 0; run < 3; run++) await runDueJobs(restored, [job])
    expect(lines.map(line => JSON.parse(line))).toMatchObject([{ employee_id: person.id }])
    expect(await sweepPerson(restored, tenant.tenant_id, person.id, 1)).toBe(false)
    await runDueJobs(service.context, [sweepErasedJob()])
    // Not asked by the request, which would look for the person itself.
    const after = await inTenant(tx => findErasure(tx, tenant.tenant_id, person.id))
    expect(after).toMatchObject({ traces: null, finished_at: expect.any(Date) })
  })

  test('of many who wait for their key holds up nobody behind them', async () => {
    const person = await zelda()
    const asked = { filter: { type: 'x.y', conditions: { user: EMAIL } }, reason: 'later' }
    await tenant.call('POST', '/v1/events/retract', asked)
    expect((await erase(person.id)).body.search.status).toBe('running')
    await runDueJobs(service.context, [replayJobsJob()])
    await inTenant(
      tx => tx`INSERT INTO erasures (tenant_id, employee_id, traces, pass, table_name, cursor, rows_read,
          rows_changed, started_at)
        SELECT ${tenant.tenant_id}, 'emp_0' || n, 'v1.sealed-with-a-lost-key', 0, '', '', 0, 0, ${new Date()}
        FROM generate_series(100, 145) n`,
    )
    await runDueJobs(service.context, [sweepErasedJob()])
    // Not asked by the request, which would look for the person itself.
    const after = await inTenant(tx => findErasure(tx, tenant.tenant_id, person.id))
    expect(after).toMatchObject({ traces: null, finished_at: expect.any(Date) })
  })

  test('of more people than one turn takes goes on from turn to turn until all are done', async () => {
    const { tenant_id } = tenant
    const ids = Array.from({ length: 43 }, (_, i) => `emp_0${i + 100}`)
    const notes = ids.map(id =>
      sealTraces(service.context, tenant_id, id, { email: `${id}@x.com`, name: null, ids: [] }),
    )
    await inTenant(
      tx => tx`INSERT INTO erasures (tenant_id, employee_id, traces, pass, table_name, cursor, rows_read,
          rows_changed, started_at)
        SELECT ${tenant_id}, u.id, u.note, 0, '', '', 0, 0, ${new Date()} FROM unnest(${ids}::text[], ${notes}::text[]) AS u(id, note)`,
    )
    const job = sweepErasedJob()
    for (const done of [20, 40, 43]) {
      await job.run(service.context)
      const left = await inTenant(tx => listOpenErasures(tx, tenant_id, '', 50))
      expect(left.map((row: { employee_id: string }) => row.employee_id)).toEqual(ids.slice(done))
    }
  })

  test('goes on in small pieces, and two at once do each piece once', async () => {
    const person = await zelda()
    const other = await hire(tenant, { email: 'lee@example.com' })
    for (let i = 0; i < 12; i++) {
      await happen(tenant, other, 'door.opened', { details: { text: `${i}: ${EMAIL}` } })
    }
    const asked = { filter: { type: 'x.y', conditions: { user: EMAIL } }, reason: 'later' }
    await tenant.call('POST', '/v1/events/retract', asked)
    expect((await erase(person.id)).body.search.status).toBe('running')
    await runDueJobs(service.context, [replayJobsJob()])
    const { context } = service
    const run = () => sweepPerson(context, tenant.tenant_id, person.id, 7, 5)
    for (let turn = 0; turn < 1000; turn++) {
      const going = await Promise.all([run(), run()])
      if (!going.includes(true)) break
    }
    const { search } = (await erase(person.id)).body
    expect(search.status).toBe('completed')
    expect(search.rows_changed).toBeGreaterThanOrEqual(12)
    expect(await tablesWith(TRACES)).toEqual([])
    const [row] = await inTenant(
      tx => tx`SELECT traces FROM erasures WHERE tenant_id = ${tenant.tenant_id}
        AND employee_id = ${person.id}`,
    )
    expect(row.traces).toBeNull()
  })
})
