// One message from the change to the receiver: what is sent, when it is sent again, and what is recorded.
import { verify } from '@octokit/webhooks-methods'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { listNotifications } from '../../test/notifications.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { createSecrets, keyFromSetting } from '../platform/secrets.ts'
import { runDueDeliveries } from './deliver-webhooks.job.ts'
import { LOOPBACK, message, ok, startReceiver, status, tell } from './receiver.fixture.ts'
import { recoverDeliveriesJob } from './recover-deliveries.job.ts'
import { sealSecret } from './secrets-at-rest.ts'

const { context, clock, tenant } = await startService(LOOPBACK)
const run = (random = 0) => runDueDeliveries(context, { random: () => random })

async function subscribe(acme: Tenant, url: string, events = ['score.updated']) {
  const { body } = await acme.call('POST', '/v1/webhooks', { url, events })
  return body as { id: string; secret: string }
}

async function deliveriesOf(acme: Tenant, id: string) {
  const { body } = await acme.call('GET', `/v1/webhooks/${id}/deliveries?per_page=100`)
  return body.data as {
    id: string
    status: string
    attempts: number
    next_attempt_at: string | null
  }[]
}

describe('a secret that was sealed with a key that is gone', () => {
  const other = createSecrets(keyFromSetting('a key that was lost with its folder'))

  test('holds up no other subscription, is named in the log, and a new one signs at once', async () => {
    const acme = await tenant()
    const [shut, open] = [await startReceiver(), await startReceiver()]
    const { id } = await subscribe(acme, shut.url)
    await subscribe(acme, open.url)
    await context.db.inTenant(
      acme.tenant_id,
      tx => tx`UPDATE webhooks SET secret = ${sealSecret(other, acme.tenant_id, id, 'whsec_b2xk')}
        WHERE tenant_id = ${acme.tenant_id} AND webhook_id = ${id}`,
    )
    clock.set(Date.now())
    await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
    await run()
    expect([shut.got.length, open.got.length]).toEqual([0, 1])
    expect(await deliveriesOf(acme, id)).toMatchObject([
      {
        status: 'retrying',
        attempts: 1,
        last_response_status: null,
        last_error: 'send: the signing secret cannot be opened; rotate it',
      },
    ])
    const [unsent] = await deliveriesOf(acme, id)
    const { body: shown } = await acme.call('GET', `/v1/webhooks/deliveries/${unsent!.id}`)
    expect(shown.attempt_log[0].request, 'nothing was sent').toEqual({ url: shut.url, headers: {} })
    const { body } = await acme.call('POST', `/v1/webhooks/${id}/rotate-secret`)
    clock.advance(2 * MINUTE)
    await run()
    const [got] = shut.got
    expect(await verify(body.secret, got!.body, got!.headers['x-service-signature']!)).toBe(true)
    expect(got!.headers['webhook-signature']).toMatch(/^v1,\S+$/)
  })
})

