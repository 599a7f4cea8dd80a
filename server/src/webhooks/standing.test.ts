// Which subscriptions are in trouble, before a delivery of theirs has failed for good.
import { expect, it } from 'vitest'
import { signIn } from '../../test/people.ts'
import { startService } from '../../test/service.ts'
import { runDueDeliveries } from './deliver-webhooks.job.ts'
import { LOOPBACK, message, ok, startReceiver, status, tell } from './receiver.fixture.ts'

const service = await startService(LOOPBACK)
const { context } = service

it('200: counts what is being retried, of who is enabled and of nobody else', async () => {
  const acme = await service.tenant()
  const other = await service.tenant()
  const viewer = await signIn(service, acme.tenant_id, 'viewer')
  const [good, bad] = [await startReceiver(ok), await startReceiver(status(500))]
  const subscribe = async (of: typeof acme, { url }: { url: string }) =>
    (await of.call('POST', '/v1/webhooks', { url, events: ['score.updated'] })).body.id as string
  await subscribe(acme, good)
  const failing = await subscribe(acme, bad)
  const disabled = await subscribe(acme, bad)
  await subscribe(other, bad)
  for (const { tenant_id } of [acme, acme, other]) {
    await tell(context, tenant_id, [message('emp_1', context.clock.now())])
    await runDueDeliveries(context)
  }
  await acme.call('PATCH', `/v1/webhooks/${disabled}`, { status: 'disabled' })
  const { body } = await viewer.call('GET', '/admin/webhooks/retrying')
  expect(body).toEqual({ data: [{ id: failing, retrying: 2 }] })
})
