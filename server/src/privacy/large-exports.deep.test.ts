// The export of somebody with very many rows: page by page as it is taken, and the same as all at once.
import { once } from 'node:events'
import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { hire, ingest } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'
import { asOperator } from '../accounts/identity.ts'
import { createKey, revokeKeyById } from '../keys/manage-keys.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { HOUR } from '../platform/clock.ts'
import type { Tx } from '../platform/database.ts'
import { exportPerson } from './export-person.ts'

const EVENTS = 450
let transactions = 0
const service = await startService({}, { wrap: count })
const tenant = await service.tenant()
const { tenant_id } = tenant
const [id] = (await hire(service, tenant, ['ada@x.com'])) as [string]
await tenant.call('POST', '/v1/webhooks', { url: 'https://x.com/hook', events: ['event.ingested'] })
const clicks = Array.from({ length: EVENTS }, (_, n) => ({
  email: 'ada@x.com',
  type: 'sim.link_clicked',
  at: service.clock.now() - n * 12 * HOUR,
  details: { n },
}))
await ingest(service, tenant, clicks.slice(0, 225))
await ingest(service, tenant, clicks.slice(225))

function count<T>(tx: Tx, todo: (tx: Tx) => Promise<T>): Promise<T> {
  transactions++
  return todo(tx)
}

const open = (few?: number) => exportPerson(service.context, tenant_id, operatorOrigin(), id, few)

test('many rows come in pages, and are the same as those that are read at once', async () => {
  const { exported_at, audit, ...whole } = (await json(await open(1_000_000))) as any
  const { audit: later, ...paged } = (await json(await open(0))) as any
  expect(paged).toEqual({ exported_at, ...whole })
  expect(later.slice(0, audit.length)).toEqual(audit)
  expect(whole.events).toHaveLength(EVENTS)
  expect(new Set(whole.shares.map((share: any) => share.event_id)).size).toBe(whole.shares.length)
  expect(whole.shares.length).toBeGreaterThan(200)
  expect(whole.messages).toHaveLength(EVENTS)
  expect(whole.score_history.length).toBeGreaterThan(200)
})

test('what nobody takes is not read, and holds no transaction', async () => {
  const all = await open(0)
  const before = transactions
  await once(all, 'readable')
  all.read()
  expect(transactions - before).toBeLessThan(3)
  const [busy] = await service.context.db.sql`SELECT count(*) AS n FROM pg_stat_activity
    WHERE datname = current_database() AND state LIKE 'idle in transaction%'`
  expect(busy!.n).toBe(0)
  all.destroy()
})

test('ends where whoever takes it slowly has lost the right', async () => {
  const key = { name: 'slow', scopes: ['employees:read'], expires_at: null } as const
  const made = await asOperator(service.context, tenant_id, createKey, key)
  const origin = { ...operatorOrigin(), actor: { kind: 'key', id: made.id } as const }
  const all = await exportPerson(service.context, tenant_id, origin, id, 0)
  await once(all, 'readable')
  await asOperator(service.context, tenant_id, revokeKeyById, made.id)
  await expect(json(all)).rejects.toMatchObject({ status: 403 })
})

test('200 for somebody with many rows, 404 for nobody', async () => {
  const { status, body, headers } = await tenant.call('GET', `/v1/employees/${id}/export`)
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(body.events).toHaveLength(EVENTS)
  expect(body.employee).toMatchObject({ id, email: 'ada@x.com' })
  expect((await tenant.call('GET', '/v1/employees/emp_none/export')).status).toBe(404)
})

test('HEAD reads nothing behind its answer, which nobody takes', async () => {
  const before = transactions
  await tenant.call('GET', `/v1/employees/${id}/export`)
  const whole = transactions - before
  const { status, body } = await tenant.call('HEAD', `/v1/employees/${id}/export`)
  expect([status, body]).toEqual([200, undefined])
  // Pages are read in turn: any behind that answer would come between these.
  await tenant.call('GET', `/v1/employees/${id}/export`)
  const headAlone = transactions - before - 2 * whole
  expect(headAlone).toBeLessThan(whole / 2)
})