describe('what is sent', () => {
  test('headers and body as the contract shows them, with signatures others can verify', async () => {
    const acme = await tenant()
    const receiver = await startReceiver()
    const { id, secret } = await subscribe(acme, receiver.url)
    clock.set(Date.now())
    await tell(context, acme.tenant_id, [message('emp_1', clock.now(), 7)])
    await run()
    const [got] = receiver.got
    const [logged] = await deliveriesOf(acme, id)
    expect(got!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'score.updated',
      'x-service-delivery': logged!.id,
      'webhook-id': logged!.id,
    })
    expect(JSON.parse(got!.body)).toEqual({
      event: 'score.updated',
      timestamp: new Date(clock.now()).toISOString(),
      data: { employee_id: 'emp_1', n: 7 },
    })
    expect(got!.headers['x-service-signature']).toMatch(/^sha256=[0-9a-f]{64}$/)
    expect(await verify(secret, got!.body, got!.headers['x-service-signature']!)).toBe(true)
    expect(await verify(secret, `${got!.body} `, got!.headers['x-service-signature']!)).toBe(false)
    expect(new StandardWebhook(secret).verify(got!.body, got!.headers)).toMatchObject({
      event: 'score.updated',
    })
    expect(logged).toMatchObject({ status: 'delivered', attempts: 1, next_attempt_at: null })
  })

  test('the log tells the request, the answer and the timings of each attempt', async () => {
    const acme = await tenant()
    const receiver = await startReceiver(
      response => void response.writeHead(201, { 'x-a': 'b' }).end('thanks'),
    )
    const { id } = await subscribe(acme, receiver.url)
    await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
    await run()
    const delivery_id = (await deliveriesOf(acme, id))[0]!.id
    const { body } = await acme.call('GET', `/v1/webhooks/deliveries/${delivery_id}`)
    expect(body.request.body).toBe(receiver.got[0]!.body)
    const [attempt] = body.attempt_log
    expect(attempt.response).toMatchObject({
      status: 201,
      body: 'thanks',
      encoding: 'utf8',
      truncated: false,
    })
    expect(attempt.response.headers).toMatchObject({ 'x-a': 'b' })
    const sent = Object.entries(attempt.request.headers).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ])
    expect(receiver.got[0]!.headers).toMatchObject(Object.fromEntries(sent))
    expect(attempt).toMatchObject({ attempt: 1, stage: null, error: null })
    expect(attempt.timings.connect_ms).toBeGreaterThan(0)
    expect(attempt.timings.total_ms).toBeGreaterThanOrEqual(attempt.timings.first_byte_ms)
  })

  test('rotation: one value stays true for whoever checks one, both are there for whoever checks two', async () => {
    const acme = await tenant()
    const receiver = await startReceiver()
    clock.set(Date.now())
    const { id, secret: old } = await subscribe(acme, receiver.url)
    const { body } = await acme.call('POST', `/v1/webhooks/${id}/rotate-secret`)
    const send = async () => {
      await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
      await run()
      const { body: text, headers } = receiver.got.at(-1)!
      const service = async (secret: string) =>
        verify(secret, text, headers['x-service-signature']!)
      const standard = (secret: string) => {
        try {
          return Boolean(new StandardWebhook(secret).verify(text, headers))
        } catch (error) {
          // The verifier also looks at the clock, which this test has moved.
          return !/No matching signature/.test(String(error))
        }
      }
      return {
        service: [await service(old), await service(body.secret)],
        standard: [old, body.secret].map(standard),
      }
    }
    expect(await send()).toEqual({ service: [true, false], standard: [true, true] })
    await acme.call('POST', `/v1/webhooks/${id}/activate-secret`)
    expect(await send()).toEqual({ service: [false, true], standard: [true, true] })
    const { body: again } = await acme.call('POST', `/v1/webhooks/${id}/rotate-secret`)
    expect(again.new_secret_activated).toBe(false)
    expect((await send()).service).toEqual([false, true])
    clock.advance(DAY)
    await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
    await run()
    const last = receiver.got.at(-1)!
    expect(await verify(again.secret, last.body, last.headers['x-service-signature']!)).toBe(true)
    expect(last.headers['webhook-signature']!.split(' ')).toHaveLength(1)
  })

  test('a rotation begun anew: before its secret signs the old one goes on, after its day the new one', async () => {
    const acme = await tenant()
    const receiver = await startReceiver()
    const { id, secret: first } = await subscribe(acme, receiver.url)
    const rotate = async () =>
      (await acme.call('POST', `/v1/webhooks/${id}/rotate-secret`)).body.secret as string
    const signs = async (...secrets: string[]) => {
      await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
      await run()
      const { body, headers } = receiver.got.at(-1)!
      return Promise.all(secrets.map(one => verify(one, body, headers['x-service-signature']!)))
    }
    const [given_up, second] = [await rotate(), await rotate()]
    expect(await signs(first, given_up, second)).toEqual([true, false, false])
    clock.advance(DAY - 1)
    expect(await signs(first, given_up, second)).toEqual([true, false, false])
    clock.advance(1)
    expect(await signs(first, given_up, second)).toEqual([false, false, true])
    const third = await rotate()
    expect(await signs(first, second, third)).toEqual([false, true, false])
  })
})

