// /v1/webhooks over HTTP: subscriptions, their secrets and their deliveries.
import { describe, expect, test } from 'vitest'
import { startService, type Tenant } from '../../test/service.ts'
import { DAY, MINUTE } from '../platform/clock.ts'
import { createSecrets, keyFromSetting } from '../platform/secrets.ts'
import { runDueDeliveries } from './deliver-webhooks.job.ts'
import { EVENT_KINDS } from './event-kinds.ts'
import { forgetDeliveriesJob } from './forget-deliveries.job.ts'
import { MOST_WEBHOOKS } from './manage-webhooks.ts'
import { LOOPBACK, message, ok, startReceiver, status, tell } from './receiver.fixture.ts'

const { context, clock, tenant } = await startService(LOOPBACK)
const url = 'https://hooks.example.com/bellwether'
const events = ['score.updated']

async function create(acme: Tenant, body: object = { url, events }) {
  return (await acme.call('POST', '/v1/webhooks', body)).body
}

describe('subscriptions', () => {
  test('201 with the secret, which no other answer holds', async () => {
    const acme = await tenant()
    const created = await acme.call('POST', '/v1/webhooks', {
      url,
      events: [...EVENT_KINDS],
      description: 'SIEM',
    })
    expect(created.status).toBe(201)
    const { id, secret, ...rest } = created.body
    expect(created.headers.location).toBe(`/v1/webhooks/${id}`)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(rest).toMatchObject({
      url,
      events: [...EVENT_KINDS],
      description: 'SIEM',
      status: 'enabled',
      created_by: expect.stringMatching(/^key:key_/),
    })
    const one = await acme.call('GET', `/v1/webhooks/${id}`)
    expect(one.body).toEqual({ id, ...rest })
    const all = await acme.call('GET', '/v1/webhooks')
    expect(all.body).toEqual({
      data: [{ id, ...rest }],
      pagination: { page: 1, per_page: 25, total: 1, total_pages: 1 },
    })
  })

  test('the secret is sealed at rest, in the saved answer of a repeated request too', async () => {
    const acme = await tenant()
    const headers = { 'idempotency-key': 'once' }
    const first = await acme.call('POST', '/v1/webhooks', { url, events }, headers)
    const again = await acme.call('POST', '/v1/webhooks', { url, events }, headers)
    expect(again.status).toBe(201)
    expect(again.body).toEqual(first.body)
    const rotated = await acme.call(
      'POST',
      `/v1/webhooks/${first.body.id}/rotate-secret`,
      undefined,
      headers,
    )
    expect(rotated.body.secret).not.toBe(first.body.secret)
    const secrets = [first.body.secret, rotated.body.secret].map(text =>
      text.slice('whsec_'.length),
    )
    const stored = await context.db.inTenant(acme.tenant_id, async tx => [
      ...(await tx`SELECT * FROM webhooks WHERE tenant_id = ${acme.tenant_id}`),
      ...(await tx`SELECT * FROM idempotent_answers WHERE tenant_id = ${acme.tenant_id}`),
      ...(await tx`SELECT * FROM audit_values WHERE tenant_id = ${acme.tenant_id}`),
    ])
    expect(stored.length).toBeGreaterThanOrEqual(5)
    for (const secret of secrets) expect(JSON.stringify(stored)).not.toContain(secret)
  })

  test('201 without a body for a repeat whose answer was sealed with a key that is gone', async () => {
    const acme = await tenant()
    const headers = { 'idempotency-key': 'once' }
    const first = await acme.call('POST', '/v1/webhooks', { url, events }, headers)
    const person = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Moss' }
    const { id } = (await acme.call('POST', '/v1/employees', person)).body
    const gone = createSecrets(keyFromSetting('a key that was lost, long enough'))
    const sealed = gone.seal(JSON.stringify(first.body), 'answer')
    await context.db.inTenant(
      acme.tenant_id,
      tx => tx`UPDATE idempotent_answers SET answer = ${sealed}
        WHERE tenant_id = ${acme.tenant_id} AND encrypted`,
    )
    const again = await acme.call('POST', '/v1/webhooks', { url, events }, headers)
    expect(again).toMatchObject({ status: 201, body: undefined })
    expect((await acme.call('GET', '/v1/webhooks')).body.data).toHaveLength(1)
    const erased = await acme.call('POST', `/v1/employees/${id}/erase`, { confirm: 'erase' })
    expect(erased.body).toMatchObject({ status: 'completed' })
  })

  test('201 for a URL of 2048 characters, 400 for one more', async () => {
    const acme = await tenant()
    const make = async (length: number) => {
      const long = 'https://example.com/'.padEnd(length, 'a')
      return (await acme.call('POST', '/v1/webhooks', { url: long, events })).status
    }
    expect([await make(2048), await make(2049)]).toEqual([201, 400])
  })

  test('400 for what can be no destination or no choice', async () => {
    const acme = await tenant()
    const bad: [object, RegExp][] = [
      [{ url: 'http://10.0.0.1/', events }, /destination address not allowed/],
      [{ url: 'http://0x0a.1/', events }, /destination address not allowed/],
      [{ url: 'http://[::ffff:10.0.0.1]/', events }, /destination address not allowed/],
      [{ url: 'https://me:pw@example.com/', events }, /user name/],
      [{ url: 'ftp://example.com/', events }, /http/],
      [{ url, events: [] }, /events/],
      [{ url, events: ['score.exploded'] }, /must be one of/],
      [{ url, events: ['webhook.test'] }, /must be one of/],
      [{ url, events: ['score.updated', 'score.updated'] }, /events/],
      [{ url }, /events: is required/],
      [{ url, events, secret: 'mine' }, /secret: is not a known field/],
    ]
    for (const [body, why] of bad) {
      const answer = await acme.call('POST', '/v1/webhooks', body)
      expect(answer.status).toBe(400)
      expect(answer.body.error.message).toMatch(why)
    }
    const { id } = await create(acme)
    const moved = await acme.call('PATCH', `/v1/webhooks/${id}`, { url: 'http://169.254.169.254/' })
    expect(moved).toMatchObject({ status: 400 })
    expect((await acme.call('GET', `/v1/webhooks/${id}`)).body.url).toBe(url)
  })

  test('409 beyond the most a tenant can have', async () => {
    const acme = await tenant()
    for (let n = 1; n < MOST_WEBHOOKS; n++) await create(acme)
    const last = () => acme.call('POST', '/v1/webhooks', { url, events })
    const answers = await Promise.all([last(), last(), last(), last()])
    expect(answers.map(one => one.status).sort(), 'of several at once').toEqual([
      201, 409, 409, 409,
    ])
    expect(await last()).toMatchObject({ status: 409 })
  })

  test('200 PATCH changes what is given; disabling and enabling show when and why', async () => {
    const acme = await tenant()
    const { id } = await create(acme)
    const changed = await acme.call('PATCH', `/v1/webhooks/${id}`, {
      events: ['event.ingested'],
      description: 'x',
    })
    expect(changed.body).toMatchObject({
      url,
      events: ['event.ingested'],
      description: 'x',
      status: 'enabled',
    })
    const off = await acme.call('PATCH', `/v1/webhooks/${id}`, { status: 'disabled' })
    expect(off.body).toMatchObject({ status: 'disabled', disabled_reason: 'manual' })
    expect(Date.parse(off.body.disabled_at)).toBe(clock.now())
    const on = await acme.call('PATCH', `/v1/webhooks/${id}`, { status: 'enabled' })
    expect(on.body).toMatchObject({ status: 'enabled', disabled_reason: null, disabled_at: null })
  })

  test('200 PATCH to what is there already is no change', async () => {
    const acme = await tenant()
    const { secret: _secret, ...webhook } = await create(acme)
    const logged = async () =>
      (await acme.call('GET', '/v1/audit?action=webhook.changed')).body.pagination.total
    clock.advance(MINUTE)
    for (const change of [{}, { url, events, description: '', status: 'enabled' }]) {
      const answer = await acme.call('PATCH', `/v1/webhooks/${webhook.id}`, change)
      expect([answer.status, answer.body]).toEqual([200, webhook])
    }
    expect(await logged()).toBe(0)
    const changed = await acme.call('PATCH', `/v1/webhooks/${webhook.id}`, { description: 'x' })
    expect(Date.parse(changed.body.updated_at)).toBe(clock.now())
    expect(await logged()).toBe(1)
  })

  test('200 PATCH with the status it has keeps the failures, and why and when it was disabled', async () => {
    const acme = await tenant()
    const { id } = await create(acme)
    const at = new Date(clock.now() - DAY)
    const set = (status: string, reason: string | null) =>
      context.db.inTenant(
        acme.tenant_id,
        tx => tx`UPDATE webhooks SET status = ${status}, failures = 3, disabled_reason = ${reason},
            disabled_at = ${reason && at} WHERE tenant_id = ${acme.tenant_id} AND webhook_id = ${id}`,
      )
    const patch = async (status: string, description: string) => {
      await acme.call('PATCH', `/v1/webhooks/${id}`, { status, description })
      return (await acme.call('GET', `/v1/webhooks/${id}`)).body
    }
    await set('enabled', null)
    expect(await patch('enabled', 'one')).toMatchObject({ description: 'one', failures: 3 })
    await set('disabled', 'failures')
    expect(await patch('disabled', 'two')).toMatchObject({
      description: 'two',
      disabled_reason: 'failures',
      disabled_at: at.toISOString(),
    })
  })

  test('204 DELETE, then 404 everywhere; 404 for another tenant', async () => {
    const [acme, other] = [await tenant(), await tenant()]
    const { id } = await create(acme)
    const test = await acme.call('POST', `/v1/webhooks/${id}/test`)
    const paths = [
      ['GET', `/v1/webhooks/${id}`],
      ['GET', `/v1/webhooks/${id}/deliveries`],
      ['PATCH', `/v1/webhooks/${id}`],
      ['POST', `/v1/webhooks/${id}/test`],
      ['POST', `/v1/webhooks/${id}/rotate-secret`],
      ['POST', `/v1/webhooks/${id}/activate-secret`],
      ['GET', `/v1/webhooks/deliveries/${test.body.id}`],
      ['POST', `/v1/webhooks/deliveries/${test.body.id}/redeliver`],
      ['DELETE', `/v1/webhooks/${id}`],
    ] as const
    const visit = async (who: Tenant) => {
      for (const [method, path] of paths) {
        const body = method === 'PATCH' ? { description: 'y' } : undefined
        expect(await who.call(method, path, body)).toMatchObject({ status: 404 })
      }
    }
    await visit(other)
    expect(await acme.call('DELETE', `/v1/webhooks/${id}`)).toMatchObject({ status: 204 })
    await visit(acme)
  })

  test('403 names the missing scope', async () => {
    const acme = await tenant()
    const read = await acme.as('webhooks:read')
    const answer = await read('POST', '/v1/webhooks', { url, events })
    expect(answer).toMatchObject({ status: 403 })
    expect(answer.body.error.message).toContain('webhooks:write')
    const write = await acme.as('webhooks:write')
    expect((await write('GET', '/v1/webhooks')).status).toBe(403)
  })
})

