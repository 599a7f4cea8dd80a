// Reading one employee by id or address, and who may.
import { describe, expect, it } from 'vitest'
import { startService } from '../../test/service.ts'
import { create, happen, person } from './employees.fixture.ts'

const service = await startService()
const acme = await service.tenant()

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

  it('200 with the fields in the order of the contract, also in the list', async () => {
    const { id } = await create(acme)
    const { body } = await acme.call('GET', `/v1/employees/${id}`)
    const shown =
      'id email first_name last_name department title location manager_email score band score_history status integrations last_event_at created_at'
    expect(Object.keys(body).join(' ')).toBe(shown)
    const { body: list } = await acme.call('GET', '/v1/employees?per_page=1')
    const omitted = / (?:title|location|score_history|integrations)(?= )/g
    expect(Object.keys(list.data[0]).join(' ')).toBe(shown.replace(omitted, ''))
  })

  it('200 integrations are the distinct sources of events', async () => {
    const { id, email } = await create(acme)
    await happen(acme, email)
    await happen(acme, email, 'sim.reported')
    const { body } = await acme.call('GET', `/v1/employees/${id}`)
    expect(body.integrations).toEqual(['simulator'])
    expect(body.last_event_at).toBe(new Date(service.clock.now()).toISOString())
  })

  it('200 of a sender that makes up a source each time the first 100 are kept', async () => {
    const { id, email } = await create(acme)
    const events = Array.from({ length: 120 }, (_, n) => ({
      type: 'custom.a',
      employee_email: email,
      details: { source_system: `host-${n}` },
    }))
    expect((await acme.call('POST', '/v1/events/batch', { events })).status).toBe(207)
    const { body } = await acme.call('GET', `/v1/employees/${id}`)
    const first = events.slice(0, 100).map(event => event.details.source_system)
    expect(body.integrations).toEqual(first)
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
