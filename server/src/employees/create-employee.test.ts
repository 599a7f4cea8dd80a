// Creating employees: what is answered, recorded and refused.
import { describe, expect, it } from 'vitest'
import { lastAudit } from '../../test/last-audit.ts'
import { startService } from '../../test/service.ts'
import type { Fault } from '../platform/errors.ts'
import { create, person, readSteps } from './employees.fixture.ts'

const service = await startService()
const acme = await service.tenant()

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

  it('409 says of somebody who left that they are inactive: nothing else would bring them back', async () => {
    const { id, email } = await create(acme)
    await acme.call('PATCH', `/v1/employees/${id}`, { status: 'inactive' })
    const again = await acme.call('POST', '/v1/employees', person({ email }))
    expect([again.status, again.body.error.message]).toEqual([
      409,
      'an employee with this email exists already and is inactive; change the status to active',
    ])
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
    'علی.رضا@example.com',
    `${'x'.repeat(308)}@example.com`,
    `${'🦊'.repeat(308)}@example.com`,
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
    [{ email: 'Erased-emp_1@INVALID' }, 'email'],
    [{ first_name: ' ' }, 'first_name'],
    [{ first_name: 'x'.repeat(101) }, 'first_name'],
    [{ last_name: 'two\nlines' }, 'last_name'],
    [{ last_name: 7 }, 'last_name'],
    [{ department: 'x'.repeat(201) }, 'department'],
    [{ department: 'tab\there' }, 'department'],
    [{ title: '\u2028' }, 'title'],
    [{ last_name: 'Moss\u202egnp' }, 'last_name'],
    [{ department: '\u2069Sales' }, 'department'],
    [{ email: 'ada\u200b@example.com' }, 'email'],
    [{ email: 'علی\u200cرضا@example.com' }, 'email'],
    [{ manager_email: '\u202akim@example.com\u202c' }, 'manager_email'],
    [{ manager_email: 'kim' }, 'manager_email'],
    [{ score: 100 }, 'score'],
    [{ status: 'inactive' }, 'status'],
    [{ first_name: 'NUL \u0000' }, 'first_name'],
    [{ first_name: 'half \udfff' }, 'first_name'],
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
