// How outcomes are recorded: by the claim in force only, once, and none at the cost of another.
import { expect, test } from 'vitest'
import { seeBlocked } from '../../test/locks.ts'
import { startService } from '../../test/service.ts'
import { DAY } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { claimDeliveries, type Delivery } from './claim-deliveries.ts'
import type { Outcome } from './judge-outcome.ts'
import { lockOldest, message, tell } from './receiver.fixture.ts'
import { createRecorder } from './record-ended.ts'
import { recordOutcomes } from './record-outcomes.ts'
import type { Reply } from './send-request.ts'

const { context, clock, tenant } = await startService()
const LEASE_MS = 60_000
const room = { all: 100, tenant: 100, of: () => 100, kept: () => 2 }

async function prepare(count: number) {
  const acme = await tenant()
  const hook = { url: 'https://hooks.example.com/', events: ['score.updated'] }
  const { body } = await acme.call('POST', '/v1/webhooks', hook)
  const many = Array.from({ length: count }, (_, n) => message(`emp_${n}`, clock.now(), n))
  await tell(context, acme.tenant_id, many)
  const claim = async () =>
    (await claimDeliveries(context, acme.tenant_id, room, LEASE_MS)).deliveries
  const log = async () => {
    const { body: page } = await acme.call('GET', `/v1/webhooks/${body.id}/deliveries`)
    return page.data as { id: string; status: string; attempts: number }[]
  }
  return { tenant_id: acme.tenant_id, webhook_id: body.id, claim, log, acme }
}

function outcome(delivery: Delivery, status: number): Outcome {
  const reply: Reply = {
    status,
    headers: {},
    body: Buffer.from('ok'),
    truncated: false,
    error: status === 200 ? null : { stage: 'status', message: `status: answered ${status}` },
    dns_ms: null,
    connect_ms: null,
    first_byte_ms: 1,
    total_ms: 2,
  }
  const signatures = { signature: 's', standard_signature: 't' }
  return { delivery, signatures, reply, started_at: clock.now(), ended_at: clock.now(), random: 0 }
}

test('of a lost claim and the one in force, in one group, only the latter counts', async () => {
  const { tenant_id, claim, log, acme } = await prepare(1)
  const [lost] = await claim()
  clock.advance(LEASE_MS + 1)
  const [held] = await claim()
  await recordOutcomes(context, tenant_id, [outcome(lost!, 500), outcome(held!, 200)])
  expect(await log()).toMatchObject([{ status: 'delivered', attempts: 1 }])
  const { body } = await acme.call('GET', `/v1/webhooks/deliveries/${held!.delivery_id}`)
  expect(body.attempt_log).toMatchObject([{ attempt: 1, response: { status: 200 } }])
})

/** To 150 attempts in all, each answered as the first one was. */
async function attemptAgain(tenant_id: string): Promise<void> {
  await context.db.inTenant(
    tenant_id,
    tx => tx`INSERT INTO webhook_attempts (tenant_id, webhook_id, delivery_id, attempt, url, signature,
        standard_signature, started_at, ended_at, total_ms, response_status, response_headers, response_body,
        response_encoding, response_truncated)
      SELECT a.tenant_id, a.webhook_id, a.delivery_id, n, a.url, a.signature, a.standard_signature, a.started_at,
        a.ended_at, a.total_ms, a.response_status, a.response_headers, a.response_body, a.response_encoding,
        a.response_truncated
      FROM webhook_attempts a, generate_series(2, 150) n WHERE a.tenant_id = ${tenant_id}`,
  )
}

test('of a delivery sent again and again its last 100 attempts are shown, oldest first', async () => {
  const { tenant_id, claim, acme } = await prepare(1)
  const [held] = await claim()
  await recordOutcomes(context, tenant_id, [outcome(held!, 500)])
  await attemptAgain(tenant_id)
  const { body } = await acme.call('GET', `/v1/webhooks/deliveries/${held!.delivery_id}`)
  const shown = body.attempt_log.map((one: { attempt: number }) => one.attempt)
  expect([shown.length, shown[0], shown.at(-1)]).toEqual([100, 51, 150])
})

