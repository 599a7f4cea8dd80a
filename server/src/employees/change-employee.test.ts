// Changing employees: department, title and status, and what becomes of the score.
import { describe, expect, it } from 'vitest'
import { lastAudit } from '../../test/last-audit.ts'
import { startService } from '../../test/service.ts'
import { DAY } from '../platform/clock.ts'
import { create, happen, readCounts, readSteps } from './employees.fixture.ts'

const service = await startService()
const acme = await service.tenant()

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
    [{ status: null }, 'status', 'must be one of active, inactive'],
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
