// What was erased with a person is never sent again, also where that is asked for at the same moment.
import { expect, test } from 'vitest'
import { interleave, type Side } from '../../test/interleave.ts'
import { startService } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { hire } from '../actions/actions.fixture.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { eraseEmployee } from '../privacy/erase-employee.ts'
import { redeliver } from './manage-deliveries.ts'
import { message, tell } from './receiver.fixture.ts'
import { recoverDeliveriesJob } from './recover-deliveries.job.ts'

const service = await startService({ pool: 12 })
const { context, clock } = service

type Again = (tenant_id: string, delivery_id: string) => Side<unknown>

const askAgain: Again = (tenant_id, delivery_id) => own =>
  asOperator(own, tenant_id, redeliver, delivery_id)
const recover: Again = () => own => recoverDeliveriesJob().run(own)

/** Runs both on a delivery that was missed; says how many statements the erasure made. */
async function meet(again: Again, first: number): Promise<number> {
  const tenant = await service.tenant()
  const { tenant_id, call } = tenant
  const { id: employee_id } = await hire(tenant)
  const hook = { url: 'https://hooks.example.com/a', events: ['score.updated'] }
  const path = `/v1/webhooks/${(await call('POST', '/v1/webhooks', hook)).body.id}`
  await call('PATCH', path, { status: 'disabled' })
  await tell(context, tenant_id, [message(employee_id, clock.now(), 1)])
  await call('PATCH', path, { status: 'enabled' })
  const since = new Date(clock.now()).toISOString()
  if (again === recover) await call('POST', `${path}/recover`, { since })
  const [{ id }] = (await call('GET', `${path}/deliveries`)).body.data
  const erase: Side<unknown> = own => eraseEmployee(own, tenant_id, operatorOrigin(), employee_id)
  const ended = await interleave(service, erase, again(tenant_id, id), { first, second: 100 })
  expect(ended.first.status).toBe('fulfilled')
  const { body } = await call('GET', `${path}/deliveries`)
  const left = { status: 'skipped', next_attempt_at: null }
  expect(body.data, `after ${first} statements`).toMatchObject([left])
  return ended.counts[0]
}

const STEP = 6

test.each([
  ['asked for again', askAgain],
  ['recovered', recover],
] as const)('a message erased while it is %s is not sent', async (_, again) => {
  const statements = await meet(again, Number.POSITIVE_INFINITY)
  for (let first = 0; first <= statements; first += STEP) await meet(again, first)
})
