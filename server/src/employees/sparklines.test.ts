// The small lines of the dashboard's lists.
import { expect, it } from 'vitest'
import { signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { DAY } from '../platform/clock.ts'

const service = await startService()
const { call, tenant_id } = await service.tenant()

it('200: a score a day of everyone asked for, nothing of people of others', async () => {
  const other = await service.tenant()
  const person = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Moss' }
  const { id } = (await call('POST', '/v1/employees', person)).body
  const stranger = (await other.call('POST', '/v1/employees', person)).body.id
  service.clock.advance(2 * DAY)
  await call('POST', '/v1/events/webhook', {
    source: 'x',
    event_type: 'sim.link_clicked',
    employee: { email: person.email },
  })
  const viewer = await signIn(service, tenant_id, 'viewer')
  const { body } = await viewer.call('GET', `/admin/employees/sparklines?ids=${id},${stranger}`)
  expect(body.data).toEqual([
    { id, scores: [75, 75, 50] },
    { id: stranger, scores: [] },
  ])
})

it('400 and 401: without ids, with odd ones, and for keys', async () => {
  const viewer = await signIn(service, tenant_id, 'viewer')
  expect((await viewer.call('GET', '/admin/employees/sparklines')).status).toBe(400)
  expect((await viewer.call('GET', "/admin/employees/sparklines?ids=a'b")).status).toBe(400)
  expect((await call('GET', '/admin/employees/sparklines?ids=a')).status).toBe(401)
})
