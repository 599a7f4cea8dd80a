// What is claimed and what is not: by lease, by order, by room, by the plan's rate, and what is set aside meanwhile.
import { expect, test } from 'vitest'
import { startService } from '../../test/service.ts'
import { HOUR, MINUTE } from '../platform/clock.ts'
import { claimDeliveries, type Delivery, giveBack, type Room } from './claim-deliveries.ts'
import { lockOldest, message, tell } from './receiver.fixture.ts'

const { context, clock, tenant } = await startService()
const ROOM: Room = { all: 300, tenant: 300, of: () => 300, kept: () => 0 }

async function open(hooks = 1, plan: 'starter' | 'enterprise' = 'enterprise') {
  const acme = await tenant({ plan })
  const { tenant_id } = acme
  const ids: string[] = []
  for (let n = 0; n < hooks; n += 1) {
    const hook = { url: 'https://hooks.example.com/', events: ['score.updated'] }
    ids.push((await acme.call('POST', '/v1/webhooks', hook)).body.id)
  }
  const say = (...people: string[]) =>
    tell(
      context,
      tenant_id,
      people.map((one, n) => message(one, clock.now(), n)),
    )
  const claim = (room: Partial<Room> = {}) =>
    claimDeliveries(context, tenant_id, { ...ROOM, ...room }, MINUTE)
  /** What was told so far becomes this; a retry is due in an hour. */
  const change = (status: string, lease_until: Date | null = null) =>
    context.db.inTenant(
      tenant_id,
      tx => tx`UPDATE webhook_deliveries SET status = ${status}, attempts = 1, lease_until = ${lease_until},
        next_attempt_at = ${status === 'retrying' ? new Date(clock.now() + HOUR) : null}
        WHERE tenant_id = ${tenant_id}`,
    )
  const rows = () =>
    context.db.inTenant(
      tenant_id,
      tx => tx<{ status: string; fence: string | null }[]>`
        SELECT status, fence FROM webhook_deliveries WHERE tenant_id = ${tenant_id} ORDER BY position`,
    )
  const tokens = async () => {
    const found = await context.db.inTenant(
      tenant_id,
      tx => tx<{ tokens: number }[]>`SELECT tokens FROM rate_buckets
        WHERE tenant_id = ${tenant_id} AND bucket = 'outbound'`,
    )
    return found[0]!.tokens
  }
  return { acme, tenant_id, ids, say, claim, change, rows, tokens }
}

test('what is leased is free one millisecond after its lease, not before', async () => {
  const { say, claim } = await open()
  await say('emp_1')
  expect((await claim()).deliveries).toHaveLength(1)
  clock.advance(MINUTE)
  await say('emp_2')
  const claimed = async () => (await claim()).deliveries.map(one => one.employee_id)
  expect(await claimed()).toEqual(['emp_2'])
  expect(await claimed()).toEqual([])
  clock.advance(1)
  expect(await claimed()).toEqual(['emp_1'])
})

test.each(['retrying', 'failed', 'skipped'])(
  'a first attempt does not wait for an earlier message that is %s',
  async status => {
    const { say, claim, change } = await open()
    await say('emp_1')
    await change(status)
    clock.advance(1)
    await say('emp_1')
    expect((await claim()).deliveries).toHaveLength(1)
  },
)

test('a first attempt does not wait for an earlier message that is being sent again', async () => {
  const { say, claim, change } = await open()
  await say('emp_1')
  await change('retrying', new Date(clock.now() + MINUTE))
  clock.advance(1)
  await say('emp_1')
  expect((await claim()).deliveries).toHaveLength(1)
})

test("of a subscription that was disabled only what is due and in nobody's hand is set aside", async () => {
  const { acme, ids, say, claim, change, rows } = await open()
  await say('emp_1')
  await change('retrying')
  await say('emp_2')
  expect((await claim()).deliveries).toHaveLength(1)
  await say('emp_3')
  await acme.call('PATCH', `/v1/webhooks/${ids[0]}`, { status: 'disabled' })
  await claim()
  expect(await rows()).toMatchObject([
    { status: 'retrying' },
    { status: 'pending', fence: expect.any(String) },
    { status: 'skipped', fence: null },
  ])
})

test('who lost a claim frees nothing of whoever has it now', async () => {
  const { tenant_id, say, claim, rows } = await open()
  await say('emp_1')
  const [lost] = (await claim()).deliveries as [Delivery]
  clock.advance(MINUTE + 1)
  const [held] = (await claim()).deliveries as [Delivery]
  await giveBack(context, tenant_id, [lost])
  expect((await rows())[0]!.fence).toBe(held.fence)
  await giveBack(context, tenant_id, [held])
  expect((await rows())[0]!.fence).toBeNull()
})

test('where the tenant has no room only what is kept for each subscription is claimed', async () => {
  const { say, claim } = await open(2)
  await say('emp_1', 'emp_2', 'emp_3', 'emp_4')
  expect((await claim({ tenant: 0, kept: () => 1 })).deliveries).toHaveLength(2)
  expect((await claim({ tenant: 0 })).deliveries).toHaveLength(0)
  expect((await claim({ tenant: 1 })).deliveries).toHaveLength(1)
  expect((await claim({ tenant: 3, of: () => 1 })).deliveries).toHaveLength(2)
})

test('of a token that is not whole yet nothing is claimed, and the wait is for the rest of it', async () => {
  const { say, claim, tokens } = await open(1, 'starter')
  await say(...Array.from({ length: 203 }, (_, n) => `emp_${n}`))
  expect((await claim({ all: 100 })).deliveries).toHaveLength(100)
  expect(await claim()).toMatchObject({ deliveries: { length: 100 }, more: false, wait_ms: 300 })
  expect(await tokens()).toBe(0)
  clock.advance(150)
  expect(await claim()).toMatchObject({ deliveries: [], hungry: true, more: false, wait_ms: 150 })
  clock.advance(150)
  expect((await claim()).deliveries).toHaveLength(1)
  clock.advance(MINUTE)
  const some = await claim({ all: 100 })
  expect(some).toMatchObject({ deliveries: { length: 100 }, wait_ms: null })
})

test('what is found and not leased after all costs no token', async () => {
  const { tenant_id, ids, say, claim, tokens } = await open(1, 'starter')
  await say('emp_1', 'emp_1')
  const { deliveries } = await context.db.inTenant(tenant_id, async tx => {
    await lockOldest(tx, tenant_id, ids[0]!)
    return claim()
  })
  expect([deliveries, await tokens()]).toEqual([[], 200])
})
