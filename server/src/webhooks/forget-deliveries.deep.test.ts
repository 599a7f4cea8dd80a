// The log of deliveries is kept for thirty days; what somebody asks for again at that moment is sent all the same.
import { expect, test } from 'vitest'
import { interleave, type Side } from '../../test/interleave.ts'
import { startService } from '../../test/service.ts'
import { askAsOperator } from '../accounts/identity.ts'
import { DAY, HOUR } from '../platform/clock.ts'
import { writeTogether } from '../platform/write-together.ts'
import { readAudience, tell } from './announce.ts'
import { runDueDeliveries } from './deliver-webhooks.job.ts'
import type { DeliveryRow } from './deliveries.queries.ts'
import { forgetDeliveriesJob } from './forget-deliveries.job.ts'
import { redeliver } from './manage-deliveries.ts'

const service = await startService({ pool: 12 })
const { context, clock } = service
const HOOK = { url: 'https://hooks.example.com/a', events: ['employee.created'] }

/** Runs both on a failed delivery of thirty days ago; says how many statements the job made. */
async function meet(first: number): Promise<number> {
  const { tenant_id, call } = await service.tenant()
  const { id: webhook_id } = (await call('POST', '/v1/webhooks', HOOK)).body
  const { id } = (await call('POST', `/v1/webhooks/${webhook_id}/test`)).body
  await context.db.inTenant(
    tenant_id,
    tx => tx`UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, attempts = 5
      WHERE tenant_id = ${tenant_id}`,
  )
  clock.advance(30 * DAY + HOUR)
  const forget: Side<unknown> = own => forgetDeliveriesJob().run(own)
  const asked = askAsOperator(tenant_id, clock.now())
  const again: Side<DeliveryRow> = own => own.db.inTenant(tenant_id, tx => redeliver(tx, asked, id))
  const ended = await interleave(service, forget, again, { first, second: 100 })
  const [left] = await context.db.inTenant(
    tenant_id,
    tx => tx<{ delivery: number; message: number }[]>`
      SELECT (SELECT count(*) FROM webhook_deliveries WHERE tenant_id = ${tenant_id}) AS delivery,
        (SELECT count(*) FROM webhook_messages WHERE tenant_id = ${tenant_id}) AS message`,
  )
  const kept = ended.second.status === 'fulfilled' ? 1 : 0
  expect(left, `after ${first} statements`).toEqual({ delivery: kept, message: kept })
  await context.db.sql`DELETE FROM webhook_deliveries`
  await context.db.sql`DELETE FROM webhook_messages`
  return ended.counts[0]
}

test('a delivery redelivered while the log is cleared is kept, or said to be gone', async () => {
  const statements = await meet(Number.POSITIVE_INFINITY)
  for (let first = 0; first <= statements; first++) await meet(first)
})

test('a delivery that ends between the two looks keeps its message', async () => {
  const statements = await endMeanwhile(Number.POSITIVE_INFINITY)
  for (let first = 0; first <= statements; first++) await endMeanwhile(first)
})

/** One of thirty days ago, still to be sent, ends while the log is cleared; says how many statements the job made. */
async function endMeanwhile(first: number): Promise<number> {
  const { tenant_id, call } = await service.tenant()
  const { id: webhook_id } = (await call('POST', '/v1/webhooks', HOOK)).body
  await call('POST', `/v1/webhooks/${webhook_id}/test`)
  clock.advance(30 * DAY + HOUR)
  const forget: Side<unknown> = own => forgetDeliveriesJob().run(own)
  const end: Side<unknown> = own =>
    own.db.inTenant(
      tenant_id,
      tx => tx`UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL
        WHERE tenant_id = ${tenant_id}`,
    )
  const ended = await interleave(service, forget, end, { first, second: 100 })
  const [left] = await context.db.inTenant(
    tenant_id,
    tx => tx<{ orphans: number }[]>`
      SELECT count(*) AS orphans FROM webhook_deliveries d WHERE d.tenant_id = ${tenant_id}
        AND NOT EXISTS (SELECT 1 FROM webhook_messages m WHERE m.tenant_id = ${tenant_id}
          AND m.message_id = d.message_id)`,
  )
  expect(left, `after ${first} statements`).toEqual({ orphans: 0 })
  await context.db.sql`DELETE FROM webhook_deliveries`
  await context.db.sql`DELETE FROM webhook_messages`
  return ended.counts[0]
}

/** How many subscriptions a tenant has rows of, and how many deliveries whose subscription has none. */
async function countLeft(tenant_id: string) {
  const [left] = await context.db.inTenant(
    tenant_id,
    tx => tx<{ webhooks: number; orphans: number }[]>`
      SELECT (SELECT count(*) FROM webhooks WHERE tenant_id = ${tenant_id}) AS webhooks,
        (SELECT count(*) FROM webhook_deliveries d WHERE d.tenant_id = ${tenant_id} AND NOT EXISTS (
          SELECT 1 FROM webhooks w WHERE w.tenant_id = ${tenant_id} AND w.webhook_id = d.webhook_id)) AS orphans`,
  )
  return left
}

test('a subscription that was deleted before anything was sent to it leaves no row for ever', async () => {
  const { tenant_id, call } = await service.tenant()
  const { id } = (await call('POST', '/v1/webhooks', HOOK)).body
  await call('DELETE', `/v1/webhooks/${id}`)
  clock.advance(2 * HOUR)
  await forgetDeliveriesJob().run(context)
  expect(await countLeft(tenant_id)).toEqual({ webhooks: 0, orphans: 0 })
})

test('a deleted subscription stays as long as its log, by which the log is found; one in force stays anyway', async () => {
  const { tenant_id, call } = await service.tenant()
  const { id: live } = (await call('POST', '/v1/webhooks', HOOK)).body
  const { id: gone } = (await call('POST', '/v1/webhooks', HOOK)).body
  await call('POST', `/v1/webhooks/${gone}/test`)
  await call('DELETE', `/v1/webhooks/${gone}`)
  await runDueDeliveries(context)
  clock.advance(2 * HOUR)
  await forgetDeliveriesJob().run(context)
  expect(await countLeft(tenant_id)).toEqual({ webhooks: 2, orphans: 0 })
  clock.advance(31 * DAY)
  await call('POST', `/v1/webhooks/${live}/test`)
  await forgetDeliveriesJob().run(context)
  expect(await countLeft(tenant_id)).toEqual({ webhooks: 1, orphans: 0 })
  expect((await call('GET', `/v1/webhooks/${live}/deliveries`)).body.pagination.total).toBe(1)
})

test('a change under way while its listener is deleted leaves no delivery that nobody can find', async () => {
  const { tenant_id, call } = await service.tenant()
  const { id: other } = (await call('POST', '/v1/webhooks', HOOK)).body
  await call('POST', `/v1/webhooks/${other}/test`)
  await call('DELETE', `/v1/webhooks/${other}`)
  await runDueDeliveries(context)
  clock.advance(31 * DAY)
  const { id } = (await call('POST', '/v1/webhooks', HOOK)).body
  const data = () => ({})
  const message = { kind: 'employee.created', at: clock.now(), employee_id: '', data } as const
  await context.db.inTenant(tenant_id, async tx => {
    const audience = await readAudience(tx, tenant_id, [''])
    await call('DELETE', `/v1/webhooks/${id}`)
    await forgetDeliveriesJob().run(context)
    const { writes, wake } = tell(tx, tenant_id, clock.now(), [message], audience)
    await writeTogether(tx, writes, wake)
  })
  expect(await countLeft(tenant_id)).toEqual({ webhooks: 1, orphans: 0 })
})
