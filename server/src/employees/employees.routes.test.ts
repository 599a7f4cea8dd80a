// The employees API: creating, finding, listing and changing people, and what it refuses.
import { beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService, type Tenant } from '../../test/service.ts'
import { DAY } from '../platform/clock.ts'
import type { Fault } from '../platform/errors.ts'
import { lastAudit, readCounts, readSteps } from './employees.fixture.ts'

let service: Service
let acme: Tenant

beforeAll(async () => {
  service = await startService()
  acme = await service.tenant()
})

let people = 0

function person(change: object = {}) {
  people += 1
  return { email: `p${people}@example.com`, first_name: 'Ada', last_name: 'Moss', ...change }
}

async function create(tenant: Tenant, change: object = {}) {
  const answer = await tenant.call('POST', '/v1/employees', person(change))
  expect(answer.status).toBe(201)
  return answer.body
}

/** An event of another system about this employee, now. */
async function happen(tenant: Tenant, email: string, event_type = 'sim.link_clicked') {
  const body = { source: 'simulator', event_type, employee: { email } }
  const answer = await tenant.call('POST', '/v1/events/webhook', body)
  expect(answer.status).toBe(201)
  return answer.body
}

describe('POST /v1/employees', () => {
  it('201 answers with the detail view, at the starting score, and where it is', async () => {
    const given = {
      ...person(),
      department: 'Finance',
      title: 'Accountant',
      location: 'Lisbon',
      manager_email: 'kim@example.com',
    }
    const answer = await acme.call('POST', '/v1/employees', given)
    const now = new Date(service.clock.now()).toISOString()
    expect(answer.status).toBe(201)
    expect(answer.headers.location).toBe(`/v1/employees/${answer.body.id}`)
    expect(answer.body).toEqual({
      ...given,
      id: expect.stringMatching(/^emp_[0-9a-z]+$/),
      score: 75,
      band: 'yellow',
      score_history: [{ timestamp: now, score: 75, band: 'yellow' }],
      status: 'active',
      integrations: [],
      last_event_at: null,
      created_at: now,
    })
    const read = await acme.call('GET', `/v1/employees/${answer.body.id}`)
    expect([read.status, read.body]).toEqual([200, answer.body])
  })

  it('201 text never given is empty', async () => {
    const body = await create(acme)
    const { department, title, location, manager_email } = body
    expect({ department, title, location, manager_email }).toEqual({
      department: '',
      title: '',
      location: '',
      manager_email: '',
    })
  })

  it('201 records a first step and audits it with the one who did it', async () => {
    const { id, email } = await create(acme, { department: 'Finance' })
    expect(await readSteps(service, acme, id)).toMatchObject([
      { version: 1, reason: 'created', status: 'active', department: 'Finance', score: 75 },
    ])
    expect(await lastAudit(service, acme)).toMatchObject({
      action: 'employee.created',
      actor_id: acme.key_id,
      subject_id: id,
      before: null,
      after: { email },
    })
  })

  it('409 for a taken email in any case; another tenant may have it', async () => {
    const { email } = await create(acme)
    const again = await acme.call('POST', '/v1/employees', person({ email: email.toUpperCase() }))
    expect([again.status, again.body.error.code]).toEqual([409, 'CONFLICT'])
    const other = await service.tenant()
    expect((await other.call('POST', '/v1/employees', person({ email }))).status).toBe(201)
  })

  it('409 for all but one of those who create the same address at once', async () => {
    const body = person()
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => acme.call('POST', '/v1/employees', body)),
    )
    expect(answers.map(answer => answer.status).sort()).toEqual([201, 409, 409, 409])
  })

  it.each([
    'plus+tag@example.com',
    "o'hara@example.com",
    '"quoted"@example.com',
    'slash/ed@example.com',
    'percent%41@example.com',
    'jörg@exämple.com',
    `${'x'.repeat(308)}@example.com`,
  ])('201 takes %s and finds it again by email', async email => {
    const body = await create(acme, { email })
    const encoded = await acme.call('GET', `/v1/employees/by-email/${encodeURIComponent(email)}`)
    expect([encoded.status, encoded.body]).toEqual([200, body])
  })

  it.each([
    [{ email: undefined }, 'email'],
    [{ first_name: undefined }, 'first_name'],
    [{ last_name: undefined }, 'last_name'],
    [{ email: 'nobody' }, 'email'],
    [{ email: 'a@b@c' }, 'email'],
    [{ email: 'a b@example.com' }, 'email'],
    [{ email: 'a@exam ple.com' }, 'email'],
    [{ email: 'a\n@example.com' }, 'email'],
    [{ email: '@example.com' }, 'email'],
    [{ email: `${'x'.repeat(309)}@example.com` }, 'email'],
    [{ email: null }, 'email'],
    [{ first_name: ' ' }, 'first_name'],
    [{ first_name: 'x'.repeat(101) }, 'first_name'],
    [{ last_name: 'two\nlines' }, 'last_name'],
    [{ last_name: 7 }, 'last_name'],
    [{ department: 'x'.repeat(201) }, 'department'],
    [{ department: 'tab\there' }, 'department'],
    [{ title: '\u2028' }, 'title'],
    [{ manager_email: 'kim' }, 'manager_email'],
    [{ score: 100 }, 'score'],
    [{ status: 'inactive' }, 'status'],
    [{ first_name: 'NUL \u0000' }, '/first_name'],
    [{ first_name: 'half \udfff' }, '/first_name'],
  ])('400 refuses %j by name', async (change, path) => {
    const answer = await acme.call('POST', '/v1/employees', person(change))
    expect(answer.status).toBe(400)
    expect(answer.body.error.details.map((fault: Fault) => fault.path)).toEqual([path])
  })

  it('201 once for an Idempotency-Key: the same answer again, 409 for another body', async () => {
    const tenant = await service.tenant()
    const headers = { 'idempotency-key': 'one' }
    const body = person()
    const first = await tenant.call('POST', '/v1/employees', body, headers)
    await tenant.call('PATCH', `/v1/employees/${first.body.id}`, { title: 'Boss' })
    const again = await tenant.call('POST', '/v1/employees', body, headers)
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(again.headers.location).toBe(first.headers.location)
    const other = await tenant.call('POST', '/v1/employees', person(), headers)
    expect([other.status, other.body.error.code]).toEqual([409, 'CONFLICT'])
    expect((await tenant.call('GET', '/v1/employees')).body.pagination.total).toBe(1)
  })

  it('201 parallel duplicates of an Idempotency-Key create one employee', async () => {
    const tenant = await service.tenant()
    const headers = { 'idempotency-key': 'at-once' }
    const body = person()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => tenant.call('POST', '/v1/employees', body, headers)),
    )
    expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([201]))
    expect(new Set(answers.map(answer => answer.body.id)).size).toBe(1)
  })
})

