// Receivers that let us wait: whoever answers gets its messages meanwhile, however many of the others there are.
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { startService, type Tenant } from '../../test/service.ts'
import { claimDeliveries } from './claim-deliveries.ts'
import { createDeliveryEngine } from './deliver-webhooks.job.ts'
import { createInHand } from './in-hand.ts'
import { LOOPBACK, message, startReceiver, tell } from './receiver.fixture.ts'

const { context, clock, tenant } = await startService(LOOPBACK)

/** Long enough that whatever waits for one of these waits for ever. */
const deadlines = { connect_ms: 600_000, total_ms: 600_000 }
const LONG = { deadlines, lease_ms: 1_200_000, poll_ms: 50 }

/** Takes requests and never answers. */
async function startDead() {
  const held: ServerResponse[] = []
  const { url, until } = await startReceiver(response => void held.push(response))
  const end = () => {
    for (const response of held) response.destroy()
  }
  return { url, until, end }
}

async function subscribe(acme: Tenant, url: string, event = 'score.updated') {
  await acme.call('POST', '/v1/webhooks', { url, events: [event] })
}

describe('receivers that never answer', () => {
  test('one delays neither another subscription nor another tenant', async () => {
    const [one, other] = [await tenant(), await tenant()]
    const dead = await startDead()
    const good = await startReceiver()
    await subscribe(one, dead.url)
    await subscribe(one, good.url)
    await subscribe(other, good.url)
    const engine = createDeliveryEngine(context, LONG)
    const many = Array.from({ length: 100 }, (_, n) => message(`emp_${n}`, clock.now()))
    await tell(context, one.tenant_id, many)
    await tell(context, other.tenant_id, many)
    engine.start()
    await good.until(200)
    await dead.until(1)
    dead.end()
    await engine.stop()
  })

  test('a dozen of them, with much to be told, do not delay one of the same tenant that answers', async () => {
    const acme = await tenant()
    const dead = await startDead()
    for (let n = 0; n < 12; n += 1) await subscribe(acme, dead.url)
    const good = await startReceiver()
    await subscribe(acme, good.url, 'employee.created')
    const engine = createDeliveryEngine(context, LONG)
    const many = Array.from({ length: 100 }, (_, n) => message(`emp_${n}`, clock.now()))
    await tell(context, acme.tenant_id, many)
    engine.start()
    await dead.until(48)
    const told = [message('emp_1', clock.now(), 1, 'employee.created')]
    await tell(context, acme.tenant_id, told)
    await good.until(1)
    dead.end()
    await engine.stop()
  })
})

describe('a busy receiver that answers no more', () => {
  test('keeps no more than two of its messages, the rest is given back', async () => {
    const acme = await tenant()
    const receiver = await startReceiver(response => {
      if (receiver.got.length <= 60) response.end('ok')
    })
    await subscribe(acme, receiver.url)
    const many = Array.from({ length: 300 }, (_, n) => message(`emp_${n}`, clock.now()))
    await tell(context, acme.tenant_id, many)
    const options = { ...LONG, deadlines: { connect_ms: 2_000, total_ms: 2_000 } }
    const engine = createDeliveryEngine(context, options)
    engine.start()
    await receiver.until(61)
    await expect.poll(engine.held).toBeLessThanOrEqual(2)
    await engine.stop()
  })
})

describe('how much of a subscription is claimed', () => {
  const claimed = (count: number) => Array.from({ length: count }, () => ({ webhook_id: 'whk_1' }))

  test('far ahead of what is being sent once it answers, nothing ahead before and while it does not', () => {
    const inHand = createInHand()
    const room = () => inHand.room('ten_1').of('whk_1')
    expect(room()).toBe(inHand.width('whk_1'))
    inHand.learn('whk_1', 5)
    expect(room()).toBe(20 * inHand.width('whk_1'))
    inHand.learn('whk_1', null)
    expect(room()).toBe(inHand.width('whk_1'))
  })

  test('of one that is slow no more than it answers in half a second, so that little is asked for twice', () => {
    const inHand = createInHand()
    const ahead = () => inHand.room('ten_1').of('whk_1') / inHand.width('whk_1')
    inHand.learn('whk_1', 100)
    expect(ahead()).toBe(5)
    for (let n = 0; n < 100; n += 1) inHand.learn('whk_1', 240)
    expect(ahead()).toBe(2)
    inHand.learn('whk_1', 9_000)
    expect(ahead()).toBe(1)
    for (let n = 0; n < 100; n += 1) inHand.learn('whk_1', 1)
    expect(ahead()).toBe(20)
  })

  test('two at a time whatever others of the tenant hold', () => {
    const inHand = createInHand()
    inHand.take('ten_1', claimed(400))
    expect(inHand.room('ten_1')).toMatchObject({ tenant: 0 })
    expect(inHand.room('ten_1').kept('whk_1')).toBe(0)
    expect(inHand.room('ten_1').kept('whk_2')).toBe(2)
    expect(inHand.isFull('ten_1')).toBe(false)
    inHand.learn('whk_1', 5)
    expect(inHand.isFull('ten_1'), 'what is sent soon makes room by itself').toBe(true)
  })
  test('a tenant of whom nothing is held has its turn although others fill the process', () => {
    const inHand = createInHand()
    for (let n = 0; n < 10; n += 1) inHand.take(`ten_${n}`, claimed(400))
    inHand.recorded('ten_0', 100)
    expect(inHand.isFull('ten_0'), 'there is room for a hundred').toBe(false)
    inHand.take('ten_10', claimed(100))
    expect(inHand.isFull('ten_0')).toBe(true)
    expect(inHand.isFull('ten_10')).toBe(true)
    expect(inHand.isFull('ten_11')).toBe(false)
  })

  test('dozens of tenants whose receivers hang leave room for one more', () => {
    const inHand = createInHand()
    let tenants = 0
    while (!inHand.isFull(`ten_${tenants}`)) {
      const { all } = inHand.room(`ten_${tenants}`)
      expect(all).toBeGreaterThan(0)
      inHand.take(`ten_${tenants}`, claimed(Math.min(200, all)))
      tenants += 1
    }
    expect(tenants).toBeGreaterThan(60)
    expect(inHand.count()).toBe(5_000)
  })

  test('what there is room for in all is not exceeded by a claim', async () => {
    const acme = await tenant()
    const { url } = await startReceiver()
    for (let n = 0; n < 3; n += 1) await subscribe(acme, url)
    const many = Array.from({ length: 10 }, (_, n) => message(`emp_${n}`, clock.now()))
    await tell(context, acme.tenant_id, many)
    const room = { ...createInHand().room(acme.tenant_id), all: 4 }
    const claim = await claimDeliveries(context, acme.tenant_id, room, 60_000)
    expect(claim.deliveries).toHaveLength(4)
    expect(claim.hungry).toBe(true)
  })
})
