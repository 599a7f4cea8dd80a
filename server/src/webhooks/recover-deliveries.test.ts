// A recovery acts by the rights of whoever asked for it, chunk by chunk, and leaves nothing behind that was missed.
import { expect, test } from 'vitest'
import { countRead } from '../../test/count-read.ts'
import { signIn } from '../../test/people.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { changeMember } from '../accounts/manage-members.ts'
import { MINUTE, SECOND } from '../platform/clock.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { writeTogether } from '../platform/write-together.ts'
import { tell as queue, readAudience } from './announce.ts'
import { countMissed } from './deliveries.queries.ts'
import { message, tell } from './receiver.fixture.ts'
import { recoverDeliveriesJob } from './recover-deliveries.job.ts'
import { listWebhooks } from './webhooks.queries.ts'

const service = await startService()
const { context, clock } = service
const MISSED = 501

/** A webhook that missed one message more than a chunk holds, and an admin's recovery of them. */
async function startRecovery() {
  const tenant = await service.tenant()
  const hook = { url: 'https://hooks.example/in', events: ['score.updated'] }
  const { id } = (await tenant.call('POST', '/v1/webhooks', hook)).body
  await tenant.call('PATCH', `/v1/webhooks/${id}`, { status: 'disabled' })
  const since = new Date(clock.now()).toISOString()
  const missed = Array.from({ length: MISSED }, (_, n) => message('emp_1', clock.now(), n))
  await tell(context, tenant.tenant_id, missed)
  await tenant.call('PATCH', `/v1/webhooks/${id}`, { status: 'enabled' })
  const admin = await signIn(service, tenant.tenant_id, 'admin')
  const started = await admin.call('POST', `/v1/webhooks/${id}/recover`, { since })
  expect(started).toMatchObject({ status: 202, body: { total: MISSED } })
  const look = async () => (await tenant.call('GET', started.headers.location as string)).body
  return { tenant, id, admin, look }
}

const demote = ({ tenant_id }: Tenant, user_id: string) =>
  asOperator(context, tenant_id, changeMember, user_id, { role: 'viewer' })

test('a recovery ends when its person may no longer ask for it; what was queued stays', async () => {
  const { tenant, id, admin, look } = await startRecovery()
  await recoverDeliveriesJob().run(context)
  expect(await look()).toMatchObject({ status: 'running', processed: 500 })
  await demote(tenant, admin.user_id)
  await runDueJobs(context, [recoverDeliveriesJob()])
  const error = 'whoever asked for this may no longer do it'
  expect(await look()).toMatchObject({ status: 'failed', processed: 500, error })
  const { body } = await tenant.call('GET', `/v1/audit?subject_id=${id}&per_page=1`)
  expect(body.data[0]).toMatchObject({
    action: 'webhook.recovery_stopped',
    actor: { kind: 'engine' },
    before: { created_by: `user:${admin.user_id}` },
    after: { status: 'failed', error, processed: 500 },
  })
  const left = await tenant.call('GET', `/v1/webhooks/${id}/deliveries?status=skipped`)
  expect(left.body.pagination.total).toBe(1)
})

test('it comes to its end for who still may', async () => {
  const { look } = await startRecovery()
  const started_at = new Date(clock.now()).toISOString()
  await recoverDeliveriesJob().run(context)
  expect(await look()).toMatchObject({ status: 'running', started_at, finished_at: null })
  clock.advance(SECOND)
  await runDueJobs(context, [recoverDeliveriesJob()])
  const finished_at = new Date(clock.now()).toISOString()
  const done = { status: 'completed', processed: MISSED, error: null, started_at, finished_at }
  expect(await look()).toMatchObject(done)
})

test('it ends where its webhook is disabled meanwhile; what was not queued yet stays skipped', async () => {
  const { tenant, id, look } = await startRecovery()
  await recoverDeliveriesJob().run(context)
  await tenant.call('PATCH', `/v1/webhooks/${id}`, { status: 'disabled' })
  await runDueJobs(context, [recoverDeliveriesJob()])
  const error = 'the webhook was disabled or deleted meanwhile'
  expect(await look()).toMatchObject({ status: 'failed', processed: 500, error })
  const left = await tenant.call('GET', `/v1/webhooks/${id}/deliveries?status=skipped`)
  expect(left.body.pagination.total).toBe(1)
})

