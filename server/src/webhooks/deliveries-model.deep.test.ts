// Deliveries against a model: announced, skipped, tried, tried again, given up, sent again, recovered.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkModel, command, nth } from '../../test/model.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { DAY, HOUR, MINUTE } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { claimDeliveries } from './claim-deliveries.ts'
import type { DeliveryStatus } from './deliveries.queries.ts'
import { message, tell } from './receiver.fixture.ts'
import { recordOutcomes } from './record-outcomes.ts'
import { recoverDeliveriesJob } from './recover-deliveries.job.ts'
import { DELAYS } from './retry-schedule.ts'
import type { Reply } from './send-request.ts'

const service = await startService()
const { clock, context } = service

type Known = {
  id: string
  status: DeliveryStatus
  attempts: number
  /** Attempts of earlier rounds. */
  before: number
  due: number | null
}
type Model = {
  enabled: boolean
  deliveries: Known[]
  failures: number
  first_failed_at: number
}
type Real = { tenant: Tenant; webhook_id: string }

const MOST = 20
const room = { all: 100, tenant: 100, of: () => 100, kept: () => 2 }

const announce = fc.nat(2).map(person =>
  command<Model, Real>(
    `announce ${person}`,
    async (model, { tenant, webhook_id }) => {
      clock.advance(1)
      const now = clock.now()
      await tell(context, tenant.tenant_id, [message(`emp_${person}`, now)])
      const [latest] = await listOf(tenant, webhook_id)
      const status = model.enabled ? 'pending' : 'skipped'
      const due = model.enabled ? now : null
      model.deliveries.push({ id: latest!.id, status, attempts: 0, before: 0, due })
    },
    model => model.deliveries.length < MOST,
  ),
)

async function listOf(tenant: Tenant, webhook_id: string) {
  const url = `/v1/webhooks/${webhook_id}/deliveries?per_page=100`
  const { status, body } = await tenant.call('GET', url)
  expect(status).toBe(200)
  return body.data as { id: string; status: string; attempts: number; next_attempt_at: string }[]
}

const turn = fc.boolean().map(on =>
  command<Model, Real>(on ? 'enable' : 'disable', async (model, { tenant, webhook_id }) => {
    const status = on ? 'enabled' : 'disabled'
    const answer = await tenant.call('PATCH', `/v1/webhooks/${webhook_id}`, { status })
    expect(answer.status).toBe(200)
    if (on && !model.enabled) model.failures = 0
    model.enabled = on
  }),
)

function begin(delivery: Known, created_at: number): void {
  if (delivery.status === 'pending') return
  const now = clock.now()
  if (delivery.status === 'skipped' && delivery.attempts === 0) {
    Object.assign(delivery, { status: 'pending', due: created_at })
  } else {
    if (delivery.status !== 'retrying') delivery.before = delivery.attempts
    Object.assign(delivery, { status: 'retrying', due: now })
  }
}

const redeliver = fc.nat(MOST).map(place =>
  command<Model, Real>(
    `redeliver ${place}`,
    async (model, { tenant }) => {
      const delivery = nth(model.deliveries, place)
      const answer = await tenant.call('POST', `/v1/webhooks/deliveries/${delivery.id}/redeliver`)
      expect(answer.status).toBe(model.enabled ? 202 : 409)
      if (model.enabled) begin(delivery, Date.parse(answer.body.created_at))
    },
    model => model.deliveries.length > 0,
  ),
)

const recover = fc.constant(
  command<Model, Real>('recover', async (model, { tenant, webhook_id }) => {
    const url = `/v1/webhooks/${webhook_id}/recover`
    const since = new Date(clock.now() - 20 * DAY).toISOString()
    const answer = await tenant.call('POST', url, { since })
    expect(answer.status).toBe(model.enabled ? 202 : 409)
    if (!model.enabled) return
    const missed = model.deliveries.filter(
      ({ status }) => status === 'failed' || status === 'skipped',
    )
    expect(answer.body.total).toBe(missed.length)
    await runDueJobs(context, [recoverDeliveriesJob()])
    const rows = await listOf(tenant, webhook_id)
    for (const one of missed) {
      const row = rows.find(({ id }) => id === one.id)!
      begin(one, Date.parse(row.next_attempt_at))
    }
  }),
)