test('of attempts with the largest answers the last ones are shown that fit into 3 MiB', async () => {
  const { tenant_id, claim, acme } = await prepare(1)
  const [held] = await claim()
  // Six bytes each as JSON.
  const response_body = '\u0001'.repeat(64 * 1024)
  const { reply, ...largest } = outcome(held!, 500)
  const answered = { ...reply, body: Buffer.from(response_body) } as Reply
  await recordOutcomes(context, tenant_id, [{ ...largest, reply: answered }])
  await attemptAgain(tenant_id)
  const { body } = await acme.call('GET', `/v1/webhooks/deliveries/${held!.delivery_id}`)
  const shown = body.attempt_log.map((one: { attempt: number }) => one.attempt)
  expect([shown[0], shown.at(-1)]).toEqual([144, 150])
  expect(body.attempt_log[0].response.body).toBe(response_body)
  expect(JSON.stringify(body).length).toBeLessThan(4 * 1024 * 1024)
})

test('an outcome recorded twice, because the answer of the commit was lost, counts once', async () => {
  const { tenant_id, claim, log } = await prepare(1)
  const [held] = await claim()
  for (let n = 0; n < 2; n++) await recordOutcomes(context, tenant_id, [outcome(held!, 500)])
  expect(await log()).toMatchObject([{ status: 'retrying', attempts: 1 }])
})

test('an outcome the database will not take keeps no other from being recorded', async () => {
  const { tenant_id, claim, log } = await prepare(3)
  const [one, bad, other] = (await claim()) as [Delivery, Delivery, Delivery]
  const recorded = await new Promise<number>(resolve => {
    let count = 0
    const recorder = createRecorder(context, (_, group) => {
      count += group.length
      if (count === 3) resolve(count)
    })
    recorder.add(tenant_id, outcome(one, 200))
    recorder.add(tenant_id, outcome(bad, 10 ** 12))
    recorder.add(tenant_id, outcome(other, 200))
  })
  expect(recorded).toBe(3)
  const statuses = new Map((await log()).map(row => [row.id, row.status]))
  expect(statuses.get(one.delivery_id)).toBe('delivered')
  expect(statuses.get(other.delivery_id)).toBe('delivered')
  expect(statuses.get(bad.delivery_id)).toBe('pending')
})

test('outcomes of a tenant that wait for a row of its own keep no other tenant waiting', async () => {
  const [one, other] = [await prepare(1), await prepare(1)]
  const [[held], [free]] = [await one.claim(), await other.claim()]
  const recorded: string[] = []
  let failed = 0
  const log = { ...context.log, warn: () => failed++ } as never
  const recorder = createRecorder({ ...context, log }, id => void recorded.push(id))
  await context.db.sql.begin(async tx => {
    await lockOldest(tx as unknown as Tx, one.tenant_id, one.webhook_id)
    recorder.add(one.tenant_id, outcome(held!, 200))
    await seeBlocked(tx as unknown as Tx)
    recorder.add(other.tenant_id, outcome(free!, 200))
    await expect.poll(() => recorded).toEqual([other.tenant_id])
    expect(failed, 'the first is still waiting').toBe(0)
  })
  await expect.poll(() => recorded).toEqual([other.tenant_id, one.tenant_id])
})

test('a success at a former address does not end the failures of the one in force', async () => {
  const { tenant_id, claim, acme, webhook_id } = await prepare(3)
  const [former, failing, good] = (await claim()) as [Delivery, Delivery, Delivery]
  const url = 'https://other.example.com/'
  await acme.call('PATCH', `/v1/webhooks/${webhook_id}`, { url })
  const failures = async () => (await acme.call('GET', `/v1/webhooks/${webhook_id}`)).body.failures
  await recordOutcomes(context, tenant_id, [outcome({ ...failing, url, attempts: 4 }, 500)])
  expect(await failures()).toBe(1)
  await recordOutcomes(context, tenant_id, [outcome(former, 200)])
  expect(await failures()).toBe(1)
  await recordOutcomes(context, tenant_id, [outcome({ ...good, url }, 200)])
  expect(await failures()).toBe(0)
})