describe('deliveries', () => {
  test('202 test: a logged delivery of its own kind, sent whatever the subscription has chosen', async () => {
    const acme = await tenant()
    const receiver = await startReceiver()
    const { id } = await create(acme, { url: receiver.url, events: ['employee.created'] })
    const queued = await acme.call('POST', `/v1/webhooks/${id}/test`)
    expect(queued).toMatchObject({
      status: 202,
      body: { event: 'webhook.test', status: 'pending', attempts: 0 },
    })
    expect(queued.headers.location).toBe(`/v1/webhooks/deliveries/${queued.body.id}`)
    await runDueDeliveries(context)
    expect(receiver.got[0]).toMatchObject({ event: 'webhook.test', delivery: queued.body.id })
    const { body } = await acme.call(
      'GET',
      `/v1/webhooks/${id}/deliveries?event=webhook.test&status=delivered`,
    )
    expect(body.pagination.total).toBe(1)
    const none = await acme.call('GET', `/v1/webhooks/${id}/deliveries?event=`)
    expect(none.body.pagination.total).toBe(0)
    expect(Object.keys(body.data[0]).sort()).toEqual([
      'attempts',
      'created_at',
      'event',
      'id',
      'last_error',
      'last_response_status',
      'next_attempt_at',
      'status',
      'webhook_id',
    ])
    expect(body.data[0]).toMatchObject({ last_response_status: 200, last_error: null, attempts: 1 })
    await acme.call('PATCH', `/v1/webhooks/${id}`, { status: 'disabled' })
    expect((await acme.call('POST', `/v1/webhooks/${id}/test`)).status).toBe(409)
  })

  test('202 redeliver keeps id and bytes and takes the place of a retry to come', async () => {
    const acme = await tenant()
    let bad = true
    const receiver = await startReceiver((response, ...rest) =>
      (bad ? status(500) : ok)(response, ...rest),
    )
    const { id } = await create(acme, { url: receiver.url, events })
    await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
    await runDueDeliveries(context)
    const { body } = await acme.call('GET', `/v1/webhooks/${id}/deliveries`)
    const path = `/v1/webhooks/deliveries/${body.data[0].id}/redeliver`
    expect((await acme.call('POST', path)).body).toMatchObject({ status: 'retrying', attempts: 1 })
    bad = false
    await runDueDeliveries(context)
    clock.advance(10 * MINUTE)
    await runDueDeliveries(context)
    expect(receiver.got).toHaveLength(2)
    await acme.call('POST', path)
    await runDueDeliveries(context)
    expect(receiver.got).toHaveLength(3)
    expect(new Set(receiver.got.map(got => got.delivery + got.body)).size).toBe(1)
    const detail = await acme.call('GET', `/v1/webhooks/deliveries/${body.data[0].id}`)
    expect(detail.body).toMatchObject({ status: 'delivered', attempts: 3 })
    expect(detail.body.attempt_log.map((one: { attempt: number }) => one.attempt)).toEqual([
      1, 2, 3,
    ])
  })

  test('a failed delivery sent again has five new attempts', async () => {
    const acme = await tenant()
    const receiver = await startReceiver(status(500))
    const { id } = await create(acme, { url: receiver.url, events })
    await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
    const exhaust = async () => {
      for (let n = 0; n < 7; n++) {
        await runDueDeliveries(context)
        clock.advance(DAY / 4)
      }
    }
    await exhaust()
    expect(receiver.got).toHaveLength(5)
    const { body } = await acme.call('GET', `/v1/webhooks/${id}/deliveries`)
    await acme.call('POST', `/v1/webhooks/deliveries/${body.data[0].id}/redeliver`)
    await exhaust()
    expect(receiver.got).toHaveLength(10)
    const after = await acme.call('GET', `/v1/webhooks/deliveries/${body.data[0].id}`)
    expect(after.body).toMatchObject({ status: 'failed', attempts: 10 })
  })

  test('400 recover since an instant that is none', async () => {
    const acme = await tenant()
    const { id } = await create(acme)
    expect(
      (await acme.call('POST', `/v1/webhooks/${id}/recover`, { since: 'yesterday' })).status,
    ).toBe(400)
    expect((await acme.call('POST', `/v1/webhooks/${id}/recover`, {})).status).toBe(400)
    expect((await acme.call('GET', `/v1/webhooks/${id}/recover/rcv_1`)).status).toBe(404)
  })

  test('the log is kept for thirty days, longer where something is still to be sent', async () => {
    const acme = await tenant()
    const receiver = await startReceiver()
    const { id } = await create(acme, { url: receiver.url, events })
    await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
    await runDueDeliveries(context)
    clock.advance(DAY)
    await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
    clock.advance(DAY)
    await tell(context, acme.tenant_id, [message('emp_2', clock.now())])
    clock.advance(31 * DAY)
    await forgetDeliveriesJob().run(context)
    const left = async () =>
      (await acme.call('GET', `/v1/webhooks/${id}/deliveries`)).body.pagination.total
    expect(await left()).toBe(2)
    await runDueDeliveries(context)
    expect(receiver.got).toHaveLength(3)
    await forgetDeliveriesJob().run(context)
    expect(await left()).toBe(0)
    const tables = await context.db.inTenant(acme.tenant_id, async tx => [
      ...(await tx`SELECT 1 FROM webhook_messages WHERE tenant_id = ${acme.tenant_id}`),
      ...(await tx`SELECT 1 FROM webhook_attempts WHERE tenant_id = ${acme.tenant_id}`),
    ])
    expect(tables).toEqual([])
  })

  test('what is younger than thirty days stays whole, however much of the log is older', async () => {
    const acme = await tenant()
    const receiver = await startReceiver()
    const { id } = await create(acme, { url: receiver.url, events })
    const list = async () => (await acme.call('GET', `/v1/webhooks/${id}/deliveries`)).body.data
    const began = clock.now()
    await tell(context, acme.tenant_id, [message('emp_1', clock.now())])
    await runDueDeliveries(context)
    clock.advance(1)
    await tell(context, acme.tenant_id, [message('emp_2', clock.now())])
    await runDueDeliveries(context)
    const [young] = await list()
    clock.set(began + 30 * DAY)
    await forgetDeliveriesJob().run(context)
    expect(await list()).toHaveLength(2)
    clock.advance(1)
    await forgetDeliveriesJob().run(context)
    expect(await list()).toEqual([young])
    const { body } = await acme.call('GET', `/v1/webhooks/deliveries/${young.id}`)
    expect(body.attempt_log).toHaveLength(1)
    await acme.call('POST', `/v1/webhooks/deliveries/${young.id}/redeliver`)
    await runDueDeliveries(context)
    expect(receiver.got.map(one => one.delivery)).toEqual([expect.anything(), young.id, young.id])
  })
})