describe('GET /v1/employees/:id', () => {
  it.each(['emp_nothing', 'x', 'emp_%2F..%2F', 'a'.repeat(900), '%F0%9F%92%A9', 'by-email'])(
    '404 for %s',
    async id => {
      const answers = await Promise.all([
        acme.call('GET', `/v1/employees/${id}`),
        acme.call('GET', `/v1/employees/${id}/score-history`),
        acme.call('PATCH', `/v1/employees/${id}`, { title: 'x' }),
      ])
      for (const { status, body } of answers) {
        expect([status, body.error.code]).toEqual([404, 'NOT_FOUND'])
      }
    },
  )

  it("404 for another tenant's employee, who stays as they were", async () => {
    const other = await service.tenant()
    const employee = await create(other)
    const answers = await Promise.all([
      acme.call('GET', `/v1/employees/${employee.id}`),
      acme.call('GET', `/v1/employees/by-email/${employee.email}`),
      acme.call('GET', `/v1/employees/${employee.id}/score-history`),
      acme.call('PATCH', `/v1/employees/${employee.id}`, { status: 'inactive' }),
    ])
    expect(answers.map(answer => answer.status)).toEqual([404, 404, 404, 404])
    expect((await other.call('GET', `/v1/employees/${employee.id}`)).body).toEqual(employee)
  })

  it('200 integrations are the distinct sources of events', async () => {
    const { id, email } = await create(acme)
    await happen(acme, email)
    await happen(acme, email, 'sim.reported')
    const { body } = await acme.call('GET', `/v1/employees/${id}`)
    expect(body.integrations).toEqual(['simulator'])
    expect(body.last_event_at).toBe(new Date(service.clock.now()).toISOString())
  })

  it('400 names an unknown query parameter', async () => {
    const { id } = await create(acme)
    const answer = await acme.call('GET', `/v1/employees/${id}?fields=score`)
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, 'fields'])
  })
})

