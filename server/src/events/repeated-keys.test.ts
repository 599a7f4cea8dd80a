// Requests and events with one Idempotency-Key or external_id that arrive together: each is answered as if it had come
// alone.
import { expect, it } from 'vitest'
import { hire } from '../../test/scenario.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { HOUR } from '../platform/clock.ts'

const service = await startService()

async function open(): Promise<Tenant> {
  const tenant = await service.tenant()
  await hire(service, tenant, ['ada@example.com'])
  return tenant
}

const ada = { type: 'custom.x', employee_email: 'ada@example.com' }
const tooOld = { ...ada, timestamp: '1999-01-01T00:00:00Z' }

/** Together with others before them, so that they wait for one transaction. */
async function sendTogether(tenant: Tenant, bodies: readonly object[]) {
  const fillers = Array.from({ length: 8 }, () => tenant.call('POST', '/v1/events', ada))
  const headers = { 'idempotency-key': 'one' }
  const answers = bodies.map(body => tenant.call('POST', '/v1/events', body, headers))
  await Promise.all(fillers)
  return Promise.all(answers)
}

it('a right repeat gets its answer also beside a wrong one', async () => {
  const tenant = await open()
  const wrong = { ...ada, type: 'custom.y' }
  const [first] = await sendTogether(tenant, [ada])
  const answers = await sendTogether(tenant, [wrong, ada, wrong])
  expect(answers.map(one => one.status)).toEqual([409, 201, 409])
  expect(answers[1]!.body).toEqual(first!.body)
})

it('a corrected request beside the one that failed is carried out', async () => {
  const tenant = await open()
  const answers = await sendTogether(tenant, [tooOld, ada])
  expect(answers.map(one => one.status)).toEqual([400, 201])
})

it('each of several that fail alike is told its own request_id', async () => {
  const tenant = await open()
  const answers = await sendTogether(tenant, [tooOld, tooOld, tooOld])
  const ids = answers.map(one => one.body.error.request_id)
  expect(ids).toEqual(answers.map(one => one.headers['x-request-id']))
})

/** An inbound event that named nobody yet, and the ways in which it can come once the employee is there. */
async function keepUnmatched() {
  const tenant = await service.tenant()
  const body = { source: 'okta', event_type: 'auth.x', employee: { email: 'new@example.com' } }
  const send = () => tenant.call('POST', '/v1/events/webhook', body, { 'idempotency-key': 'one' })
  expect([(await send()).status, (await send()).status]).toEqual([404, 404])
  const [kept, ...more] = (await tenant.call('GET', '/v1/events/unmatched')).body.data
  expect([kept.external_id, more]).toEqual([null, []])
  const replay = () => tenant.call('POST', `/v1/events/unmatched/${kept.id}/replay`)
  await hire(service, tenant, ['new@example.com'])
  const count = async () => (await tenant.call('GET', '/v1/events')).body.pagination.total
  return { send, replay, count, listed: () => listUnmatched(tenant) }
}

const listUnmatched = async (tenant: Tenant) =>
  (await tenant.call('GET', '/v1/events/unmatched')).body.data.map(
    (one: { event_type: string }) => one.event_type,
  )

it('an unmatched event that is sent again stays as it came in first, until its time is over', async () => {
  const tenant = await service.tenant()
  const body = { source: 'okta', event_type: 'auth.x', employee: { email: 'new@example.com' } }
  const send = (key: string) =>
    tenant.call('POST', '/v1/events/webhook', body, { 'idempotency-key': key })
  const list = async () => (await tenant.call('GET', '/v1/events/unmatched')).body.data
  await send('first')
  const before = await list()
  service.clock.advance(HOUR)
  await send('first')
  expect(await list()).toEqual(before)
  await send('second')
  expect((await list()).map((one: { id: string }) => one.id)).toHaveLength(2)
})