describe('when it is sent again', () => {
  test('five attempts at 0, 1 min, 5 min, 30 min, 2 h after the end of the one before, never early; then failed', async () => {
    const acme = await tenant()
    const receiver = await startReceiver(status(500))
    const { id } = await subscribe(acme, receiver.url)
    await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
    await run()
    for (const [made, delay] of [
      [1, MINUTE],
      [2, 5 * MINUTE],
      [3, 30 * MINUTE],
      [4, 2 * HOUR],
    ] as const) {
      expect(receiver.got).toHaveLength(made)
      const [delivery] = await deliveriesOf(acme, id)
      expect(delivery).toMatchObject({ status: 'retrying', attempts: made })
      expect(Date.parse(delivery!.next_attempt_at!)).toBe(clock.now() + delay)
      clock.advance(delay - 1)
      await run()
      expect(receiver.got).toHaveLength(made)
      clock.advance(1)
      await run()
    }
    expect(receiver.got).toHaveLength(5)
    const [delivery] = await deliveriesOf(acme, id)
    expect(delivery).toMatchObject({ status: 'failed', attempts: 5, next_attempt_at: null })
    clock.advance(DAY)
    await run()
    expect(receiver.got).toHaveLength(5)
    expect(new Set(receiver.got.map(one => `${one.delivery} ${one.body}`)).size).toBe(1)
  })

  test('jitter adds up to a tenth, and Retry-After lengthens a step up to double', async () => {
    const acme = await tenant()
    const month = String(30 * 24 * 3600)
    const cases = [
      { answer: status(500), random: 0.999999, wait: 66 * SECOND },
      { answer: status(429, { 'retry-after': '90' }), random: 0, wait: 90 * SECOND },
      { answer: status(503, { 'retry-after': month }), random: 0.5, wait: 120 * SECOND },
      { answer: status(500, { 'retry-after': '90' }), random: 0, wait: 60 * SECOND },
      { answer: status(429, { 'retry-after': '5' }), random: 0, wait: 60 * SECOND },
      { answer: status(429, { 'retry-after': 'soon' }), random: 0, wait: 60 * SECOND },
    ]
    for (const { answer, random, wait } of cases) {
      const receiver = await startReceiver(answer)
      const { id } = await subscribe(acme, receiver.url)
      await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
      await run(random)
      const [delivery] = await deliveriesOf(acme, id)
      expect(Date.parse(delivery!.next_attempt_at!) - clock.now()).toBe(wait)
      await acme.call('DELETE', `/v1/webhooks/${id}`)
    }
  })

  test('410 disables at once; what follows is skipped, and recovered after enabling, in order', async () => {
    const acme = await tenant()
    let gone = true
    const receiver = await startReceiver((response, ...rest) =>
      (gone ? status(410) : ok)(response, ...rest),
    )
    const { id } = await subscribe(acme, receiver.url)
    const since = new Date(clock.now()).toISOString()
    await tell(context, acme.tenant_id, [message('emp_1', clock.now(), 1)])
    clock.advance(1)
    await run()
    const shown = (await acme.call('GET', `/v1/webhooks/${id}`)).body
    const at = new Date(clock.now()).toISOString()
    const when = { disabled_at: at, updated_at: at }
    expect(shown).toMatchObject({
      status: 'disabled',
      disabled_reason: 'gone',
      failures: 1,
      ...when,
    })
    for (const n of [2, 3]) await tell(context, acme.tenant_id, [message('emp_1', clock.now(), n)])
    await run()
    expect(receiver.got).toHaveLength(1)
    expect((await deliveriesOf(acme, id)).map(one => one.status)).toEqual([
      'skipped',
      'skipped',
      'failed',
    ])
    const refused = await acme.call('POST', `/v1/webhooks/${id}/recover`, { since })
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } })
    gone = false
    await acme.call('PATCH', `/v1/webhooks/${id}`, { status: 'enabled' })
    const started = await acme.call('POST', `/v1/webhooks/${id}/recover`, { since })
    expect(started).toMatchObject({
      status: 202,
      body: { status: 'queued', total: 3, processed: 0 },
    })
    await runDueJobs(context, [recoverDeliveriesJob()])
    const done = await acme.call('GET', started.headers.location as string)
    expect(done.body).toMatchObject({ status: 'completed', total: 3, processed: 3 })
    await run()
    expect((await deliveriesOf(acme, id)).map(one => one.status)).toEqual([
      'delivered',
      'delivered',
      'delivered',
    ])
    const numbers = receiver.got.slice(1).map(one => JSON.parse(one.body).data.n)
    expect(numbers.filter(n => n > 1)).toEqual([2, 3])
  })
})

