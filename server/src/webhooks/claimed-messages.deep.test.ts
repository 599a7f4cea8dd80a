// A claimed message that waits for its turn: what changes meanwhile holds for it too.
import { verify } from '@octokit/webhooks-methods'
import { describe, expect, test } from 'vitest'
import { startService, type Tenant } from '../../test/service.ts'
import { HOUR, MINUTE, SECOND } from '../platform/clock.ts'
import { unavailable } from '../platform/errors.ts'
import { runDueDeliveries } from './deliver-webhooks.job.ts'
import { lockPending, stopDeliveries } from './person.queries.ts'
import { LOOPBACK, message, startReceiver, tell } from './receiver.fixture.ts'
import { DEADLINES } from './send-request.ts'

const { context, clock, tenant } = await startService(LOOPBACK)

async function subscribe(acme: Tenant, url: string) {
  const { body } = await acme.call('POST', '/v1/webhooks', { url, events: ['score.updated'] })
  return body as { id: string; secret: string }
}

async function deliveriesOf(acme: Tenant, id: string) {
  const { body } = await acme.call('GET', `/v1/webhooks/${id}/deliveries`)
  return body.data as { status: string; next_attempt_at: string | null }[]
}

describe('what happens to a claimed message that waits for its turn', () => {
  /** Two messages about one person: while the first is answered, `act` happens and time passes. */
  async function actMeanwhile(
    act: (acme: Tenant, id: string) => Promise<unknown>,
    passed = SECOND,
  ) {
    const acme = await tenant()
    const first = Promise.withResolvers<void>()
    const receiver = await startReceiver(async response => {
      await first.promise
      response.end('ok')
    })
    const { id, secret } = await subscribe(acme, receiver.url)
    const told = [1, 2].map(n => message('emp_1', clock.now(), n))
    await tell(context, acme.tenant_id, told)
    const running = runDueDeliveries(context, { deadlines: DEADLINES })
    await receiver.until(1)
    await act(acme, id)
    clock.advance(passed)
    first.resolve()
    await running
    return { acme, id, secret, receiver, deliveries: await deliveriesOf(acme, id) }
  }

  test('its subscription is deleted: nothing more is sent', async () => {
    const { receiver } = await actMeanwhile((acme, id) => acme.call('DELETE', `/v1/webhooks/${id}`))
    expect(receiver.got).toHaveLength(1)
  })

  test('its subscription is deleted, and the clock set back: nothing more is sent', async () => {
    const { receiver } = await actMeanwhile(
      (acme, id) => acme.call('DELETE', `/v1/webhooks/${id}`),
      -HOUR,
    )
    expect(receiver.got).toHaveLength(1)
  })

  test('its subscription is disabled: it is skipped', async () => {
    const { receiver, deliveries } = await actMeanwhile((acme, id) =>
      acme.call('PATCH', `/v1/webhooks/${id}`, { status: 'disabled' }),
    )
    expect(receiver.got).toHaveLength(1)
    expect(deliveries.map(one => one.status).sort()).toEqual(['delivered', 'skipped'])
  })

  test('its subscription has moved: it goes to the new address', async () => {
    const moved = await startReceiver()
    const { receiver } = await actMeanwhile((acme, id) =>
      acme.call('PATCH', `/v1/webhooks/${id}`, { url: moved.url }),
    )
    expect([receiver.got.length, moved.got.length]).toEqual([1, 1])
  })

  test('its subscription has moved: what the former receiver answers then does not disable it', async () => {
    const moved = await startReceiver()
    const acme = await tenant()
    const first = Promise.withResolvers<void>()
    const receiver = await startReceiver(async response => {
      await first.promise
      response.writeHead(410).end()
    })
    const { id } = await subscribe(acme, receiver.url)
    await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
    const running = runDueDeliveries(context, { deadlines: DEADLINES })
    await receiver.until(1)
    await acme.call('PATCH', `/v1/webhooks/${id}`, { url: moved.url })
    first.resolve()
    await running
    const { body } = await acme.call('GET', `/v1/webhooks/${id}`)
    expect(body).toMatchObject({ status: 'enabled', failures: 0 })
    expect(await deliveriesOf(acme, id)).toMatchObject([{ status: 'retrying', attempts: 1 }])
    clock.advance(2 * MINUTE)
    await runDueDeliveries(context, { deadlines: DEADLINES })
    expect(moved.got, 'and the message goes to the new one').toHaveLength(1)
  })

  test('what is given back unsent gives its token back too', async () => {
    const outbound = async (tenant_id: string) => {
      const [row] = await context.db.sql`SELECT tokens FROM rate_buckets
        WHERE tenant_id = ${tenant_id} AND bucket = 'outbound'`
      return row!.tokens as number
    }
    const sent = await actMeanwhile(async () => {})
    const unsent = await actMeanwhile((acme, id) =>
      acme.call('PATCH', `/v1/webhooks/${id}`, { status: 'disabled' }),
    )
    const more = (await outbound(unsent.acme.tenant_id)) - (await outbound(sent.acme.tenant_id))
    expect(more).toBe(1)
  })

  test('its secret is replaced: it carries the new one', async () => {
    let fresh = ''
    const { receiver } = await actMeanwhile(async (acme, id) => {
      fresh = (await acme.call('POST', `/v1/webhooks/${id}/rotate-secret`)).body.secret
      await acme.call('POST', `/v1/webhooks/${id}/activate-secret`)
    })
    const { body, headers } = receiver.got[1]!
    expect(await verify(fresh, body, headers['x-service-signature']!)).toBe(true)
  })

  test('its person is erased: it is never sent', async () => {
    const { receiver, deliveries } = await actMeanwhile(({ tenant_id }) =>
      context.db.inTenant(tenant_id, async tx =>
        stopDeliveries(tx, tenant_id, await lockPending(tx, tenant_id, 'emp_1', 10)),
      ),
    )
    expect(receiver.got).toHaveLength(1)
    expect(deliveries.every(one => one.next_attempt_at === null)).toBe(true)
  })

  test('its tenant is suspended: it waits', async () => {
    const { receiver } = await actMeanwhile(
      ({ tenant_id }) =>
        context.db.sql`UPDATE tenants SET status = 'suspended' WHERE tenant_id = ${tenant_id}`,
    )
    expect(receiver.got).toHaveLength(1)
  })
})

test('while the database cannot be asked about them again the log says so once, and they are given back', async () => {
  const acme = await tenant()
  const first = Promise.withResolvers<void>()
  const receiver = await startReceiver(async response => {
    await first.promise
    response.end('ok')
  })
  await subscribe(acme, receiver.url)
  const people = ['emp_1', 'emp_2', 'emp_1', 'emp_2']
  await tell(
    context,
    acme.tenant_id,
    people.map((id, n) => message(id, clock.now(), n)),
  )
  const lines: string[] = []
  const log = { warn: (_fields: object, text: string) => void lines.push(text) }
  const away = Object.assign(unavailable(), { cause: { code: '57P03' } })
  let asked = 0
  const readTenant = () => {
    asked += 1
    return Promise.reject(away)
  }
  const cut = { ...context, db: { ...context.db, readTenant }, log: log as never }
  const running = runDueDeliveries(cut, { deadlines: DEADLINES })
  await receiver.until(2)
  clock.advance(2 * SECOND)
  first.resolve()
  await running
  expect(asked).toBe(2)
  expect(lines).toEqual(['a claimed delivery could not be read again, it is given back'])
  expect(receiver.got.map(({ body }) => JSON.parse(body).data.n).sort()).toEqual([0, 1, 2, 3])
})
