// Proves the round of verification: all employees of all tenants in turns of bounded cost, and an alarm for a wrong sum.
import { expect, it, vi } from 'vitest'
import { hire, ingest } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'
import { deleteTenant } from '../delete-tenant.ts'
import { operatorOrigin } from '../platform/actor.ts'
import { MINUTE } from '../platform/clock.ts'
import type { Database } from '../platform/database.ts'
import { unavailable } from '../platform/errors.ts'
import { writeMetrics } from '../platform/metrics.ts'
import { verifyOnlineJob } from './verify-online.job.ts'

const service = await startService()
const { context, clock } = service
const errors = vi.spyOn(context.log, 'error')

async function read(name: string): Promise<number> {
  const line = (await writeMetrics()).split('\n').find(text => text.startsWith(`${name} `))
  return Number(line?.split(' ')[1] ?? 0)
}

const first = await service.tenant({ name: 'First' })
const second = await service.tenant({ name: 'Second' })
const emails = Array.from({ length: 620 }, (_, i) => `p${i}@example.com`)
await hire(service, first, emails.slice(0, 3))
await hire(service, second, emails)
const hit = ['p0@example.com', 'p601@example.com'].map(email => ({
  email,
  type: 'sim.link_clicked',
}))
await ingest(service, second, hit)

const notices = () =>
  context.db.inTenant(
    second.tenant_id,
    tx => tx`SELECT kind, count, data, raised_at FROM notifications WHERE tenant_id = ${second.tenant_id}
      AND kind = 'score.unproven'`,
  )

it('a turn takes some, the next goes on, and a round has seen everyone; all is well', async () => {
  const job = verifyOnlineJob(() => 0.99)
  const seen: number[] = []
  const faults = await read('bellwether_verify_faults_total')
  for (let turn = 0; turn < 4; turn++) {
    const before = await read('bellwether_verified_employees_total')
    await job.run(context)
    seen.push((await read('bellwether_verified_employees_total')) - before)
    clock.advance(MINUTE)
  }
  expect(Math.max(...seen)).toBeLessThanOrEqual(550)
  expect(seen.reduce((sum, n) => sum + n)).toBeGreaterThanOrEqual(623)
  expect(errors).not.toHaveBeenCalled()
  expect(await read('bellwether_verify_faults_total')).toBe(faults)
})

it('a wrong sum is found within a round: in the log, in the metrics and, raised once, in the dashboard', async () => {
  await context.db.sql`UPDATE employee_states s SET risk = s.risk - 1 FROM employees e
    WHERE e.employee_id = s.employee_id AND e.tenant_id = s.tenant_id AND e.tenant_id = ${second.tenant_id}
      AND e.email = 'p601@example.com'`
  const job = verifyOnlineJob(() => 0)
  const began = clock.now()
  const faults = await read('bellwether_verify_faults_total')
  for (let turn = 0; turn < 8; turn++) {
    await job.run(context)
    clock.advance(MINUTE)
  }
  expect(await read('bellwether_verify_faults_total')).toBeGreaterThanOrEqual(faults + 2)
  const [fields, words] = errors.mock.calls[0] as unknown as [
    { tenant_id: string; faults: string[] },
    string,
  ]
  expect(fields.tenant_id).toBe(second.tenant_id)
  expect(fields.faults[0]).toMatch(/^emp_\w+: risk is -\d+(?:\.\d+)?, its shares say/)
  expect(words).toContain('verify')
  const [notice, ...more] = await notices()
  expect(more).toEqual([])
  expect(notice!.raised_at.getTime() - began).toBeLessThanOrEqual(4 * MINUTE)
  expect(notice!.count).toBeGreaterThanOrEqual(2)
  expect(JSON.stringify([fields, notice!.data])).not.toContain('example.com')
})

it('a tenant deleted while it is being proven keeps no other waiting', async () => {
  const leaving = await startService()
  const gone = await leaving.tenant({ name: 'Gone' })
  await hire(leaving, gone, emails.slice(0, 600))
  const staying = await leaving.tenant({ name: 'Staying' })
  await hire(leaving, staying, ['stays@example.com'])
  const job = verifyOnlineJob(() => 0)
  const turn = async () => {
    const before = await read('bellwether_verified_employees_total')
    await job.run(leaving.context).catch(() => {})
    return (await read('bellwether_verified_employees_total')) - before
  }
  await turn()
  expect(await turn()).toBe(500)
  await deleteTenant(leaving.context, gone.tenant_id, operatorOrigin(), 'Gone', () => {})
  expect((await turn()) + (await turn())).toBe(1)
})

it('somebody for whom the time is never enough keeps the round of no other tenant waiting', async () => {
  const busy = await startService()
  const stuck = await busy.tenant({ name: 'Stuck' })
  await hire(busy, stuck, ['robot@example.com'])
  await hire(busy, await busy.tenant({ name: 'Free' }), ['free@example.com'])
  const { db } = busy.context
  const readTenant: Database['readTenant'] = (tenant_id, ...rest) =>
    tenant_id === stuck.tenant_id
      ? Promise.reject(Object.assign(unavailable(), { cause: { code: '57014' } }))
      : db.readTenant(tenant_id, ...rest)
  const slow = { ...busy.context, db: { ...db, readTenant } }
  const job = verifyOnlineJob(() => 0)
  const proven = await read('bellwether_verified_employees_total')
  for (let turn = 0; turn < 4; turn++) await job.run(slow).catch(() => {})
  expect(await read('bellwether_verified_employees_total')).toBeGreaterThan(proven + 1)
})

it('an empty database is proven without a fault, and nothing is left to do', async () => {
  const empty = await startService()
  expect(await verifyOnlineJob().run(empty.context)).toBe(false)
})