it('an unmatched event that was replayed is not scored again when it is sent again', async () => {
  const { send, replay, count } = await keepUnmatched()
  const first = await replay()
  expect(first.status).toBe(201)
  const again = await send()
  expect([again.status, again.body]).toEqual([200, first.body])
  expect([(await send()).body, await count()]).toEqual([first.body, 1])
})

it('an unmatched event that was sent again is not scored again when it is replayed', async () => {
  const { send, replay, count, listed } = await keepUnmatched()
  const first = await send()
  expect(first.status).toBe(201)
  expect(await listed()).toEqual([])
  expect((await replay()).status).toBe(404)
  expect([(await send()).body, await count()]).toEqual([first.body, 1])
})

it('an unmatched event that is sent again by its external_id and scored is listed no more, others are', async () => {
  const tenant = await service.tenant()
  const send = (event_type: string, external_id: string | undefined, email: string) =>
    tenant.call('POST', '/v1/events/webhook', {
      source: 'okta',
      event_type,
      external_id,
      employee: { email },
    })
  await send('auth.a', 'a', 'new@example.com')
  await send('auth.b', 'b', 'new@example.com')
  await send('auth.c', undefined, 'new@example.com')
  await send('auth.d', 'd', 'other@example.com')
  await hire(service, tenant, ['new@example.com'])
  expect((await send('auth.a', 'a', 'new@example.com')).status).toBe(201)
  expect((await send('auth.d', 'd', 'other@example.com')).status).toBe(404)
  expect((await listUnmatched(tenant)).sort()).toEqual(['auth.b', 'auth.c', 'auth.d'])
})

it('an unmatched event that is sent again and replayed at once is scored once', async () => {
  const { send, replay, count } = await keepUnmatched()
  const [sent, replayed] = await Promise.all([send(), replay()])
  expect(await count()).toBe(1)
  // Scored before the replay looked for it, it is no longer among the unmatched.
  if (replayed.status === 404) return expect(sent.status).toBe(201)
  expect([sent.status, replayed.status].sort()).toEqual([200, 201])
  expect(sent.body).toEqual(replayed.body)
})

const batch = async (tenant: Tenant, events: readonly object[]) => {
  const { body } = await tenant.call('POST', '/v1/events/batch', { events })
  return body.data as { status: number; event?: { id: string } }[]
}

it('a repeat by external_id gives the first answer also where its address matches nobody, and is not kept', async () => {
  const tenant = await open()
  const inbound = (email: string) =>
    tenant.call('POST', '/v1/events/webhook', {
      source: 'okta',
      event_type: 'auth.x',
      external_id: 'a',
      employee: { email },
    })
  const first = await inbound('ada@example.com')
  const again = await inbound('nobody@example.com')
  expect([first.status, again.status]).toEqual([201, 200])
  expect(again.body).toEqual(first.body)
  expect(await listUnmatched(tenant)).toEqual([])
  const [one, two, three] = await batch(tenant, [
    { ...ada, employee_email: 'nobody@example.com', external_id: 'b' },
    { ...ada, external_id: 'b' },
    { ...ada, employee_email: 'nobody@example.com', external_id: 'b' },
  ])
  expect([one!.status, two!.status, three!.status]).toEqual([404, 201, 200])
  expect(three!.event).toEqual(two!.event)
})

it('an event is scored beside one of the same external_id that is too old, whichever comes first', async () => {
  const tenant = await open()
  const pair = (external_id: string) => [
    { ...ada, external_id },
    { ...tooOld, external_id },
  ]
  const answers = [
    ...(await batch(tenant, pair('a'))),
    ...(await batch(tenant, pair('b').reverse())),
  ]
  expect(answers.map(one => one.status)).toEqual([201, 200, 400, 201])
  expect(answers[1]!.event).toEqual(answers[0]!.event)
  const { data } = (await tenant.call('GET', '/v1/events')).body
  expect(data).toHaveLength(2)
})