describe('GET /v1/employees/by-email/:email', () => {
  it('200 encoded or plain, in any case; a plus is a plus', async () => {
    const employee = await create(acme, { email: 'Grace+Ops@Example.com' })
    for (const email of [
      'Grace+Ops@Example.com',
      'grace%2Bops%40example.com',
      'GRACE+OPS@EXAMPLE.COM',
    ]) {
      const answer = await acme.call('GET', `/v1/employees/by-email/${email}`)
      expect([answer.status, answer.body]).toEqual([200, employee])
    }
  })

  it('404 for an address of nobody, and for one encoded twice', async () => {
    await create(acme, { email: 'twice+x@example.com' })
    for (const email of [
      'nobody@example.com',
      'twice%252Bx@example.com',
      'twice%20x@example.com',
    ]) {
      expect((await acme.call('GET', `/v1/employees/by-email/${email}`)).status).toBe(404)
    }
  })

  it('400 for a NUL in the path', async () => {
    expect((await acme.call('GET', '/v1/employees/by-email/a%00@example.com')).status).toBe(400)
  })
})

describe('PATCH /v1/employees/:id', () => {
  it('200 changes what is given, keeps the rest, and an empty text clears', async () => {
    const employee = await create(acme, { department: 'Finance', title: 'Clerk' })
    const path = `/v1/employees/${employee.id}`
    const answer = await acme.call('PATCH', path, { title: 'Head', department: 'Legal' })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ ...employee, title: 'Head', department: 'Legal' })
    expect((await acme.call('GET', path)).body).toEqual(answer.body)
    const cleared = await acme.call('PATCH', path, { department: '', title: '' })
    expect(cleared.body).toEqual({ ...employee, title: '', department: '' })
  })

  it('200 records a move of department as a step and audits what was and what is', async () => {
    const { id } = await create(acme, { department: 'Finance' })
    await acme.call('PATCH', `/v1/employees/${id}`, { department: 'Legal', title: '' })
    expect(await readSteps(service, acme, id)).toMatchObject([
      { version: 1, department: 'Finance' },
      { version: 2, department: 'Legal', reason: 'department', status: 'active', score: 75 },
    ])
    const entry = await lastAudit(service, acme)
    expect(entry).toMatchObject({ action: 'employee.updated', subject_id: id })
    expect([entry.before, entry.after]).toEqual([
      { department: 'Finance' },
      { department: 'Legal' },
    ])
  })

  it.each([{}, { status: 'active' }, { department: 'Finance', title: '' }])(
    '200 %j changes nothing',
    async change => {
      const employee = await create(acme, { department: 'Finance' })
      const answer = await acme.call('PATCH', `/v1/employees/${employee.id}`, change)
      expect([answer.status, answer.body]).toEqual([200, employee])
      expect(await readSteps(service, acme, employee.id)).toHaveLength(1)
      expect((await lastAudit(service, acme)).action).toBe('employee.created')
    },
  )

  it('200 deactivation freezes the score; time and events leave it alone', async () => {
    const tenant = await service.tenant()
    const { id, email } = await create(tenant)
    await happen(tenant, email)
    const path = `/v1/employees/${id}`
    const frozen = await tenant.call('PATCH', path, { status: 'inactive' })
    expect(frozen.body).toMatchObject({ status: 'inactive', score: 50, band: 'orange' })
    service.clock.advance(90 * DAY)
    await happen(tenant, email, 'endpoint.malware_detected')
    expect((await tenant.call('GET', path)).body).toMatchObject({ score: 50, band: 'orange' })
    const steps = await readSteps(service, tenant, id)
    expect(steps.map(step => step.reason)).toEqual(['created', 'event', 'deactivation'])
    expect(steps.at(-1)).toMatchObject({ next_change_at: null, streak_due_at: null })
  })

  it('200 reactivation computes the score anew from what has decayed meanwhile', async () => {
    const tenant = await service.tenant()
    const { id, email } = await create(tenant)
    await happen(tenant, email)
    const path = `/v1/employees/${id}`
    await tenant.call('PATCH', path, { status: 'inactive' })
    service.clock.advance(90 * DAY)
    const back = await tenant.call('PATCH', path, { status: 'active' })
    // -25 has halved: 75 - 12.5, a half rounds up.
    expect(back.body).toMatchObject({ status: 'active', score: 63, band: 'yellow' })
    const last = (await readSteps(service, tenant, id)).at(-1)!
    const now = service.clock.now()
    expect(last).toMatchObject({ reason: 'reactivation', trigger_event: 'reactivation', score: 63 })
    expect(last.reactivated_at).toEqual(new Date(now))
    expect(last.streak_due_at).toEqual(new Date(now + 30 * DAY))
    expect(last.next_change_at!.getTime()).toBeGreaterThan(now)
  })

  it('200 applies what fell due before it changes anything', async () => {
    const tenant = await service.tenant()
    const { id, email } = await create(tenant)
    await happen(tenant, email)
    service.clock.advance(10 * DAY)
    const answer = await tenant.call('PATCH', `/v1/employees/${id}`, { status: 'inactive' })
    // 75 - 25 * 2^(-10/90) = 51.85
    expect(answer.body.score).toBe(52)
    const steps = await readSteps(service, tenant, id)
    const reasons = steps.map(step => step.reason)
    expect(reasons).toEqual(['created', 'event', 'decay', 'decay', 'deactivation'])
    expect(steps.map(step => step.score)).toEqual([75, 50, 51, 52, 52])
  })

  it('200 a department given with a status makes two steps, and the counts follow', async () => {
    const tenant = await service.tenant()
    const { id } = await create(tenant, { department: 'Finance' })
    const change = { department: 'Legal', status: 'inactive' }
    await tenant.call('PATCH', `/v1/employees/${id}`, change)
    const steps = await readSteps(service, tenant, id)
    expect(steps.map(step => step.reason)).toEqual(['created', 'department', 'deactivation'])
    expect(await readCounts(service, tenant)).toEqual([
      { status: 'inactive', department: 'Legal', band: 'yellow', score: 75, people: 1 },
    ])
  })

  it.each([
    [{ score: 100 }, 'score', 'only in the dashboard'],
    [{ band: 'green' }, 'band', 'only in the dashboard'],
    [{ email: 'new@example.com' }, 'email', 'department, title and status can'],
    [{ last_name: 'New' }, 'last_name', 'department, title and status can'],
    [{ location: 'Rome' }, 'location', 'department, title and status can'],
    [{ colour: 'red' }, 'colour', 'is not a known field'],
    [{ status: 'gone' }, 'status', 'must be one of active, inactive'],
    [{ status: null }, 'status', 'must be string'],
    [{ department: 'two\nlines' }, 'department', 'line breaks'],
    [{ department: 'x'.repeat(201) }, 'department', '200'],
    [{ title: 5 }, 'title', 'must be string'],
  ])('400 refuses %j and says why', async (change, path, words) => {
    const employee = await create(acme)
    const answer = await acme.call('PATCH', `/v1/employees/${employee.id}`, {
      title: 'x',
      ...change,
    })
    expect(answer.status).toBe(400)
    expect(answer.body.error.details[0].path).toBe(path)
    expect(answer.body.error.details[0].message).toContain(words)
    expect((await acme.call('GET', `/v1/employees/${employee.id}`)).body).toEqual(employee)
  })

  it('400 for a body that is missing or no object', async () => {
    const { id } = await create(acme)
    expect((await acme.call('PATCH', `/v1/employees/${id}`)).status).toBe(400)
    for (const body of ['[]', 'null', '"score"', '{']) {
      expect((await acme.call('PATCH', `/v1/employees/${id}`, body)).status).toBe(400)
    }
  })

  it('200 parallel changes all hold and no step is lost', async () => {
    const { id } = await create(acme)
    const path = `/v1/employees/${id}`
    const changes = ['A', 'B', 'C', 'D'].map(department => ({ department }))
    const answers = await Promise.all([
      ...changes.map(change => acme.call('PATCH', path, change)),
      acme.call('PATCH', path, { title: 'Boss' }),
      acme.call('PATCH', path, { status: 'inactive' }),
    ])
    expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 200, 200, 200])
    const { body } = await acme.call('GET', path)
    expect(body).toMatchObject({ title: 'Boss', status: 'inactive' })
    const steps = await readSteps(service, acme, id)
    expect(steps.map(step => step.version)).toEqual([1, 2, 3, 4, 5, 6])
  })
})

describe('scopes', () => {
  it('403 names the scope; reading does not let one write', async () => {
    const reader = await acme.as('employees:read')
    const stranger = await acme.as('scores:read,employees:write')
    expect((await reader('GET', '/v1/employees')).status).toBe(200)
    const refused = await Promise.all([
      reader('POST', '/v1/employees', person()),
      reader('PATCH', '/v1/employees/emp_x', {}),
      stranger('GET', '/v1/employees'),
      stranger('GET', '/v1/employees/emp_x'),
      stranger('GET', '/v1/employees/by-email/a@b.c'),
      stranger('GET', '/v1/employees/emp_x/score-history'),
    ])
    expect(refused.map(answer => answer.status)).toEqual([403, 403, 403, 403, 403, 403])
    expect(refused[0]!.body.error.message).toContain('employees:write')
    expect(refused[2]!.body.error.message).toContain('employees:read')
  })
})
