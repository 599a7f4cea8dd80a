// Jobs whose pieces take the database longer than a statement may: fewer people at a time, longer rests, and an end.
import { expect, test } from 'vitest'
import { hire, openChanged, setSettings } from '../../test/scenario.ts'
import { START, startService, type Tenant } from '../../test/service.ts'
import type { Tx } from '../platform/database.ts'
import { findJob, listOpenJobs } from './jobs.queries.ts'
import { LEASE_MS } from './run-pieces.ts'
import { replayJobsJob } from './run-replay-jobs.job.ts'

let limit_ms = 0
const service = await startService({}, { wrap: limitStatements })

async function limitStatements<T>(tx: Tx, todo: (tx: Tx) => Promise<T>): Promise<T> {
  if (limit_ms > 0) await tx.unsafe(`SET LOCAL statement_timeout = ${limit_ms}`)
  return todo(tx)
}

/** While somebody else holds this person's row, statements that wait for it take too long. */
async function whileHeld(employee_id: string, todo: () => Promise<void>): Promise<void> {
  await service.context.db.sql.begin(async tx => {
    await tx`SELECT 1 FROM employee_states WHERE employee_id = ${employee_id} FOR UPDATE`
    limit_ms = 500
    await todo().finally(() => {
      limit_ms = 0
    })
  })
}

const inTenant = <T>({ tenant_id }: Tenant, todo: (tx: Tx) => Promise<T>) =>
  service.context.db.inTenant(tenant_id, todo)

const EMAILS = Array.from({ length: 9 }, (_, i) => `p${i}@x.com`)
const ALL_AT_ONCE = { pieces: 9, events: 9, most_employees: 9, first_employees: 9 }

test('a piece that is too slow is tried with fewer people, until only who is slow is left', async () => {
  service.clock.set(START)
  const { tenant, people } = await openChanged(service, await service.tenant(), EMAILS)
  const asked = await tenant.call('POST', '/v1/rules/recalculate', { scope: 'all' })
  const { job_id } = asked.body
  const read = () => inTenant(tenant, tx => findJob(tx, tenant.tenant_id, job_id))
  const seen: number[] = []
  await whileHeld(people[8]!, async () => {
    for (let i = 0; i < 8; i++) {
      await replayJobsJob(ALL_AT_ONCE).run(service.context)
      seen.push((await read())!.processed)
      service.clock.advance(5 * LEASE_MS)
    }
  })
  expect([seen[0], seen.at(-1)]).toEqual([0, 8])
  expect(await read()).toMatchObject({ status: 'failed', processed: 8, failures: 5 })
  const { body } = await tenant.call('GET', `/v1/rules/recalculate/${job_id}`)
  expect(body.error).toMatch(/took too long/)
})

test('a change of settings waits for a slow database, and is then carried out', async () => {
  service.clock.set(START)
  const tenant = await service.tenant()
  const [slow] = await hire(service, tenant, ['slow@x.com'])
  await setSettings(service, tenant, { starting_score: 60 })
  await whileHeld(slow!, async () => {
    for (let i = 0; i < 7; i++) {
      await replayJobsJob().run(service.context)
      service.clock.advance(5 * LEASE_MS)
    }
  })
  const [open] = await inTenant(tenant, tx => listOpenJobs(tx, tenant.tenant_id))
  expect(open).toMatchObject({ kind: 'settings', status: 'running', failures: 7 })
  await replayJobsJob().run(service.context)
  expect(await inTenant(tenant, tx => listOpenJobs(tx, tenant.tenant_id))).toEqual([])
})
