// Messages about an erased person are emptied piece by piece; until then none is shown in the log or sent.
import { expect, test } from 'vitest'
import { countRead } from '../../test/count-read.ts'
import { loseTransaction } from '../../test/lose-transaction.ts'
import { startService, type Tenant } from '../../test/service.ts'
import { hire } from '../actions/actions.fixture.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { stopMessages } from '../webhooks/person.queries.ts'
import { message, tell } from '../webhooks/receiver.fixture.ts'
import { recoverDeliveriesJob } from '../webhooks/recover-deliveries.job.ts'
import { emptyRows } from './empty-rows.ts'
import { erasePerson } from './erase-person.ts'
import { findErasure, takeEmptying } from './erasures.queries.ts'
import { sweepErasedJob } from './sweep-erased.job.ts'

const service = await startService()
const { context, clock } = service
const STATES = ['delivered', 'failed', 'skipped', 'retrying', 'pending']

/** Two subscriptions, and a message in every state about each of two people. */
async function open() {
  const tenant = await service.tenant()
  const { tenant_id } = tenant
  const hooks: string[] = []
  for (const path of ['a', 'b']) {
    const hook = { url: `https://hooks.example/${path}`, events: ['score.updated'] }
    hooks.push((await tenant.call('POST', '/v1/webhooks', hook)).body.id)
  }
  const [person, other] = [await hire(tenant, {}), await hire(tenant, { last_name: 'Plain' })]
  for (const status of STATES) {
    for (const { id } of [person, other]) {
      await tell(context, tenant_id, [message(id, clock.now(), STATES.indexOf(status))])
    }
    const ended = status !== 'pending' && status !== 'retrying'
    await context.db.sql`UPDATE webhook_deliveries SET status = ${status},
        next_attempt_at = CASE WHEN ${ended} THEN NULL ELSE next_attempt_at END
      WHERE tenant_id = ${tenant_id} AND status = 'pending'`
  }
  return { tenant, hooks, person, other }
}

async function listOf({ tenant_id }: Tenant, employee_id: string) {
  const rows = await context.db.sql`
    SELECT d.delivery_id, d.status, d.next_attempt_at, m.body FROM webhook_deliveries d
    JOIN webhook_messages m ON m.tenant_id = d.tenant_id AND m.message_id = d.message_id
    WHERE d.tenant_id = ${tenant_id} AND d.employee_id = ${employee_id}
    ORDER BY d.webhook_id, d.delivery_id`
  return rows as unknown as {
    delivery_id: string
    status: string
    next_attempt_at: Date | null
    body: string
  }[]
}

/** As if the process were killed right after the person's own rows. */
async function eraseAndDie({ tenant_id }: Tenant, employee_id: string) {
  const loss = await loseTransaction(service, 2)
  await expect(erasePerson(context, tenant_id, operatorOrigin(), employee_id)).rejects.toThrow()
  loss.end()
}

test('before they are emptied none is shown in the log, sent, sent again or recovered', async () => {
  const { tenant, hooks, person } = await open()
  await eraseAndDie(tenant, person.id)
  const rows = await listOf(tenant, person.id)
  expect(rows.filter(row => row.body === '')).toEqual([])
  expect(rows.filter(row => row.next_attempt_at !== null)).toEqual([])
  for (const { delivery_id } of rows) {
    const path = `/v1/webhooks/deliveries/${delivery_id}`
    expect((await tenant.call('GET', path)).body.request).toEqual({ body: '' })
    expect((await tenant.call('POST', `${path}/redeliver`)).status).toBe(409)
  }
  const since = new Date(clock.now()).toISOString()
  const { body, headers } = await tenant.call('POST', `/v1/webhooks/${hooks[0]}/recover`, { since })
  expect(body.total, 'what the other one missed').toBe(2)
  await runDueJobs(context, [recoverDeliveriesJob()])
  const done = await tenant.call('GET', headers.location as string)
  expect(done.body).toMatchObject({ status: 'completed', processed: 2 })
  const after = await listOf(tenant, person.id)
  expect(after.filter(row => row.next_attempt_at !== null)).toEqual([])
})

test('the worker goes on from piece to piece, and only then looks through what is about others', async () => {
  const { tenant, person, other } = await open()
  const { tenant_id } = tenant
  const look = () => context.db.inTenant(tenant_id, tx => findErasure(tx, tenant_id, person.id))
  await eraseAndDie(tenant, person.id)
  const [first] = await listOf(tenant, person.id)
  expect(await emptyRows(context, tenant_id, person.id, clock.now(), 1)).toBe(true)
  expect(await look()).toMatchObject({ messages_to: expect.any(String), rows_read: 1 })
  expect((await listOf(tenant, person.id)).filter(row => row.body === '')).toHaveLength(2)
  expect((await listOf(tenant, person.id))[0]).toMatchObject({ ...first, body: '' })
  await runDueJobs(context, [sweepErasedJob()])
  expect(await look()).toMatchObject({ messages_to: null, finished_at: expect.any(Date) })
  const rows = await listOf(tenant, person.id)
  expect(rows).toHaveLength(2 * STATES.length)
  expect(rows.filter(row => row.body !== '' || row.next_attempt_at !== null)).toEqual([])
  const others = await listOf(tenant, other.id)
  expect(others.filter(row => row.body === '')).toEqual([])
  expect(others.map(row => row.status)).toEqual([...STATES, ...STATES])
})

test('what is to be sent about somebody is stopped without reading what was sent', async () => {
  const { tenant_id, call } = await service.tenant()
  const hook = { url: 'https://hooks.example/in', events: ['score.updated'] }
  await call('POST', '/v1/webhooks', hook)
  const many = Array.from({ length: 500 }, (_, n) => message('emp_1', clock.now(), n))
  await tell(context, tenant_id, many)
  await context.db.sql`UPDATE webhook_deliveries SET status = 'delivered', next_attempt_at = NULL
    WHERE tenant_id = ${tenant_id}`
  await tell(context, tenant_id, many.slice(0, 3))
  await context.db.sql`VACUUM ANALYZE webhook_deliveries`
  await context.db.inTenant(tenant_id, async tx => {
    const before = await countRead(tx, 'webhook_deliveries')
    await stopMessages(tx, tenant_id, 'emp_1')
    expect((await countRead(tx, 'webhook_deliveries')) - before).toBeLessThan(50)
  })
})

test('a search that the release before has ended is over only once the messages are empty', async () => {
  const { tenant, person } = await open()
  const { tenant_id } = tenant
  await eraseAndDie(tenant, person.id)
  await context.db.sql`UPDATE erasures SET traces = NULL, finished_at = started_at
    WHERE tenant_id = ${tenant_id} AND employee_id = ${person.id}`
  const again = () => erasePerson(context, tenant_id, operatorOrigin(), person.id)
  await context.db.inTenant(tenant_id, async tx => {
    await takeEmptying(tx, tenant_id, person.id)
    expect((await again()).search.status, 'while somebody else is at them').toBe('running')
  })
  await runDueJobs(context, [sweepErasedJob()])
  expect((await listOf(tenant, person.id)).filter(row => row.body !== '')).toEqual([])
  expect((await again()).search.status).toBe('completed')
})