test('what was missed is counted without a look at each message, those that were erased left out', async () => {
  const { tenant, id } = await startRecovery()
  const { tenant_id } = tenant
  const span = { from: 'dlv_', until: 'dlv_z' }
  await context.db.inTenant(
    tenant_id,
    tx => tx`UPDATE webhook_messages SET body = '' WHERE tenant_id = ${tenant_id} AND message_id IN (
      SELECT message_id FROM webhook_messages WHERE tenant_id = ${tenant_id} LIMIT 3)`,
  )
  await context.db.sql`ANALYZE webhook_messages`
  await context.db.readTenant(tenant_id, async tx => {
    const before = await countRead(tx, 'webhook_messages')
    expect(await countMissed(tx, tenant_id, id, span)).toBe(MISSED - 3)
    expect((await countRead(tx, 'webhook_messages')) - before).toBeLessThan(20)
  })
})

/** A webhook that is disabled; it is enabled and recovered by `recover`, which also looks how far that is. */
async function openDisabled() {
  const tenant = await service.tenant()
  const hook = { url: 'https://hooks.example/in', events: ['score.updated'] }
  const path = `/v1/webhooks/${(await tenant.call('POST', '/v1/webhooks', hook)).body.id}`
  await tenant.call('PATCH', path, { status: 'disabled' })
  const since = new Date(clock.now()).toISOString()
  const recover = async () => {
    await tenant.call('PATCH', path, { status: 'enabled' })
    const started = await tenant.call('POST', `${path}/recover`, { since })
    expect(started).toMatchObject({ status: 202, body: { status: 'queued' } })
    return async () => {
      await runDueJobs(context, [recoverDeliveriesJob()])
      return (await tenant.call('GET', started.headers.location as string)).body
    }
  }
  const statuses = async () =>
    (await tenant.call('GET', `${path}/deliveries`)).body.data.map((one: any) => one.status)
  return { tenant_id: tenant.tenant_id, recover, statuses }
}

test('it begins when every change under way that saw the webhook disabled is over, and takes what they skipped', async () => {
  const { tenant_id, recover, statuses } = await openDisabled()
  const look = await context.db.inTenant(tenant_id, async tx => {
    const audience = await readAudience(tx, tenant_id, ['emp_1'])
    const look = await recover()
    expect(await look()).toMatchObject({ status: 'queued', total: 0, started_at: null })
    const late = [message('emp_1', clock.now())]
    const { writes, wake } = queue(tx, tenant_id, clock.now(), late, audience)
    await writeTogether(tx, writes, wake)
    return look
  })
  expect(await statuses()).toEqual(['skipped'])
  expect(await look()).toMatchObject({ status: 'completed', total: 1, processed: 1 })
  expect(await statuses()).toEqual(['pending'])
})

test('what came after it keeps it waiting for nothing', async () => {
  const { tenant_id, recover } = await openDisabled()
  const look = await recover()
  await context.db.inTenant(tenant_id, async tx => {
    await readAudience(tx, tenant_id, ['emp_1'])
    expect(await look()).toMatchObject({ status: 'completed' })
  })
})

test('what only reads, for longer than any change may take, keeps it waiting for ten minutes at most', async () => {
  const { tenant_id, recover } = await openDisabled()
  await context.db.readTenant(tenant_id, async tx => {
    await listWebhooks(tx, tenant_id)
    const look = await recover()
    clock.advance(10 * MINUTE)
    expect(await look()).toMatchObject({ status: 'queued' })
    clock.advance(1)
    expect(await look()).toMatchObject({ status: 'completed' })
  })
})

test('what a process skipped whose clock is ahead is recovered too', async () => {
  const { tenant_id, recover, statuses } = await openDisabled()
  const ahead = { ...context, clock: { now: () => clock.now() + MINUTE } }
  await tell(ahead, tenant_id, [message('emp_1', clock.now())])
  const look = await recover()
  expect(await look()).toMatchObject({ status: 'completed', total: 1, processed: 1 })
  expect(await statuses()).toEqual(['pending'])
})
