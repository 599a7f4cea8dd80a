// Erasing somebody whose events have very many external ids: every one of them goes, in one look through the rows.
import { expect, test } from 'vitest'
import { startService, type Tenant } from '../../test/service.ts'
import { happen, hire, openDesk } from '../actions/actions.fixture.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { replayJobsJob } from '../replays/run-replay-jobs.job.ts'
import { findErasure } from './erasures.queries.ts'
import { sweepErasedJob } from './sweep-erased.job.ts'

const service = await startService()
const MANY = 2000
const idOf = (i: number) => `9b1d-${i}-4e6f`

/** A person with as many ids, and somebody else whose rows name some of them, or what is only like them. */
async function open() {
  const tenant = await service.tenant({ plan: 'enterprise' })
  await openDesk(service, tenant)
  const person = await hire(tenant, { email: 'zelda@example.com' })
  for (let from = 0; from < MANY; from += 1000) {
    const events = Array.from({ length: 1000 }, (_, i) => ({
      type: 'custom.x',
      employee_email: 'zelda@example.com',
      external_id: idOf(from + i),
    }))
    expect((await tenant.call('POST', '/v1/events/batch', { events })).status).toBe(207)
  }
  const other = await hire(tenant, { email: 'lee@example.com' })
  const told = [
    idOf(3),
    idOf(MANY - 1).toUpperCase(),
    `${idOf(7)}0`,
    idOf(MANY),
    'zelda@example.com',
  ]
  const { id } = await happen(tenant, other, 'door.opened', { details: { told } })
  return { tenant, person, id, told }
}

const toldOf = async (tenant: Tenant, id: string) =>
  (await tenant.call('GET', `/v1/events/${id}`)).body.details.told

test('each goes wherever it stands, and the rows are gone through twice, not once for each hundred', async () => {
  const { tenant, person, id, told } = await open()
  const { body } = await tenant.call('POST', `/v1/employees/${person.id}/erase`, {
    confirm: 'erase',
  })
  await runDueJobs(service.context, [sweepErasedJob()])
  const after = await service.context.db.inTenant(tenant.tenant_id, tx =>
    findErasure(tx, tenant.tenant_id, person.id),
  )
  expect(after).toMatchObject({ traces: null, finished_at: expect.any(Date) })
  expect(await toldOf(tenant, id)).toEqual(['erased', 'erased', told[2], told[3], body.email])
  const { rows } = (await service.context.db.inTenant(tenant.tenant_id, async tx => {
    const [row] =
      await tx`SELECT count(*) AS rows FROM events WHERE tenant_id = ${tenant.tenant_id}`
    return row
  })) as { rows: number }
  expect(after!.rows_read).toBeLessThan(10 * rows)
})

test('one that an earlier release has begun, a hundred ids at a time, is brought to its end', async () => {
  const { tenant, person, id, told } = await open()
  const asked = {
    filter: { type: 'x.y', conditions: { user: 'zelda@example.com' } },
    reason: 'later',
  }
  await tenant.call('POST', '/v1/events/retract', asked)
  const erased = await tenant.call('POST', `/v1/employees/${person.id}/erase`, { confirm: 'erase' })
  expect(erased.body.search.status).toBe('running')
  await runDueJobs(service.context, [replayJobsJob()])
  await service.context.db.inTenant(
    tenant.tenant_id,
    tx => tx`UPDATE erasures SET pass = 7, table_name = 'webhook_messages'
      WHERE tenant_id = ${tenant.tenant_id} AND employee_id = ${person.id}`,
  )
  await runDueJobs(service.context, [sweepErasedJob()])
  // The first pass, for the address, was over.
  expect(await toldOf(tenant, id)).toEqual(['erased', 'erased', told[2], told[3], told[4]])
})