test('a failure at a former address is none of the one in force', async () => {
  const { tenant_id, claim, acme, webhook_id } = await prepare(2)
  const [former, here] = (await claim()) as [Delivery, Delivery]
  const url = 'https://other.example.com/'
  await acme.call('PATCH', `/v1/webhooks/${webhook_id}`, { url })
  const failures = async () => (await acme.call('GET', `/v1/webhooks/${webhook_id}`)).body.failures
  await recordOutcomes(context, tenant_id, [outcome({ ...former, attempts: 4 }, 500)])
  expect(await failures()).toBe(0)
  await recordOutcomes(context, tenant_id, [outcome({ ...here, url, attempts: 4 }, 500)])
  expect(await failures()).toBe(1)
})

test('another address begins without the failures of the former; the same one given again keeps them', async () => {
  const { tenant_id, claim, acme, webhook_id } = await prepare(11)
  const [first, ...rest] = (await claim()).map(one => ({ ...one, attempts: 4 }))
  const path = `/v1/webhooks/${webhook_id}`
  await recordOutcomes(context, tenant_id, [outcome(first!, 500)])
  clock.advance(DAY)
  expect((await acme.call('PATCH', path, { url: first!.url })).body.failures).toBe(1)
  const url = 'https://other.example.com/'
  expect((await acme.call('PATCH', path, { url })).body.failures).toBe(0)
  const group = rest.map(one => outcome({ ...one, url }, 500))
  await recordOutcomes(context, tenant_id, group)
  const { body } = await acme.call('GET', path)
  expect(body).toMatchObject({ status: 'enabled', failures: 10 })
})

test('in one group failures are counted in the order of their ends, from the last success on', async () => {
  const { tenant_id, claim, acme, webhook_id } = await prepare(5)
  const claimed = await claim()
  const ends = [500, 500, 200, 500, 500]
  const group = claimed.map((one, n) => outcome({ ...one, attempts: 4 }, ends[n]!))
  await recordOutcomes(context, tenant_id, group)
  expect((await acme.call('GET', `/v1/webhooks/${webhook_id}`)).body.failures).toBe(2)
})

test('several that are told 410 at once disable it once, and it is said once', async () => {
  const { tenant_id, claim, acme, webhook_id } = await prepare(3)
  const group = (await claim()).map(one => outcome(one, 410))
  await recordOutcomes(context, tenant_id, group)
  const { body } = await acme.call('GET', `/v1/webhooks/${webhook_id}`)
  expect(body).toMatchObject({ status: 'disabled', failures: 1 })
  const { body: audit } = await acme.call('GET', '/v1/audit?action=webhook.disabled')
  expect(audit.data).toHaveLength(1)
})

test('it is disabled by the tenth failure in a row, once the first is a day old to the millisecond', async () => {
  const { tenant_id, claim, acme, webhook_id } = await prepare(22)
  const [first, ...rest] = (await claim()).map(one => ({ ...one, attempts: 4 }))
  const fail = (some: readonly Delivery[]) =>
    recordOutcomes(
      context,
      tenant_id,
      some.map(one => outcome(one, 500)),
    )
  const status = async () => (await acme.call('GET', `/v1/webhooks/${webhook_id}`)).body.status
  await fail([first!])
  clock.advance(DAY)
  await fail(rest.slice(0, 8))
  expect(await status()).toBe('enabled')
  await fail(rest.slice(8, 9))
  expect(await status()).toBe('disabled')
  await acme.call('PATCH', `/v1/webhooks/${webhook_id}`, { status: 'enabled' })
  await fail(rest.slice(9, 20))
  clock.advance(DAY - 1)
  await fail(rest.slice(20, 21))
  expect(await status()).toBe('enabled')
})

test('after a success the day is counted from the next failure', async () => {
  const { tenant_id, claim, acme, webhook_id } = await prepare(12)
  const [first, good, ...rest] = (await claim()).map(one => ({ ...one, attempts: 4 }))
  await recordOutcomes(context, tenant_id, [outcome(first!, 500)])
  clock.advance(DAY)
  await recordOutcomes(context, tenant_id, [outcome(good!, 200)])
  const group = rest.map(one => outcome(one, 500))
  await recordOutcomes(context, tenant_id, group)
  const { body } = await acme.call('GET', `/v1/webhooks/${webhook_id}`)
  expect(body).toMatchObject({ status: 'enabled', failures: 10 })
})
