// What is written with a change, and in which order it is sent.
import { describe, expect, test } from 'vitest'
import { startService, type Tenant } from '../../test/service.ts'
import { announce } from './announce.ts'
import { claimDeliveries } from './claim-deliveries.ts'
import { runDueDeliveries } from './deliver-webhooks.job.ts'
import {
  LOOPBACK,
  lockOldest,
  message,
  ok,
  type Received,
  startReceiver,
  status,
  tell,
} from './receiver.fixture.ts'

const { context, clock, tenant } = await startService(LOOPBACK)
const numberOf = (got: Received): number => JSON.parse(got.body).data.n

async function subscribe(acme: Tenant, url: string, events = ['score.updated']): Promise<string> {
  return (await acme.call('POST', '/v1/webhooks', { url, events })).body.id
}

async function logOf(acme: Tenant, id: string) {
  const { body } = await acme.call('GET', `/v1/webhooks/${id}/deliveries?per_page=100`)
  return body.data as { id: string; event: string; status: string; attempts: number }[]
}

describe('written with the change', () => {
  test('a change that is rolled back tells nothing', async () => {
    const acme = await tenant()
    const id = await subscribe(acme, 'https://hooks.example.com/')
    const undone = context.db.inTenant(acme.tenant_id, async tx => {
      await announce(tx, acme.tenant_id, clock.now(), [message('emp_1', clock.now())])
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await logOf(acme, id)).toEqual([])
    await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
    expect(await logOf(acme, id)).toHaveLength(1)
  })

  test('one body for all subscriptions, built only where somebody listens', async () => {
    const acme = await tenant()
    let built = 0
    const counted = (kind: 'score.updated' | 'employee.created') => ({
      ...message('emp_1', clock.now(), 0, kind),
      data: () => ({ built: ++built }),
    })
    await tell(context, acme.tenant_id, [counted('score.updated')])
    expect(built).toBe(0)
    const one = await subscribe(acme, 'https://hooks.example.com/1')
    const two = await subscribe(acme, 'https://hooks.example.com/2', [
      'score.updated',
      'event.ingested',
    ])
    await tell(context, acme.tenant_id, [counted('score.updated'), counted('employee.created')])
    expect(built).toBe(1)
    const events = [...(await logOf(acme, one)), ...(await logOf(acme, two))].map(row => row.event)
    expect(events).toEqual(['score.updated', 'score.updated'])
    const bodies = await context.db.inTenant(
      acme.tenant_id,
      tx => tx`SELECT body FROM webhook_messages WHERE tenant_id = ${acme.tenant_id}`,
    )
    expect(bodies).toHaveLength(1)
  })

  test('a disabled subscription gets its messages logged as skipped, a deleted one nothing', async () => {
    const acme = await tenant()
    const off = await subscribe(acme, 'https://hooks.example.com/1')
    const gone = await subscribe(acme, 'https://hooks.example.com/2')
    await acme.call('PATCH', `/v1/webhooks/${off}`, { status: 'disabled' })
    await acme.call('DELETE', `/v1/webhooks/${gone}`)
    await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
    expect(await logOf(acme, off)).toMatchObject([{ status: 'skipped', attempts: 0 }])
    const [{ n }] = (await context.db.inTenant(
      acme.tenant_id,
      tx => tx`SELECT count(*) AS n FROM webhook_deliveries WHERE tenant_id = ${acme.tenant_id}`,
    )) as unknown as [{ n: number }]
    expect(n).toBe(1)
  })

  test('what was due when a subscription is disabled or deleted is not sent', async () => {
    const acme = await tenant()
    const receiver = await startReceiver()
    const [off, gone] = [await subscribe(acme, receiver.url), await subscribe(acme, receiver.url)]
    await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
    await acme.call('PATCH', `/v1/webhooks/${off}`, { status: 'disabled' })
    await acme.call('DELETE', `/v1/webhooks/${gone}`)
    await runDueDeliveries(context)
    expect(receiver.got).toHaveLength(0)
    expect(await logOf(acme, off)).toMatchObject([{ status: 'skipped' }])
  })
})

describe('order', () => {
  test('messages about one employee arrive in the order of the changes, those of others side by side', async () => {
    const acme = await tenant()
    let running = 0
    let most = 0
    const receiver = await startReceiver((response, got) => {
      most = Math.max(most, ++running)
      // Later messages answer faster, so that only waiting for the answer keeps them in order.
      setTimeout(
        () => {
          running -= 1
          response.end('ok')
        },
        12 - Math.min(10, numberOf(got)),
      )
    })
    await subscribe(acme, receiver.url)
    const people = ['emp_1', 'emp_2', 'emp_3', 'emp_4']
    for (let n = 0; n < 30; n++) {
      const some = people.flatMap(id => [
        message(id, clock.now(), 2 * n),
        message(id, clock.now(), 2 * n + 1),
      ])
      await tell(context, acme.tenant_id, some)
    }
    await runDueDeliveries(context)
    expect(receiver.got).toHaveLength(240)
    for (const id of people) {
      const own = receiver.got
        .filter(got => JSON.parse(got.body).data.employee_id === id)
        .map(numberOf)
      expect(own).toEqual(Array.from({ length: 60 }, (_, n) => n))
    }
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(4)
  })

  test('two processes whose clocks disagree still keep the order', async () => {
    const acme = await tenant()
    const receiver = await startReceiver()
    await subscribe(acme, receiver.url)
    for (let n = 0; n < 20; n++) {
      const behind = n % 2 === 0 ? 0 : 5_000
      await context.db.inTenant(acme.tenant_id, tx =>
        announce(tx, acme.tenant_id, clock.now() - behind, [message('emp_1', clock.now(), n)]),
      )
    }
    const engines = [runDueDeliveries(context), runDueDeliveries(context)]
    await Promise.all(engines)
    await runDueDeliveries(context)
    expect(receiver.got.map(numberOf)).toEqual(Array.from({ length: 20 }, (_, n) => n))
  })

  test('a later one is not claimed while the earlier one is being claimed elsewhere', async () => {
    const acme = await tenant()
    const id = await subscribe(acme, 'https://hooks.example.com/')
    await tell(
      context,
      acme.tenant_id,
      [1, 2].map(n => message('emp_1', clock.now(), n)),
    )
    clock.advance(1)
    await tell(context, acme.tenant_id, [message('emp_2', clock.now(), 3)])
    const room = { all: 100, tenant: 100, of: () => 100, kept: () => 2 }
    const { deliveries } = await context.db.inTenant(acme.tenant_id, async tx => {
      await lockOldest(tx, acme.tenant_id, id)
      return claimDeliveries(context, acme.tenant_id, room, 60_000)
    })
    expect(deliveries.map(one => JSON.parse(one.body).data.n)).toEqual([3])
  })

  test('one slow answer holds back only what comes after it for the same employee', async () => {
    const acme = await tenant()
    const held: (() => void)[] = []
    const receiver = await startReceiver((response, got) => {
      if (numberOf(got) === 1) held.push(() => response.end('ok'))
      else response.end('ok')
    })
    await subscribe(acme, receiver.url)
    await tell(context, acme.tenant_id, [message('emp_1', clock.now(), 1)])
    const slow = runDueDeliveries(context)
    await receiver.until(1)
    const later = Array.from({ length: 30 }, (_, n) => message('emp_1', clock.now(), n + 2))
    await tell(context, acme.tenant_id, later)
    clock.advance(1)
    await tell(context, acme.tenant_id, [message('emp_2', clock.now(), 99)])
    await runDueDeliveries(context)
    expect(receiver.got.map(numberOf)).toEqual([1, 99])
    held[0]!()
    await slow
    await runDueDeliveries(context)
    expect(receiver.got).toHaveLength(32)
  })

  test('while an earlier one is being retried, later ones go on', async () => {
    const acme = await tenant()
    const receiver = await startReceiver((response, got, request) =>
      (numberOf(got) === 1 ? status(500) : ok)(response, got, request),
    )
    const id = await subscribe(acme, receiver.url)
    for (const n of [1, 2, 3])
      await tell(context, acme.tenant_id, [message('emp_1', clock.now(), n)])
    await runDueDeliveries(context)
    expect(receiver.got.map(numberOf)).toEqual([1, 2, 3])
    const statuses = (await logOf(acme, id)).map(row => row.status)
    expect(statuses).toEqual(['delivered', 'delivered', 'retrying'])
  })
})

describe('the plan', () => {
  test('over the outbound limit messages are delayed, never dropped, and retries count too', async () => {
    const acme = await tenant({ plan: 'starter' })
    const receiver = await startReceiver()
    await subscribe(acme, receiver.url)
    const many = Array.from({ length: 260 }, (_, n) => message(`emp_${n}`, clock.now(), n))
    await tell(context, acme.tenant_id, many)
    await runDueDeliveries(context)
    expect(receiver.got).toHaveLength(200)
    clock.advance(3_000)
    await runDueDeliveries(context)
    expect(receiver.got).toHaveLength(210)
    clock.advance(60_000)
    await Promise.all([runDueDeliveries(context), runDueDeliveries(context)])
    await runDueDeliveries(context)
    expect(receiver.got).toHaveLength(260)
    expect(new Set(receiver.got.map(got => got.delivery)).size).toBe(260)
  })

  test('two processes together never send more than the plan', async () => {
    const acme = await tenant({ plan: 'starter' })
    const receiver = await startReceiver()
    await subscribe(acme, receiver.url)
    await tell(
      context,
      acme.tenant_id,
      Array.from({ length: 230 }, (_, n) => message(`emp_${n}`, clock.now())),
    )
    await Promise.all([1, 2, 3].map(() => runDueDeliveries(context)))
    expect(receiver.got).toHaveLength(200)
  })

  test('a tenant with much to send does not keep one with little waiting', async () => {
    const [big, small] = [await tenant(), await tenant()]
    const arrived: string[] = []
    const heard = (name: string) =>
      startReceiver((response, ...rest) => {
        arrived.push(name)
        ok(response, ...rest)
      })
    await subscribe(big, (await heard('big')).url)
    await subscribe(small, (await heard('small')).url)
    await tell(
      context,
      big.tenant_id,
      Array.from({ length: 400 }, (_, n) => message(`emp_${n}`, clock.now())),
    )
    await tell(
      context,
      small.tenant_id,
      Array.from({ length: 5 }, (_, n) => message(`emp_${n}`, clock.now())),
    )
    await runDueDeliveries(context)
    expect(arrived).toHaveLength(405)
    expect(arrived.lastIndexOf('small')).toBeLessThan(300)
  })
})