describe('repeated failures', () => {
  test('disabled when ten or more in a row have failed over a day; told at one, at five, at the end', async () => {
    const acme = await tenant()
    const receiver = await startReceiver(status(500))
    const { id } = await subscribe(acme, receiver.url)
    const notices = () =>
      context.db.inTenant(acme.tenant_id, tx => listNotifications(tx, acme.tenant_id))
    const failOne = async () => {
      await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
      for (const delay of [0, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR]) {
        clock.advance(delay)
        await run()
      }
      return (await acme.call('GET', `/v1/webhooks/${id}`)).body
    }
    const raised: number[] = []
    for (let n = 1; n <= 10; n++) {
      expect(await failOne()).toMatchObject({ status: 'enabled', failures: n })
      const [notice] = await notices()
      expect(notice).toMatchObject({ kind: 'webhook.failing', subject_id: id, count: n })
      raised.push(notice!.raised_at.getTime())
    }
    expect(new Set(raised.slice(0, 4)).size).toBe(1)
    expect(raised[4]).toBeGreaterThan(raised[3]!)
    expect(raised[8]).toBe(raised[4])
    // Each takes 2.6 hours: the tenth ends 23.4 hours after the first, the eleventh more than a day.
    expect(await failOne()).toMatchObject({
      status: 'disabled',
      disabled_reason: 'failures',
      failures: 11,
    })
    const all = await notices()
    expect(all.map(one => one.kind).sort()).toEqual(['webhook.disabled', 'webhook.failing'])
    const entries = await acme.call('GET', `/v1/audit?subject_id=${id}&per_page=1`)
    expect(entries.body.data).toMatchObject([
      {
        action: 'webhook.disabled',
        actor: { kind: 'engine' },
        before: { status: 'enabled' },
        after: { status: 'disabled', reason: 'failures' },
      },
    ])
  })

  test('a new address begins the count anew: its first failure is told and disables nothing', async () => {
    const acme = await tenant()
    const [old, moved] = [await startReceiver(status(500)), await startReceiver(status(500))]
    const { id } = await subscribe(acme, old.url)
    const fail = async (people: number) => {
      const now = clock.now()
      const many = Array.from({ length: people }, (_, n) => message(`emp_${n}`, now))
      await tell(context, acme.tenant_id, many)
      for (const delay of [0, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR]) {
        clock.advance(delay)
        await run()
      }
      const [notice] = await context.db.inTenant(acme.tenant_id, tx =>
        listNotifications(tx, acme.tenant_id),
      )
      return notice!.raised_at
    }
    await fail(9)
    clock.advance(DAY)
    await acme.call('PATCH', `/v1/webhooks/${id}`, { url: moved.url })
    expect(await fail(1)).toEqual(new Date(clock.now()))
    expect((await acme.call('GET', `/v1/webhooks/${id}`)).body).toMatchObject({
      status: 'enabled',
      failures: 1,
    })
  })

  test('ten failures within a day do not disable, and a success begins the count anew', async () => {
    const acme = await tenant()
    let bad = true
    const receiver = await startReceiver((response, ...rest) =>
      (bad ? status(500) : ok)(response, ...rest),
    )
    const { id } = await subscribe(acme, receiver.url)
    await tell(
      context,
      acme.tenant_id,
      Array.from({ length: 12 }, (_, n) => message(`emp_${n}`, clock.now())),
    )
    for (const delay of [0, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR]) {
      clock.advance(delay)
      await run()
    }
    expect((await acme.call('GET', `/v1/webhooks/${id}`)).body).toMatchObject({
      status: 'enabled',
      failures: 12,
    })
    bad = false
    await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
    await run()
    expect((await acme.call('GET', `/v1/webhooks/${id}`)).body).toMatchObject({
      status: 'enabled',
      failures: 0,
    })
  })
})
