// The log of deliveries is kept for thirty days; what somebody asks for again at that moment is sent all the same.
import { expect, test } from 'vitest'
import { interleave, type Side } from '../../test/interleave.ts'
import { startService } from '../../test/service.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { DAY, HOUR } from '../platform/clock.ts'
import type { DeliveryRow } from './deliveries.queries.ts'
import { forgetDeliveriesJob } from './forget-deliveries.job.ts'
import { redeliver } from './manage-deliveries.ts'

const service = await startService({ pool: 12 })
const { context, clock } = service

/** Runs both on a failed delivery of thirty days ago; says how many statements the job made. */
async function meet(first: number): Promise<number> {
  const { tenant_id, call } = await service.tenant()
  const hook = { url: 'https://hooks.example.com/a', events: ['employee.created'] }
  const { id: webhook_id } = (await call('POST', '/v1/webhooks', hook)).body
  const { id } = (await call('POST', `/v1/webhooks/${webhook_id}/test`)).body
  await context.db.inTenant(
    tenant_id,
    tx => tx`UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, attempts = 5
      WHERE tenant_id = ${tenant_id}`,
  )
  clock.advance(30 * DAY + HOUR)
  const forget: Side<unknown> = own => forgetDeliveriesJob().run(own)
  const asked = { tenant_id, origin: operatorOrigin(), now: clock.now() }
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
