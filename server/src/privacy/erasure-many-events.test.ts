// Erasing somebody with very many events: taken out at once, their events are emptied page by page after it.
import { expect, test } from 'vitest'
import { hire, ingest } from '../../test/scenario.ts'
import { START, startService } from '../../test/service.ts'
import { operatorOrigin } from '../platform/actor.ts'
import type { Database, Tx } from '../platform/database.ts'
import { runDueJobs } from '../platform/jobs.ts'
import { erasePerson } from './erase-person.ts'
import { findErasure } from './erasures.queries.ts'
import { sweepErasedJob } from './sweep-erased.job.ts'

const MANY = 12_000
const service = await startService()
const { context } = service
const tenant = await service.tenant()
const { tenant_id } = tenant
const [id] = await hire(service, tenant, ['robot@example.com', 'other@example.com'])
await ingest(service, tenant, [{ email: 'other@example.com', type: 'custom.x', details: { a: 1 } }])
await context.db.inTenant(tenant_id, async tx => {
  await tx`INSERT INTO events (tenant_id, event_id, employee_id, department, type, source, timestamp, received_at,
      impact, details, rules_matched, inert, retracted_at, retraction, actor)
    SELECT ${tenant_id}, 'evt_' || n, ${id!}, 'Sales', 'custom.x', 'x', ${new Date(START)}::timestamptz,
      ${new Date(START)}, 0, jsonb_build_object('host', n), '{}', true, ${new Date(START)}, 'secret', 'operator:test'
    FROM generate_series(1, ${MANY}::int) n`
  await tx`INSERT INTO external_ids (tenant_id, source, external_id, event_id, answer)
    SELECT ${tenant_id}, 'x', 'id-' || n, 'evt_' || n, '{}' FROM generate_series(1, ${MANY}::int) n`
})

/** Events of the person, and those that still say something. */
async function count() {
  const [row] = await context.db.sql`SELECT count(*)::int AS all,
      count(*) FILTER (WHERE details <> '{}' OR retraction <> '')::int AS full,
      (SELECT count(*)::int FROM external_ids WHERE tenant_id = ${tenant_id}) AS ids
    FROM events WHERE tenant_id = ${tenant_id} AND employee_id = ${id!}`
  return row as { all: number; full: number; ids: number }
}

const note = () => context.db.inTenant(tenant_id, tx => findErasure(tx, tenant_id, id!))

test('a kill in between loses nothing, no statement has all of them, and a repeat begins nothing anew', async () => {
  let [pages, longest] = [0, 0]
  const watched = (tx: Tx) =>
    Object.assign((strings: TemplateStringsArray, ...values: never[]) => {
      const lists = (values as unknown[]).filter(one => strings.raw && Array.isArray(one))
      longest = Math.max(longest, ...lists.map(one => (one as unknown[]).length))
      if (strings.raw?.join('').includes('SET details') && ++pages > 1) throw new Error('killed')
      return tx(strings, ...values)
    }, tx) as unknown as Tx
  const inTenant: Database['inTenant'] = (tenant_id, work, ...rest) =>
    context.db.inTenant(tenant_id, tx => work(watched(tx)), ...rest)
  const dying = { ...context, db: { ...context.db, inTenant } }
  await expect(erasePerson(dying, tenant_id, operatorOrigin(), id!)).rejects.toThrow('killed')
  const { body } = await tenant.call('GET', `/v1/employees/${id}`)
  expect(body.email).toMatch(/@invalid$/)
  expect(await count()).toEqual({ all: MANY, full: MANY - 5000, ids: MANY - 5000 })
  expect(longest).toBeLessThanOrEqual(5001)
  const again = await tenant.call('POST', `/v1/employees/${id}/erase`, { confirm: 'erase' })
  expect(again.status).toBe(200)
  await runDueJobs(context, [sweepErasedJob()])
  expect(await count()).toEqual({ all: MANY, full: 0, ids: 0 })
  const done = await note()
  expect(done).toMatchObject({ traces: null, finished_at: expect.any(Date) })
  await tenant.call('POST', `/v1/employees/${id}/erase`, { confirm: 'erase' })
  expect(await note()).toEqual(done)
  const others = await tenant.call('GET', '/v1/events?type=custom.x&source=simulator')
  expect(others.body.data[0].details).toEqual({ a: 1 })
})
