// A tenant all of whose requests wait for one row keeps no other tenant from the database.
import { expect, it } from 'vitest'
import { seeBlocked } from '../../test/locks.ts'
import { hire } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'

const service = await startService()

it('another is answered while more requests than there are connections wait', async () => {
  const [held, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { pool } = service.context.config
  const [busy, other] = [await service.tenant(), await service.tenant()]
  const { tenant_id } = busy
  const [employee_id] = await hire(service, busy, ['ada@example.com'])
  const holding = service.context.db.inTenant(tenant_id, async tx => {
    await tx`SELECT 1 FROM employee_states
      WHERE tenant_id = ${tenant_id} AND employee_id = ${employee_id!} FOR UPDATE`
    held.resolve()
    await seeBlocked(tx)
    await letGo.promise
  })
  await held.promise
  const changes = Array.from({ length: 2 * pool }, (_, i) =>
    busy.call('PATCH', `/v1/employees/${employee_id}`, { title: `Title ${i}` }),
  )
  // Often enough that all of them have come as far as they can.
  for (let i = 0; i < 50; i++) {
    expect((await other.call('GET', '/v1/employees')).status).toBe(200)
  }
  letGo.resolve()
  await holding
  const statuses = (await Promise.all(changes)).map(answer => answer.status)
  expect(statuses.every(status => status === 200 || status === 503)).toBe(true)
  expect(statuses).toContain(200)
})
