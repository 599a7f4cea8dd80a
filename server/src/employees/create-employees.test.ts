// A batch of new employees: each answered for itself, all in one transaction, once.
import { describe, expect, it } from 'vitest'
import { countRead } from '../../test/count-read.ts'
import { seeWaiting } from '../../test/locks.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { askAsOperator } from '../accounts/identity.ts'
import { verifyTenant } from '../verify/verify-tenant.ts'
import { addEmployees } from './create-employee.ts'
import { create, person, readSteps } from './employees.fixture.ts'
import { listInactive } from './employees.queries.ts'

const service = await startService()
const acme = await service.tenant()

const send = (tenant: Tenant, employees: unknown[], headers: Record<string, string> = {}) =>
  tenant.call('POST', '/v1/employees/batch', { employees }, headers)

describe('POST /v1/employees/batch', () => {
  it('207 answers each in order: who was created in short, who was not with the reason', async () => {
    const { email: taken } = await create(acme)
    const left = await create(acme)
    await acme.call('PATCH', `/v1/employees/${left.id}`, { status: 'inactive' })
    const [ada, bea] = [person({ department: 'Finance' }), person()]
    const { status, body } = await send(acme, [
      ada,
      person({ email: taken.toUpperCase() }),
      person({ first_name: ' ', title: 'a\ttab' }),
      person({ email: ada.email.toUpperCase() }),
      person({ email: left.email }),
      'Ada',
      person({ last_name: 'two\nlines' }),
      bea,
    ])
    expect(status).toBe(207)
    const codes = body.data.map((one: { status: number }) => one.status)
    expect(codes).toEqual([201, 409, 400, 409, 409, 400, 400, 201])
    expect(body.data.map((one: { index: number }) => one.index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect(body.data[0].employee).toMatchObject({ ...ada, score: 75, status: 'active' })
    expect(body.data[1].error).toEqual({
      code: 'CONFLICT',
      message: 'an employee with this email exists already',
    })
    expect(body.data[2].error.details.map((fault: { path: string }) => fault.path)).toEqual([
      'first_name',
      'title',
    ])
    expect(body.data[4].error.message).toContain('is inactive; change the status to active')
    expect(body.data[5].error.details).toEqual([{ path: 'employee', message: 'must be object' }])
    expect(body.data[6].error.details[0].path).toBe('last_name')
    const list = await acme.call('GET', `/v1/employees?search=${encodeURIComponent(bea.email)}`)
    expect(list.body.data).toEqual([body.data[7].employee])
  })

  it('207 each has a first step and an entry of the audit log, and the kept counts are right', async () => {
    const tenant = await service.tenant()
    const { body } = await send(
      tenant,
      Array.from({ length: 250 }, (_, i) => person({ department: `D${i % 3}` })),
    )
    const ids: string[] = body.data.map((one: { employee: { id: string } }) => one.employee.id)
    expect(await readSteps(service, tenant, ids[249]!)).toMatchObject([
      { version: 1, reason: 'created', department: 'D0', score: 75 },
    ])
    const log = await tenant.call('GET', '/v1/audit?action=employee.created&per_page=100')
    expect(log.body.pagination.total).toBe(250)
    expect(log.body.data[0]).toMatchObject({
      subject: { id: ids[249] },
      actor: { id: tenant.key_id },
    })
    const summary = await tenant.call('GET', '/v1/scores/summary')
    expect(summary.body.total_employees).toBe(250)
    expect((await verifyTenant(service.context, tenant.tenant_id)).faults).toEqual([])
  })

  it('207 once for an Idempotency-Key, errors and all', async () => {
    const tenant = await service.tenant()
    const headers = { 'idempotency-key': 'people' }
    const people = [person(), person({ email: 'nobody' })]
    const first = await send(tenant, people, headers)
    const again = await send(tenant, people, headers)
    expect([again.status, again.body]).toEqual([207, first.body])
    expect((await tenant.call('GET', '/v1/employees')).body.pagination.total).toBe(1)
  })

  it('207 two that bring the same people in another order wait for each other in one direction only', async () => {
    const tenant = await service.tenant()
    const [ada, bea] = [person({ email: 'ada@order.test' }), person({ email: 'bea@order.test' })]
    const asked = askAsOperator(tenant.tenant_id, service.clock.now())
    const { late } = await service.context.db.inTenant(tenant.tenant_id, async tx => {
      await addEmployees(tx, asked, [ada])
      const late = send(tenant, [bea, ada])
      await seeWaiting(service, tenant, 'transactionid')
      // The other has nothing yet for which this one would have to wait.
      await tx`SET LOCAL lock_timeout = '200ms'`
      await addEmployees(tx, asked, [bea])
      return { late }
    })
    const { body } = await late
    expect(body.data.map((one: { status: number }) => one.status)).toEqual([409, 409])
  })

  it('draws one request for each hundred begun', async () => {
    const tenant = await service.tenant()
    const people = Array.from({ length: 201 }, () => person())
    const before = await tenant.call('GET', '/v1/employees')
    const after = await send(tenant, people)
    const left = (headers: Record<string, unknown>) => Number(headers['x-ratelimit-remaining'])
    expect(left(before.headers) - left(after.headers)).toBe(3)
  })

  it.each([[[]], [Array.from({ length: 1001 }, () => ({}))], ['Ada']])(
    '400 where there are none, too many, or no list',
    async employees => {
      const { status, body } = await acme.call('POST', '/v1/employees/batch', { employees })
      expect([status, body.error.details[0].path]).toEqual([400, 'employees'])
    },
  )

  it('nobody is left in a kept answer once they are erased', async () => {
    const tenant = await service.tenant()
    const ada = person()
    const { id } = await create(tenant, ada)
    const bea = person()
    const { body } = await send(tenant, [bea, ada], { 'idempotency-key': 'kept' })
    for (const employee_id of [id, body.data[0].employee.id]) {
      const gone = await tenant.call('POST', `/v1/employees/${employee_id}/erase`, {
        confirm: 'erase',
      })
      expect(gone.status).toBeLessThan(300)
    }
    const rows = await service.context.db.inTenant(
      tenant.tenant_id,
      tx => tx<{ answer: string | null }[]>`
        SELECT answer FROM idempotent_answers WHERE tenant_id = ${tenant.tenant_id}`,
    )
    expect(JSON.stringify(rows)).not.toContain(ada.email)
    expect(JSON.stringify(rows)).not.toContain(bea.email)
  })

  it('who of those taken is inactive is looked up for each of them, however many people have left', async () => {
    const tenant = await service.tenant()
    const { tenant_id } = tenant
    const { db } = service.context
    const people = Array.from({ length: 600 }, () => person())
    await send(tenant, people)
    await db.sql`ANALYZE employees, employee_states`
    await db.sql`UPDATE employee_states SET status = 'inactive' WHERE tenant_id = ${tenant_id}`
    const keys = people.slice(0, 10).map(one => one.email)
    const read = await db.inTenant(tenant_id, async tx => {
      const count = async () =>
        (await countRead(tx, 'employees')) + (await countRead(tx, 'employee_states'))
      const before = await count()
      expect((await listInactive(tx, tenant_id, keys)).size).toBe(10)
      return (await count()) - before
    })
    expect(read).toBeLessThan(100)
  })
})
