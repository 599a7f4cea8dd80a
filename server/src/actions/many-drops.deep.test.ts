// Many policies by drops, and a batch in which many scores fall often: nobody else in the process waits for it.
import { expect, test } from 'vitest'
import { longestHold } from '../../test/longest-hold.ts'
import { startService } from '../../test/service.ts'
import { addPolicy, hire, openDesk } from './actions.fixture.ts'

const service = await startService()

test('the highest of the scores before each fall is found in pauses', async () => {
  const tenant = await service.tenant()
  const desk = await openDesk(service, tenant)
  const rule = { name: 'x', event_type: 'custom.x', category: 'custom', impact: -1 }
  expect((await tenant.call('POST', '/v1/rules', rule)).status).toBe(201)
  const trigger = { kind: 'score_drop', points: 100, within: '1h' }
  for (let i = 0; i < 60; i++) await addPolicy(desk, trigger)
  const people = await Promise.all(Array.from({ length: 14 }, () => hire(tenant)))
  const events = Array.from({ length: 980 }, (_, i) => ({
    type: 'custom.x',
    employee_email: people[i % people.length]!.email,
  }))
  const send = async () => {
    expect((await tenant.call('POST', '/v1/events/batch', { events })).status).toBe(207)
  }
  expect(await longestHold(send)).toBeLessThan(1 / 3)
})