function replyOf(status: number): Reply {
  const error = { stage: 'status' as const, message: `status: answered ${status}` }
  return {
    status,
    headers: {},
    body: Buffer.from('ok'),
    truncated: false,
    dns_ms: null,
    connect_ms: null,
    first_byte_ms: 1,
    total_ms: 2,
    error: status === 200 ? null : error,
  }
}

/** Everything due is claimed, sent and answered alike. */
const deliver = fc.constantFrom(200, 200, 500, 500, 500, 410).map(status =>
  command<Model, Real>(`answer ${status}`, async (model, { tenant }) => {
    const { tenant_id } = tenant
    const now = clock.now()
    const due = model.deliveries.filter(one => one.due !== null && one.due <= now)
    const claim = await claimDeliveries(context, tenant_id, room, MINUTE)
    const sent = model.enabled ? due : []
    expect(new Set(claim.deliveries.map(one => one.delivery_id))).toEqual(
      new Set(sent.map(one => one.id)),
    )
    if (!model.enabled) for (const one of due) Object.assign(one, { status: 'skipped', due: null })
    const signatures = { signature: 'sha256=0', standard_signature: 'v1,0' }
    const outcomes = claim.deliveries.map(delivery => ({
      delivery,
      signatures,
      reply: replyOf(status),
      random: 0,
      started_at: now,
      ended_at: now,
    }))
    if (outcomes.length > 0) await recordOutcomes(context, tenant_id, outcomes as never)
    for (const one of sent) judge(model, one, status)
  }),
)

function judge(model: Model, one: Known, status: number): void {
  const now = clock.now()
  one.attempts += 1
  const delay = DELAYS[one.attempts - one.before]
  if (status === 200) Object.assign(one, { status: 'delivered', due: null })
  else if (status === 410 || delay === undefined)
    Object.assign(one, { status: 'failed', due: null })
  else Object.assign(one, { status: 'retrying', due: now + delay })
  if (one.status === 'delivered') model.failures = 0
  if (one.status !== 'failed' || !model.enabled) return
  if (model.failures++ === 0) model.first_failed_at = now
  if (status === 410 || (model.failures >= 10 && now - model.first_failed_at >= DAY)) {
    model.enabled = false
  }
}

const wait = fc.constantFrom(1, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, DAY).map(ms =>
  command<Model, Real>(`wait ${ms / MINUTE} min`, async () => {
    clock.advance(ms)
  }),
)

const look = fc.constant(
  command<Model, Real>('look', async (model, { tenant, webhook_id }) => {
    const rows = await listOf(tenant, webhook_id)
    const shown = rows.map(({ id, status, attempts, next_attempt_at }) => {
      return {
        id,
        status,
        attempts,
        due: next_attempt_at === null ? null : Date.parse(next_attempt_at),
      }
    })
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
    const known = model.deliveries.map(({ id, status, attempts, due }) => ({
      id,
      status,
      attempts,
      due,
    }))
    expect(shown.sort(byId)).toEqual(known.sort(byId))
    const hook = (await tenant.call('GET', `/v1/webhooks/${webhook_id}`)).body
    expect(hook.status).toBe(model.enabled ? 'enabled' : 'disabled')
    expect(hook.failures).toBe(model.failures)
  }),
)

it('every delivery and its subscription stand as the model has them', async () => {
  const commands = [announce, announce, announce, deliver, deliver, deliver, deliver]
  const others = [wait, wait, turn, redeliver, recover, look, look]
  await checkModel([...commands, ...others], open, { runs: 40, most: 50 })
})

async function open(): Promise<{ model: Model; real: Real }> {
  const tenant = await service.tenant()
  const hook = { url: 'https://hooks.example.com/', events: ['score.updated'] }
  const { status, body } = await tenant.call('POST', '/v1/webhooks', hook)
  expect(status).toBe(201)
  const model = { enabled: true, deliveries: [], failures: 0, first_failed_at: 0 }
  return { model, real: { tenant, webhook_id: body.id } }
}
